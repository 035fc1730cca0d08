package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/client"
	"github.com/ladderback/ladderback/report/terminal"
	"github.com/ladderback/ladderback/report/words"
)

type backtestIn struct {
	Prompt      string         `json:"prompt,omitempty" jsonschema:"the strategy in English; or strategy"`
	Strategy    map[string]any `json:"strategy,omitempty" jsonschema:"the strategy as parse_strategy returns it"`
	SampleSize  int            `json:"sample_size,omitempty" jsonschema:"rounds, instead of those of the strategy"`
	Budget      float64        `json:"budget,omitempty" jsonschema:"USD a trade"`
	From        string         `json:"from,omitempty" jsonschema:"rounds from, ISO 8601 UTC"`
	To          string         `json:"to,omitempty" jsonschema:"rounds up to"`
	Winners     string         `json:"winners,omitempty" jsonschema:"official (default) or inferred"`
	MinCoverage float64        `json:"min_coverage,omitempty" jsonschema:"0 to 1"`
	Detail      string         `json:"detail,omitempty" jsonschema:"headline, standard (default) or full"`
}

type runOut struct {
	ID       string    `json:"id"`
	State    string    `json:"state"`
	Done     int       `json:"done"`
	Total    int       `json:"total"`
	Summary  string    `json:"summary"`
	Verdict  string    `json:"verdict,omitempty"`
	Looks    int       `json:"looks,omitempty"`
	Rounds   int       `json:"rounds,omitempty"`
	Trades   int       `json:"trades,omitempty"`
	WinRate  *float64  `json:"win_rate,omitempty"`
	TotalPnL *float64  `json:"total_pnl,omitempty"`
	MeanPnL  *float64  `json:"mean_pnl,omitempty"`
	Interval []float64 `json:"mean_pnl_interval,omitempty"`
	Warnings []string  `json:"warnings,omitempty"`
	Engine   string    `json:"engine,omitempty"`
	Receipt  any       `json:"receipt,omitempty" jsonschema:"what identifies the run and what it rests on"`
	Next     string    `json:"next,omitempty"`
}

// details of an answer.
const (
	headline = "headline"
	standard = "standard"
	full     = "full"
)

func detailOf(text string) (string, error) {
	switch text {
	case "":
		return standard, nil
	case headline, standard, full:
		return text, nil
	}
	return "", fmt.Errorf("detail: %q: expected headline, standard or full", text)
}

func (in *backtestIn) request() (map[string]any, error) {
	q := map[string]any{}
	options := map[string]any{}
	put := func(m map[string]any, name string, v any, given bool) {
		if given {
			m[name] = v
		}
	}
	put(q, "prompt", in.Prompt, in.Prompt != "")
	put(q, "strategy", in.Strategy, len(in.Strategy) > 0)
	put(q, "sampleSize", in.SampleSize, in.SampleSize != 0)
	put(q, "budget", in.Budget, in.Budget != 0)
	put(options, "winners", in.Winners, in.Winners != "")
	put(options, "min_coverage", in.MinCoverage, in.MinCoverage != 0)
	for name, text := range map[string]string{"from": in.From, "to": in.To} {
		if text == "" {
			continue
		}
		t, err := timeOf(name, text)
		if err != nil {
			return nil, err
		}
		options[name] = t
	}
	put(q, "options", options, len(options) > 0)
	return q, nil
}

func runBacktest(ctx context.Context, c *call, in backtestIn) (r reply[runOut], err error) {
	detail, err := detailOf(in.Detail)
	if err != nil {
		return r, err
	}
	q, err := in.request()
	if err != nil {
		return r, err
	}
	run, err := c.made(ctx, c.client.Backtests(), q, detail)
	if err != nil {
		return r, err
	}
	return c.say(ctx, run, detail)
}

// goneAfter is how long a run may take to be cancelled for a client that has gone.
const goneAfter = 5 * time.Second

