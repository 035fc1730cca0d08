// Package bench measures this machine on an archive: decoding, replay, import and
// pages of history, each beside what bounds it.
package bench

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// Options say how much to measure. Start from Defaults.
type Options struct {
	Rounds int // the newest that many rounds; at least 1
	Times  int // each measurement is repeated; the fastest counts; at least 1
	// Only, when not empty, leaves out the figures whose name does not contain it.
	Only string
}

// Defaults are the options of `ladderback bench`.
var Defaults = Options{Rounds: 1000, Times: 3}

// Report holds the measurements. Seconds are processor seconds of the process over
// all its cores, of the fastest repetition; wall-clock times are given beside them.
type Report struct {
	Archive  string   `json:"archive"`
	Machine  string   `json:"machine"` // system, architecture, cores in use
	Rounds   int      `json:"rounds"`
	Captures int64    `json:"captures"`      // of ladders
	Changes  int64    `json:"level_changes"` // of them
	Bytes    int64    `json:"bytes"`         // of their blocks
	Figures  []Figure `json:"figures"`
}

// Figure is one measurement.
type Figure struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"processor_seconds"`
	Wall    float64 `json:"wall_seconds"`
	// PerSecond is Units per processor second.
	PerSecond float64 `json:"per_second"`
	Units     string  `json:"units"`
	// Limit names the figure that bounds this one, and Ratio is this one's time
	// divided by that figure's; empty and 0: none.
	Limit string  `json:"limit,omitempty"`
	Ratio float64 `json:"ratio_to_limit,omitempty"`
	// Trades is the number of trades found; the same with and without a shortcut.
	Trades int `json:"trades,omitempty"`
}

// runner measures.
type runner struct {
	archive *archive.Archive
	options Options
	report  *Report
	rounds  []market.Round
	blocks  [][]byte // of books
}

// Run measures an archive that has rounds. It writes nothing to the archive.
func Run(ctx context.Context, a *archive.Archive, o Options) (*Report, error) {
	if o.Rounds < 1 || o.Times < 1 {
		return nil, fmt.Errorf("bench: %d rounds, %d times: expected at least 1", o.Rounds, o.Times)
	}
	r := &runner{archive: a, options: o, report: &Report{
		Archive: a.Address(),
		Machine: fmt.Sprintf("%s %s, %d cores", runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0)),
	}}
	for _, step := range []func(context.Context) error{r.sample, r.decode, r.replay, r.peers, r.imports, r.pages} {
		if err := step(ctx); err != nil {
			return nil, fmt.Errorf("bench: %w", err)
		}
	}
	return r.report, nil
}

// measure repeats do, which processes so many units, and adds its figure.
func (r *runner) measure(f Figure, units int64, do func() error) error {
	if !strings.Contains(f.Name, r.options.Only) {
		return nil
	}
	for i := range r.options.Times {
		begun, used := time.Now(), processorTime()
		if err := do(); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		seconds, wall := (processorTime() - used).Seconds(), time.Since(begun).Seconds()
		if i == 0 || seconds < f.Seconds {
			f.Seconds = seconds
		}
		if i == 0 || wall < f.Wall {
			f.Wall = wall
		}
	}
	if f.Seconds > 0 {
		f.PerSecond = float64(units) / f.Seconds
	}
	for _, limit := range r.report.Figures {
		if limit.Name == f.Limit && limit.Seconds > 0 {
			f.Ratio = f.Seconds / limit.Seconds
		}
	}
	r.report.Figures = append(r.report.Figures, f)
	return nil
}

// found notes the trades of the figure that was measured last, if it was.
func (r *runner) found(f Figure) {
	if n := len(r.report.Figures); n > 0 && r.report.Figures[n-1].Name == f.Name {
		r.report.Figures[n-1].Trades = f.Trades
	}
}

// sample chooses the rounds and reads their blocks of books into memory.
func (r *runner) sample(ctx context.Context) error {
	c, err := shape("sample", nil, strategy.Exit{HoldToExpiry: true}, r.options.Rounds)
	if err != nil {
		return err
	}
	s, err := replay.Draw(ctx, r.archive, c)
	if err != nil {
		return err
	}
	if len(s.Rounds) == 0 {
		return errors.New("the archive has no decided rounds with captures")
	}
	r.rounds, r.report.Rounds = s.Rounds, len(s.Rounds)
	return r.archive.Store().View(ctx, func(in store.Reader) error {
		r.blocks, r.report.Captures, r.report.Changes, r.report.Bytes = nil, 0, 0, 0
		for i := range r.rounds {
			m := r.rounds[i].Market
			rows, err := in.Markets(ctx, store.MarketQuery{IDs: []store.ID{store.MarketID(m.Venue, m.VenueID)}})
			if err != nil || len(rows) == 0 {
				return errors.Join(err, ctx.Err())
			}
			refs, err := in.Blocks(ctx, &rows[0])
			if err != nil {
				return err
			}
			var books []store.BlockRef
			for _, ref := range refs {
				if ref.Stream == block.Books {
					books = append(books, ref)
					r.report.Captures += int64(ref.Captures)
					r.report.Changes += int64(ref.Changes)
					r.report.Bytes += int64(ref.Bytes)
				}
			}
			err = in.ReadBlocks(ctx, books, func(_ int, data []byte) error {
				r.blocks = append(r.blocks, append([]byte(nil), data...))
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// decode measures the reading of blocks that are in memory.
func (r *runner) decode(context.Context) error {
	const copying, unpacking, decoding = "copy of the decoded levels", "columns unpacked", "blocks decoded"
	changes := r.report.Changes
	levels := make([]market.Level, 1<<15)
	into := make([]market.Level, len(levels))
	err := r.measure(Figure{Name: copying, Units: "level changes"}, changes, func() error {
		for left := changes; left > 0; left -= int64(len(levels)) {
			copy(into, levels[:min(left, int64(len(levels)))])
		}
		return nil
	})
	if err != nil {
		return err
	}
	var u block.Unpacker
	err = r.measure(Figure{Name: unpacking, Units: "level changes", Limit: copying}, changes, func() error {
		for _, b := range r.blocks {
			if _, err := u.Unpack(b); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	var d block.Decoder
	err = r.measure(Figure{Name: decoding, Units: "level changes", Limit: unpacking}, changes, func() error {
		for _, b := range r.blocks {
			if err := d.Reset(b); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	var book market.Book
	best := market.Quote{}
	return r.measure(Figure{Name: "blocks decoded, every change applied, best bid and ask kept", Units: "level changes", Limit: unpacking}, changes, func() error {
		for _, b := range r.blocks {
			if err := d.Reset(b); err != nil {
				return err
			}
			for c := d.Next(); c != nil; c = d.Next() {
				book.Apply(c)
				best = book.Quote()
			}
		}
		_ = best
		return nil
	})
}

// every hides what an archive knows besides the captures: each is read.
type every struct{ replay.Source }

// shape returns a case that buys Up below 40 cents after a third of a quarter of an
// hour.
func shape(_ string, more []strategy.Condition, exit strategy.Exit, rounds int) (replay.Case, error) {
	s, err := strategy.Canonicalize(strategy.Strategy{
		Market: strategy.MarketSpec{Coin: strategy.Any, Type: strategy.Any}, Side: strategy.Up,
		Entry: append([]strategy.Condition{
			{Type: strategy.BestAsk, Token: strategy.TokenUp, Comparator: strategy.LT, Threshold: strategy.Cents(40)},
			{Type: strategy.TimeElapsed, Comparator: strategy.GTE, Threshold: strategy.Int(60)},
		}, more...),
		Exit: exit, BudgetPerTrade: strategy.Int(20), SampleSize: rounds,
	})
	o := replay.DefaultOptions()
	o.Winners = replay.WinnersInferred
	return replay.Case{Strategy: s, Options: o}, err
}

// replay measures kinds of strategy, by the tops and by every capture.
func (r *runner) replay(ctx context.Context) error {
	target := strategy.Exit{HoldToExpiry: true, TakeProfit: strategy.Cents(55).Ptr()}
	stop := target
	stop.StopLoss = strategy.Cents(20).Ptr()
	deep := []strategy.Condition{{Type: strategy.AskDepth, Token: strategy.TokenUp, Comparator: strategy.GT, Threshold: strategy.Int(2000)}}
	for _, k := range []struct {
		name string
		more []strategy.Condition
		exit strategy.Exit
	}{
		{"quotes, held to expiry", nil, strategy.Exit{HoldToExpiry: true}},
		{"quotes, with a target", nil, target},
		{"quotes, with a stop and a target", nil, stop},
		{"depth, with a stop and a target", deep, stop},
	} {
		c, err := shape(k.name, k.more, k.exit, r.options.Rounds)
		if err != nil {
			return err
		}
		plain := "replay by every capture: " + k.name
		for _, way := range []struct {
			name, limit string
			src         replay.Source
		}{{plain, "blocks decoded, every change applied, best bid and ask kept", every{r.archive}}, {"replay: " + k.name, plain, r.archive}} {
			f := Figure{Name: way.name, Units: "rounds", Limit: way.limit}
			err := r.measure(f, int64(len(r.rounds)), func() error {
				got, err := replay.Run(ctx, way.src, c, replay.Parallel{Undated: true})
				if err == nil {
					f.Trades = len(got.Trades)
				}
				return err
			})
			if err != nil {
				return err
			}
			r.found(f)
		}
	}
	return nil
}

// importedRounds is how many rounds are imported again.
const importedRounds = 20

// imports measures what it takes to store captures that are in memory.
func (r *runner) imports(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "ladderback-bench-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	rounds := r.rounds[:min(len(r.rounds), importedRounds)]
	captures := make([][]market.Capture, len(rounds))
	n := int64(0)
	for i := range rounds {
		if captures[i], err = r.captures(ctx, rounds[i].Market); err != nil {
			return err
		}
		n += int64(len(captures[i]))
	}
	times := 0
	return r.measure(Figure{Name: "import of captures in memory", Units: "captures"}, n, func() error {
		times++
		s, _, err := sqlite.Create(ctx, filepath.Join(dir, fmt.Sprint(times, ".db")))
		if err != nil {
			return err
		}
		return errors.Join(put(ctx, s, rounds, captures), s.Close())
	})
}

// captures copies the captures of a market, each ladder whole.
func (r *runner) captures(ctx context.Context, m *market.Market) ([]market.Capture, error) {
	var out []market.Capture
	var book market.Book
	for c, err := range r.archive.Captures(ctx, m) {
		if err != nil {
			return nil, err
		}
		own := *c
		switch {
		case c.IsLadder() && c.Token == 0:
			book.Apply(c)
		case c.IsLadder():
			book.ApplyMirror(c)
		}
		if c.IsLadder() {
			own.Token, own.Kind, own.Replace = 0, market.KindBook, true
			own.Bids, own.Asks = book.Append(nil, market.Bid), book.Append(nil, market.Ask)
		}
		out = append(out, own)
	}
	return out, nil
}

func put(ctx context.Context, s store.Store, rounds []market.Round, captures [][]market.Capture) error {
	imp, err := intake.New(s, intake.Config{}).Begin(ctx, store.Source{SHA256: sha256.Sum256([]byte("bench")), Name: "bench", Format: "bench", Authority: store.FromExchange})
	if err != nil {
		return err
	}
	for i := range rounds {
		m, err := imp.Market(ctx, *rounds[i].Market)
		if err != nil {
			return err
		}
		for k := range captures[i] {
			if err := m.Add(&captures[i][k]); err != nil {
				return err
			}
		}
		if err := m.Done(ctx); err != nil {
			return err
		}
	}
	if _, err := imp.Finish(ctx, intake.End{}); err != nil {
		return err
	}
	return imp.Close()
}

// pages measures pages of prices, 200 points at 1s from the middle of each round.
func (r *runner) pages(ctx context.Context) error {
	points := 0
	return r.measure(Figure{Name: "pages of 200 prices at 1s", Units: "pages"}, int64(len(r.rounds)), func() error {
		for i := range r.rounds {
			m := r.rounds[i].Market
			row, err := r.archive.Market(ctx, m.VenueID, m.Category)
			if err != nil {
				return err
			}
			middle := m.Start + (m.End-m.Start)/2
			q := history.Request{
				Market: &row.Market, Known: history.Known{From: row.Stats.First, To: row.Stats.Last},
				Window: history.Window{Start: middle, End: min(m.End, middle+200*market.Second), Resolution: market.Second},
			}
			err = r.archive.Prices(ctx, row, q, q.Window.End, func(market.Instant, []int64) bool { points++; return true })
			if err != nil {
				return err
			}
		}
		return nil
	})
}
