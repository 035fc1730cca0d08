package terminal

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/figures"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/report/words"
	"github.com/ladderback/ladderback/strategy"
)

// Trade writes an explanation for a terminal. Times are UTC.
func Trade(w io.Writer, x *backtest.Explanation, s Screen) error {
	p := newPage(s)
	t := &x.Trade
	p.heading(fmt.Sprintf("Trade %d of %d: %s in %s", x.Number, x.Of, clean(t.TokenLabel), clean(t.MarketSlug)))
	p.line("  round    %s to %s UTC", figures.Clock(x.Market.Start), figures.Clock(x.Market.End))
	p.line("  market   %s", clean(x.Market.ID))
	p.line("  payout   $%s per share (%s)", x.Market.Payout, x.Market.Basis)
	p.line("  outcome  %s, %s", p.tone(t.PnL, figures.USD(t.PnL)), words.Exit(t.ExitReason))
	if t.Coverage != nil {
		p.line("  recorded %s of the round", figures.Rate(*t.Coverage))
	}
	if len(x.Differs) > 0 {
		p.paragraph(p.paint(amber, "  ! "), "This archive gives a different trade from the saved one: "+strings.Join(x.Differs, ", ")+" differ. What follows is the archive's trade.")
	}
	p.spans("The prompt's words behind the entry", x.EntryWords)
	p.signal(x)
	p.captures("Captures around the entry", x.EntryCaptures, t.Legs[0].Signal, t.EntryTime)
	for i := range x.Orders {
		if x.Orders[i].Action == replay.Buy {
			p.order(&x.Orders[i])
		}
	}
	p.judged(x)
	p.spans("The prompt's words behind the exit", x.ExitWords)
	if len(x.ExitCaptures.Rows) > 0 {
		p.captures("Captures around the exit", x.ExitCaptures, firstSale(x), t.Legs[1].Time)
	}
	for i := range x.Orders {
		if x.Orders[i].Action == replay.Sell {
			p.order(&x.Orders[i])
		}
	}
	p.lives(x.Resting)
	p.settlement(x.Settlement)
	p.account(x)
	return p.flush(w)
}

// firstSale is the instant that sent the exit; nil when nothing was sold.
func firstSale(x *backtest.Explanation) *backtest.Time {
	for i := range x.Orders {
		if x.Orders[i].Action == replay.Sell {
			return &x.Orders[i].Signal
		}
	}
	return nil
}

// hour writes the time of day to the millisecond.
func hour(t backtest.Time) string { return t.Time().Format("15:04:05.000") }

// ms writes a length of time in milliseconds.
func ms(s market.Span) string { return figures.Thousands(figures.Fixed(stats.Decimal(s)*1000, 0)) }

func optionalPrice(d *stats.Decimal) string { return figures.Or(d, figures.Price) }

// joints are words that open a phrase and say nothing by themselves.
var joints = []string{"in", "when", "if", "while", "and", "with", "at", "on", "for", "within"}

func (p *page) spans(title string, spans []strategy.Span) {
	spans = slices.DeleteFunc(slices.Clone(spans), func(s strategy.Span) bool {
		return slices.Contains(joints, strings.ToLower(s.Text))
	})
	if len(spans) == 0 {
		return
	}
	p.heading(title)
	t := p.grid(nil)
	for _, s := range spans {
		t.AppendRow(table.Row{fmt.Sprintf("%q", clean(s.Text)), p.paint(faint, clean(s.Field))})
	}
	p.put(t)
}

func (p *page) signal(x *backtest.Explanation) {
	leg := &x.Trade.Legs[0]
	if leg.Signal == nil {
		return
	}
	p.heading(fmt.Sprintf("The signal: %s UTC, %s s into the round", hour(*leg.Signal), figures.Fixed(stats.Decimal(*leg.Signal-x.Market.Start), 3)))
	if len(x.Conditions) == 0 {
		p.line("  no condition: the entry holds at the first book")
		return
	}
	header := table.Row{"condition", "value", ""}
	if x.Before != nil {
		header = append(header, "at "+hour(x.Before.Time)+", before")
	}
	t := p.grid(header, 2)
	for i, c := range x.Conditions {
		row := table.Row{conditionWords(c.Condition), optionalPrice(c.Value), holdsWords(c.Holds)}
		if x.Before != nil && i < len(x.Before.Conditions) {
			b := x.Before.Conditions[i]
			row = append(row, optionalPrice(b.Value)+"  "+holdsWords(b.Holds))
		}
		t.AppendRow(row)
	}
	p.put(t)
}