// made asks for a run and waits for its end, as long as patience lasts; a client that takes
// tasks gets one sooner (errTask). A client that goes while it waits ends the run.
func (c *call) made(ctx context.Context, kept client.Runs, q any, detail string) (*client.Run, error) {
	run, err := kept.Start(ctx, q, "")
	if err != nil {
		return nil, err
	}
	patience := c.bench.cfg.Patience
	place, ok := ctx.Value(offered{}).(*offer)
	if ok {
		patience = min(patience, taskAfter)
	}
	ended, over, err := c.follow(ctx, kept, run.ID, patience)
	switch {
	case ctx.Err() != nil:
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), goneAfter)
		defer cancel()
		_, err := kept.Cancel(ctx, run.ID)
		return nil, errors.Join(context.Canceled, err)
	case over && ok:
		place.run, place.detail = run, detail
		return nil, errTask
	case over:
		return kept.Get(ctx, run.ID, 0)
	}
	return ended, err
}

// follow waits for the end of a run, telling how far it is; over: it takes longer than
// patience lasts.
func (c *call) follow(ctx context.Context, kept client.Runs, id string, patience time.Duration) (ended *client.Run, over bool, err error) {
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	ended, err = kept.Wait(waiting, id, func(p client.Progress) { c.progress(ctx, p) })
	if waiting.Err() != nil {
		return nil, true, waiting.Err()
	}
	if err == nil && ended.State == "done" { // one that was over before it could be followed, too
		c.progress(ctx, client.Progress{Phase: ended.Phase, Done: ended.Done, Total: ended.Total})
	}
	return ended, false, err
}

type runIn struct {
	ID     string `json:"id" jsonschema:"of a backtest or sweep"`
	Wait   int    `json:"wait,omitempty" jsonschema:"seconds to wait for its end, at most 25"`
	Detail string `json:"detail,omitempty" jsonschema:"headline, standard (default) or full"`
}

// keptOf returns the runs of the kind of an id.
func (c *call) keptOf(id string) client.Runs {
	if strings.HasPrefix(id, "sweep_") {
		return c.client.Sweeps()
	}
	return c.client.Backtests()
}

func getRun(ctx context.Context, c *call, in runIn) (r reply[runOut], err error) {
	detail, err := detailOf(in.Detail)
	if err != nil {
		return r, err
	}
	kept := c.keptOf(in.ID)
	run, err := kept.Get(ctx, in.ID, 0)
	if err != nil {
		return r, err
	}
	if patience := min(time.Duration(max(0, in.Wait))*time.Second, c.bench.cfg.Patience); patience > 0 && !run.Ended() {
		var over bool
		if run, over, err = c.follow(ctx, kept, in.ID, patience); over && ctx.Err() == nil {
			run, err = kept.Get(ctx, in.ID, 0)
		}
		if err != nil {
			return r, err
		}
	}
	return c.say(ctx, run, detail)
}

// result returns the result of a backtest that is done.
func (c *call) result(ctx context.Context, id string) (*backtest.Body, error) {
	run, err := c.client.Backtests().Get(ctx, id, 0)
	if err != nil {
		return nil, err
	}
	if run.State != "done" {
		return nil, fmt.Errorf("run %s is %s, %d of %d rounds: there is no result; ask get_run", id, run.State, run.Done, run.Total)
	}
	return run.Backtest()
}

// say answers with a run.
func (c *call) say(ctx context.Context, run *client.Run, detail string) (r reply[runOut], err error) {
	r.out = runOut{ID: run.ID, State: run.State, Done: run.Done, Total: run.Total, Summary: run.Summary}
	switch {
	case run.State == "failed":
		return r, fmt.Errorf("run %s failed: %s", run.ID, *run.Error)
	case run.State != "done":
		r.out.Next = fmt.Sprintf("call get_run with id %s and wait 25", run.ID)
		r.text = fmt.Sprintf("Run %s is %s: %d of %d rounds. There are no numbers yet: %s.", run.ID, run.State, run.Done, run.Total, r.out.Next)
		if run.State == "cancelled" {
			r.out.Next, r.text = "", fmt.Sprintf("Run %s was cancelled: there are no numbers.", run.ID)
		}
		return r, nil
	case strings.HasPrefix(run.ID, "sweep_"):
		return saySweep(r, run)
	}
	body, err := run.Backtest()
	if err != nil {
		return r, err
	}
	if run.Tries != nil {
		body.Tally = *run.Tries
	}
	looks, err := c.looks(ctx, run)
	if err != nil {
		return r, err
	}
	r.out.fill(body, looks)
	if r.text, err = reportText(body, run.ID, looks, detail); err != nil {
		return r, err
	}
	r.links = []*sdk.ResourceLink{
		{URI: "ladderback://runs/" + run.ID, Name: run.ID, Title: "The run, with all trades", MIMEType: "application/json"},
		{URI: "ladderback://runs/" + run.ID + "/report", Name: run.ID + "-report", Title: "The report as a page", MIMEType: "text/html"},
	}
	return r, nil
}

// looksAtMost bounds how many runs are counted.
const looksAtMost = 1000

// looks counts the backtests of a coin and a length that the key's organization keeps, up
// to this one: how often the same rounds have been asked.
func (c *call) looks(ctx context.Context, run *client.Run) (n int, err error) {
	if run.Tries != nil { // the server counts
		return run.Tries.Look, nil
	}
	q := client.RunQuery{Coin: run.Coin, MarketType: run.MarketType, PageSize: looksAtMost}
	for one, err := range c.client.Backtests().List(ctx, q) {
		if err != nil {
			return 0, err
		}
		if !one.CreatedAt.After(run.CreatedAt) {
			n++
		}
		if n == looksAtMost {
			break
		}
	}
	return n, nil
}

func (o *runOut) fill(body *backtest.Body, looks int) {
	p := body.Report
	o.Looks, o.Rounds, o.Trades = looks, p.MarketsFound, p.MarketsTraded
	rate, total := p.WinRate.Float(), p.TotalPnL.Float()
	o.WinRate, o.TotalPnL = &rate, &total
	if p.Stats.MeanPnL != nil {
		mean := p.Stats.MeanPnL.Float()
		o.MeanPnL = &mean
	}
	if i := p.Stats.MeanPnLInterval; i != nil {
		o.Interval = []float64{i[0].Float(), i[1].Float()}
	}
	o.Receipt = p.Receipt
	said := words.Say(body)
	o.Verdict = said.Verdict
	for _, w := range said.Warnings {
		o.Warnings = append(o.Warnings, w.Head)
	}
}

// reportText says a run: what the pnl is worth stands in the paragraph of the pnl.
func reportText(body *backtest.Body, id string, looks int, detail string) (string, error) {
	said := words.Say(body)
	var b strings.Builder
	fmt.Fprintf(&b, "%s. %s %s", strings.TrimSuffix(said.Verdict, "."), said.Headline, said.Why)
	switch {
	case said.Look != "":
		b.WriteString(" " + said.Look)
	case looks > 1:
		fmt.Fprintf(&b, " This is look number %d at %s %s: the best of many looks is partly luck.", looks, body.Strategy.Strategy().Market.Coin, body.Strategy.Strategy().Market.Type)
	}
	for _, w := range said.Warnings {
		fmt.Fprintf(&b, " Warning: %s.", strings.TrimSuffix(w.Head, "."))
	}
	fmt.Fprintf(&b, "\nStrategy: %s\n", body.Summary())
	for _, line := range said.Nothing {
		b.WriteString(line + "\n")
	}
	switch detail {
	case standard:
		if said.Baseline != "" {
			b.WriteString(said.Baseline + "\n")
		}
		for _, t := range said.Tiles {
			fmt.Fprintf(&b, "- %s: %s%s\n", t.Name, t.Value, note(t.Note))
		}
		for _, w := range said.Warnings {
			fmt.Fprintf(&b, "- %s: %s\n", strings.TrimSuffix(w.Head, "."), w.Text)
		}
	case full:
		b.WriteByte('\n')
		if err := terminal.Run(&b, body, terminal.Screen{Width: 120}); err != nil {
			return "", err
		}
	}
	fmt.Fprintf(&b, "Run %s; receipt: engine %v, strategy %s, data %s, options %s, report %s.", id,
		body.Report.Receipt.Engine, brief(body.Report.Receipt.Strategy), brief(body.Report.Receipt.Data), brief(body.Report.Receipt.Options), brief(body.Report.Receipt.Report))
	return b.String(), nil
}