// conditionWords writes a condition as a formula.
func conditionWords(c strategy.Condition) string {
	token := map[strategy.Token]string{
		strategy.TokenUp: "Up's ", strategy.TokenDown: "Down's ",
		strategy.TokenSame: "its ", strategy.TokenOpposite: "the other's ",
	}[c.Token]
	comparator := map[strategy.Comparator]string{
		strategy.LT: "<", strategy.LTE: "≤", strategy.GT: ">", strategy.GTE: "≥",
		strategy.CrossesAbove: "crosses above", strategy.CrossesBelow: "crosses below",
	}[c.Comparator]
	s := fmt.Sprintf("%s%s %s %s", token, strings.ReplaceAll(string(c.Type), "_", " "), comparator, c.Threshold)
	switch {
	case c.WithinSeconds == 0:
	case c.Type == strategy.PriceChange:
		s += fmt.Sprintf(" in %d s", c.WithinSeconds)
	default:
		s += fmt.Sprintf(", first %d s", c.WithinSeconds)
	}
	return s
}

func holdsWords(holds bool) string {
	if holds {
		return "holds"
	}
	return "does not hold"
}

func (p *page) captures(title string, c backtest.Captures, signal *backtest.Time, arrival backtest.Time) {
	if signal == nil {
		signal = &arrival
	}
	p.heading(fmt.Sprintf("%s (sent %s, arrived %s UTC)", title, hour(*signal), hour(arrival)))
	cells := func(received, sinceSignal string, more ...any) table.Row {
		if p.tight() {
			return append(table.Row{received}, more...)
		}
		return append(table.Row{received, sinceSignal}, more...)
	}
	header := cells("received", "ms from signal", "token", "kind", "bid", "ask", "")
	t := p.grid(header, len(header)-2, len(header)-1)
	whole(t, 1)
	if !p.tight() {
		right(t, 2)
	}
	travelled := 0
	for _, r := range c.Rows {
		if r.Phase == backtest.PhaseSignal || r.Phase == backtest.PhaseTravelling {
			if travelled == backtest.ListedTravelling && c.Skipped > 0 {
				t.AppendRow(table.Row{fmt.Sprintf("… %s more", figures.Number(c.Skipped))})
			}
			travelled++
		}
		t.AppendRow(cells(hour(r.Time), ms(r.Time-*signal), clean(r.Token), r.Kind,
			optionalPrice(r.Bid), optionalPrice(r.Ask), p.paint(faint, r.Phase)))
	}
	p.put(t)
}

func (p *page) order(o *backtest.OrderView) {
	name := "The entry order at"
	switch {
	case o.Retry:
		name = "The exit, tried again at"
	case strings.HasPrefix(o.Order, "then."):
		name = fmt.Sprintf("The order %s, a %s of %s, at", o.Order, o.Action, clean(o.Token))
	case o.Action == replay.Sell:
		name = "The exit order at"
	}
	p.heading(fmt.Sprintf("%s %s UTC", name, hour(o.Arrival)))
	p.line("  sent %s, %s ms earlier", hour(o.Signal), ms(o.Arrival-o.Signal))
	if o.AsOf != nil {
		p.line("  met the book as of %s, %s ms old (%s)", hour(*o.AsOf), ms(o.Arrival-*o.AsOf), o.Fill)
	}
	if o.Cap != nil {
		p.line("  pays at most %s per share", figures.Price(*o.Cap))
	}
	if o.Refused != "" {
		p.line("  nothing was traded: %s", o.Refused)
	}
	if len(o.Levels) == 0 {
		return
	}
	t := p.grid(table.Row{"price", "shown", "taken before", "taken", "value", "fee, exact"}, 1, 2, 3, 4, 5, 6)
	places := 6
	for _, l := range o.Levels {
		_, fraction, _ := strings.Cut(l.Fee, ".")
		places = max(places, len(fraction))
	}
	for _, l := range o.Levels {
		shown := "in full"
		if l.Shown != nil {
			shown = size(*l.Shown)
		}
		t.AppendRow(table.Row{figures.Price(l.Price), shown, size(l.Earlier), size(l.Taken), exact(l.Value, 6), exact(l.Fee, places)})
	}
	if o.Refused == "" {
		t.AppendRow(table.Row{"", "", "", size(o.Shares), money(o.Cash), money(o.Fee)})
	}
	p.put(t)
	if o.Refused == "" {
		p.line("  %s shares at %s on average", size(o.Shares), figures.Price(o.Average))
	}
}

// lives writes what rested under each rule, and what wore off the queue before it.
func (p *page) lives(l *backtest.Lives) {
	if l == nil {
		return
	}
	rules, lives := l.Rules()
	for i, rule := range rules {
		p.heading(fmt.Sprintf("What rested, under the rule %s: %s", rule, figures.Count(len(lives[i]), "order")))
		for k := range lives[i] {
			p.life(&lives[i][k])
		}
	}
}