func note(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

// brief is the beginning of a hash, which is enough to tell it by.
func brief(hash string) string { return hash[:min(12, len(hash))] }

type explainIn struct {
	Run    string `json:"run" jsonschema:"id of a backtest that is done"`
	Number int    `json:"number" jsonschema:"of the trade, from 1"`
}

func explainTrade(ctx context.Context, c *call, in explainIn) (r reply[any], err error) {
	x, err := c.client.Explain(ctx, in.Run, in.Number)
	if err != nil {
		return r, err
	}
	var b strings.Builder
	if err := terminal.Trade(&b, x, terminal.Screen{Width: 120}); err != nil {
		return r, err
	}
	return reply[any]{text: b.String(), out: x}, nil
}

type compareIn struct {
	A string `json:"a" jsonschema:"id of a backtest that is done"`
	B string `json:"b" jsonschema:"id of another, of the same rounds"`
}

func compareRuns(ctx context.Context, c *call, in compareIn) (r reply[any], err error) {
	x, err := c.client.Compare(ctx, in.A, in.B)
	if err != nil {
		return r, err
	}
	x.Names = [2]string{in.A, in.B}
	var b strings.Builder
	if err := terminal.Comparison(&b, x, false, terminal.Screen{Width: 120}); err != nil {
		return r, err
	}
	return reply[any]{text: b.String(), out: x.Paired}, nil
}

type sweepIn struct {
	Prompt     string   `json:"prompt" jsonschema:"the strategy in English"`
	Vary       []string `json:"vary" jsonschema:"such as entry.0.threshold=0.25:0.45:0.05 or exit.take_profit=0.5,0.6"`
	SampleSize int      `json:"sample_size,omitempty" jsonschema:"rounds"`
	AlsoTried  int      `json:"also_tried,omitempty" jsonschema:"variants of this idea that were tried elsewhere"`
}

func sweep(ctx context.Context, c *call, in sweepIn) (r reply[runOut], err error) {
	q := map[string]any{"prompt": in.Prompt, "vary": in.Vary}
	if in.SampleSize != 0 {
		q["sampleSize"] = in.SampleSize
	}
	if in.AlsoTried != 0 {
		q["options"] = map[string]any{"also_tried": in.AlsoTried}
	}
	run, err := c.made(ctx, c.client.Sweeps(), q, standard)
	if err != nil {
		return r, err
	}
	return c.say(ctx, run, standard)
}

// saySweep answers with a sweep that is done: the best never without how many there were.
func saySweep(r reply[runOut], run *client.Run) (reply[runOut], error) {
	var tally backtest.Tally
	if run.Tries != nil {
		tally = *run.Tries
	}
	said := words.ReadSweep(run.Result, tally)
	if said == nil {
		return r, fmt.Errorf("sweep %s: its result cannot be read", run.ID)
	}
	r.out.Verdict = said.Verdict
	var b strings.Builder
	fmt.Fprintf(&b, "%s. %s", strings.TrimSuffix(said.Verdict, "."), said.Why)
	for _, line := range []string{said.Luck, said.Best, said.Plateau, said.Walk, said.Look, said.Lock, said.Counts} {
		if line != "" {
			b.WriteString(" " + line)
		}
	}
	for _, w := range said.Warnings {
		fmt.Fprintf(&b, " Warning: %s.", strings.TrimSuffix(w.Head, "."))
		r.out.Warnings = append(r.out.Warnings, w.Head)
	}
	fmt.Fprintf(&b, "\nStrategy: %s\nSweep %s.", run.Summary, run.ID)
	r.text = b.String()
	return r, nil
}