func (p *page) life(l *backtest.Life) {
	p.paragraph("  ", fmt.Sprintf("%s: %s %s of %s at %s, from %s to %s UTC, %s", l.Order, l.Action, size(l.Shares), clean(l.Token), figures.Price(l.Price),
		hour(l.Accepted), hour(l.Ended), l.End))
	p.paragraph("    ", fmt.Sprintf("queue ahead %s, taken at arrival %s, filled %s", optionalSize(l.Ahead), size(l.Taken), size(l.Filled)))
	if len(l.Wear) == 0 {
		return
	}
	cells := func(at, before string, more ...any) table.Row {
		if p.tight() { // as a rule what the row above has as ahead
			return append(table.Row{at}, more...)
		}
		return append(table.Row{at, before}, more...)
	}
	t := p.grid(cells("time UTC", "ahead before", "offered", "beyond", "at the limit", "ahead", "filled"), 2, 3, 4, 5, 6, 7)
	whole(t, 1)
	for i, w := range l.Wear {
		if hidden := len(l.Wear) - 2*listJudged; hidden > 1 && i >= listJudged && i < len(l.Wear)-listJudged {
			if i == listJudged {
				t.AppendRow(table.Row{fmt.Sprintf("… %s more", figures.Number(hidden))})
			}
			continue
		}
		t.AppendRow(cells(hour(w.Time), optionalSize(w.Before), optionalSize(w.Offered), size(w.Below), size(w.At), optionalSize(w.Ahead), size(w.Filled)))
	}
	p.put(t)
}

func optionalSize(d *stats.Decimal) string { return figures.Or(d, size) }

// size writes shares, money USD to the last digit that is kept.
func size(d stats.Decimal) string { return figures.Thousands(figures.Fixed(d, 2)) }

func money(d stats.Decimal) string { return figures.Thousands(figures.Fixed(d, 6)) }

// exact is an exact decimal with at least so many places.
func exact(decimal string, places int) string {
	whole, fraction, _ := strings.Cut(decimal, ".")
	return whole + "." + fraction + strings.Repeat("0", max(0, places-len(fraction)))
}

// listJudged is how many of the first and of the last looks are listed.
const listJudged = 12

func (p *page) judged(x *backtest.Explanation) {
	if x.Looks == 0 {
		return
	}
	p.heading(fmt.Sprintf("The exit was checked %s; %s shown: at the fill and within 0.02 of a trigger", figures.Count(x.Looks, "time"), figures.Number(len(x.Judged))))
	trailing := slices.ContainsFunc(x.Judged, func(j backtest.Judgement) bool { return j.High != nil })
	header := table.Row{"time UTC", "sell all", "take profit", "sell part", "stop loss"}
	if trailing {
		header = append(header, "high")
	}
	t := p.grid(append(header, ""), 2, 3, 4, 5, len(header))
	whole(t, 1)
	for i, j := range x.Judged {
		if hidden := len(x.Judged) - 2*listJudged; hidden > 1 && i >= listJudged && i < len(x.Judged)-listJudged {
			if i == listJudged {
				t.AppendRow(table.Row{fmt.Sprintf("… %s more", figures.Number(hidden))})
			}
			continue
		}
		trigger := ""
		if j.Trigger != "" {
			trigger = p.paint(bold, words.Exit(j.Trigger))
		}
		row := table.Row{hour(j.Time), figures.Price(j.Whole), optionalPrice(j.Profit), optionalPrice(j.Takeable), optionalPrice(j.Stop)}
		if trailing {
			row = append(row, optionalPrice(j.High))
		}
		t.AppendRow(append(row, trigger))
	}
	p.put(t)
	p.paragraph("  ", p.paint(faint, "sell all: the average price if the whole position were sold into the bids, held against the take profit. sell part: the same for as much as the bids can take, held against the stop loss."))
}

func (p *page) settlement(s *backtest.SettlementView) {
	if s == nil {
		return
	}
	p.heading(fmt.Sprintf("Settlement at %s UTC", figures.Clock(s.Time)))
	p.line("  %s shares × $%s = $%s, no fee", size(s.Shares), s.Payout, money(s.Proceeds))
}

func (p *page) account(x *backtest.Explanation) {
	t := &x.Trade
	p.heading("The account, USD")
	g := p.grid(nil, 2)
	g.AppendRow(table.Row{"proceeds, after fees", money(t.Proceeds)})
	g.AppendRow(table.Row{"− cost, with the entry fee", money(t.Cost)})
	g.AppendRow(table.Row{"= pnl", p.tone(t.PnL, money(t.PnL))})
	g.AppendRow(table.Row{"fees included above", money(t.Fees)})
	g.AppendRow(table.Row{"slippage included above", money(t.Slippage)})
	p.put(g)
	p.paragraph("  ", p.paint(faint, "Fee schedule: "+clean(x.Fees.Name)+": "+x.Fees.Formula+"."))
	if x.Fees.Source != "" {
		p.paragraph("  ", p.paint(faint, "Source: "+clean(x.Fees.Source)))
	}
}
