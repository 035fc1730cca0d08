package strategy

import (
	"cmp"
	"fmt"
	"strings"
)

// checkMeaning applies the rules that are judged on the canonical form, whose
// fields are valid.
func checkMeaning(s *Strategy) error {
	if err := checkBounds(s); err != nil {
		return err
	}
	if err := checkExitsAtEntry(s); err != nil {
		return err
	}
	if err := checkWindow(s); err != nil {
		return err
	}
	return checkOrderMeaning(s)
}

// checkExitsAtEntry refuses an absolute exit that can fire at the entry price
// itself: where the entry bounds the price, best ask or best bid of the token
// bought from above by u or from below by l (the tightest over the three, and over
// the price at which the entry rests), take profit ≤ u without l, stop ≥ u,
// stop ≥ l without u, and take profit ≤ l.
func checkExitsAtEntry(s *Strategy) error {
	upper, lower := entryBounds(s)
	refuse := func(path string, exit Number, by *bound, expected string) error {
		return clash(path, by.path, "%s can fire at the entry price itself, as the entry asks for %s: expected %s %s",
			exit, by.text, expected, by.at)
	}
	if tp, by := s.Exit.TakeProfit, cmp.Or(lower, upper); tp != nil && by != nil && *tp <= by.at {
		return refuse("exit.take_profit", *tp, by, "a take profit above")
	}
	if stop, by := s.Exit.StopLoss, cmp.Or(upper, lower); stop != nil && by != nil && *stop >= by.at {
		return refuse("exit.stop_loss", *stop, by, "a stop below")
	}
	return nil
}

// bound is one end of what an entry may pay.
type bound struct {
	at   Number
	path string // of the field that sets it
	text string
}

// entryBounds returns the tightest bounds from above and from below that the
// entry sets on the price, best ask or best bid of the token bought; nil: none.
// An entry that rests pays its limit at most, and a bound from below at or above
// the limit says nothing about what it pays.
func entryBounds(s *Strategy) (upper, lower *bound) {
	for _, c := range s.Entry {
		if c.Token != s.Side.Held() || (c.Type != Price && c.Type != BestAsk && c.Type != BestBid) {
			continue
		}
		b := &bound{c.Threshold, "entry", c.String()}
		switch c.Comparator {
		case LT, LTE, CrossesBelow:
			if upper == nil || b.at < upper.at {
				upper = b
			}
		case GT, GTE, CrossesAbove:
			if lower == nil || b.at > lower.at {
				lower = b
			}
		}
	}
	if s.Order == nil || s.Order.RestAt == nil {
		return upper, lower
	}
	return limited(upper, lower, *s.Order.RestAt)
}

// limited returns bounds on what an entry pays whose limit is known.
func limited(upper, lower *bound, limit Number) (*bound, *bound) {
	if upper == nil || limit < upper.at {
		upper = &bound{limit, "order.rest_at", "order.rest_at " + limit.String()}
	}
	if lower != nil && lower.at >= limit {
		lower = nil
	}
	return upper, lower
}

// String returns the condition as one short line for messages: "price up lte
// 0.35 within 300 s".
func (c Condition) String() string {
	var b strings.Builder
	b.WriteString(string(c.Type))
	if c.Token != TokenNone {
		b.WriteString(" " + string(c.Token))
	}
	fmt.Fprintf(&b, " %s %s", c.Comparator, c.Threshold)
	if c.WithinSeconds != 0 {
		fmt.Fprintf(&b, " within %d s", c.WithinSeconds)
	}
	return b.String()
}

// window is a stretch of elapsed time in which an entry can be signalled, in
// units of 1e-6 s, both ends included, with what set each end.
type window struct {
	from, to  Number
	fromBy    string // empty: the market's start
	toBy      string // empty: the market's end or a clock exit
	clockExit bool   // to is the last instant before a clock exit
}

func (w *window) after(t Number, by string) {
	if t > w.from {
		w.from, w.fromBy = t, by
	}
}

func (w *window) until(t Number, by string) {
	if t < w.to {
		w.to, w.toBy, w.clockExit = t, by, false
	}
}

func (w *window) empty() bool { return w.from > w.to }

// narrow cuts w down to where the time bounds of c hold.
func (w *window) narrow(path string, c Condition, length Number) {
	by := path + " (" + c.String() + ")"
	switch {
	case c.Type.IsLevel():
		if c.WithinSeconds != 0 {
			w.until(Int(c.WithinSeconds), by)
		}
	case c.Type == PriceChange:
		// Unknown until the look-back has passed. A look-back as long as the
		// market is allowed by itself, although no instant is that late.
		w.after(min(Int(c.WithinSeconds), length-1), by)
	case c.Type == TimeElapsed:
		w.narrowElapsed(c.Comparator, c.Threshold, by)
	case c.Type == TimeRemaining:
		w.narrowElapsed(mirrored(c.Comparator), length-c.Threshold, by)
	}
}

func (w *window) narrowElapsed(cmp Comparator, t Number, by string) {
	switch cmp {
	case LT:
		w.until(t-1, by)
	case LTE:
		w.until(t, by)
	case GT:
		w.after(t+1, by)
	case GTE:
		w.after(t, by)
	}
}

// mirrored turns a comparison of the time remaining into one of the time
// elapsed.
func mirrored(c Comparator) Comparator {
	switch c {
	case LT:
		return GT
	case LTE:
		return GTE
	case GT:
		return LT
	}
	return LTE
}

// checkWindow refuses an entry that no instant can satisfy: one whose bounds on
// time exclude each other, or leave nothing before the market's end or a clock
// exit counted from it. With alternatives at least one of them must be left,
// which no bound of the entry excludes.
func checkWindow(s *Strategy) error {
	seconds, _ := lengthSeconds(s.Market.Type)
	length := Int(seconds)
	entry := window{from: 0, to: length - 1}
	exitPath, exitText := "", ""
	if !s.Exit.HoldToExpiry {
		before := max(s.Exit.ExitBeforeSeconds, 1)
		entry.to, entry.clockExit = length-Int(before)-1, true
		exitPath, exitText = "exit.hold_to_expiry", "strategy.exit.hold_to_expiry false, which sells 1 second before the end"
		if s.Exit.ExitBeforeSeconds != 0 {
			exitPath = "exit.exit_before_seconds"
			exitText = fmt.Sprintf("strategy.exit.exit_before_seconds %d", before)
		}
	}
	for i, c := range s.Entry {
		entry.narrow(index("entry", i), c, length)
	}
	dead := entry
	var excluded error
	if !entry.empty() && len(s.EntryAny) > 0 {
		for g, group := range s.EntryAny {
			if err := conflict(append(located("entry", s.Entry), located(index("entry_any", g), group)...)); err != nil {
				excluded = err
				continue
			}
			w := entry
			for i, c := range group {
				w.narrow(index(index("entry_any", g), i), c, length)
			}
			if !w.empty() {
				return nil
			}
			dead = w
		}
	}
	if !dead.empty() {
		return excluded // nil without alternatives
	}
	return windowFault("entry", &dead, seconds, s.Market.Type, exitPath, exitText)
}

// windowFault says that the stretch of time of the list of conditions at field is
// empty.
func windowFault(field string, w *window, seconds int, marketType, exitPath, exitText string) error {
	from, to := "the market's start", fmt.Sprintf("the end of the market, which lasts %d seconds (%s)", seconds, marketType)
	path, other, what := field, field, "entry window"
	if field != "entry" {
		what = "time for strategy." + field
	}
	if w.fromBy != "" {
		from, path = "strategy."+w.fromBy, fieldOf(w.fromBy)
	}
	switch {
	case w.clockExit:
		to, other = exitText, exitPath
	case w.toBy != "":
		to, other = "strategy."+w.toBy, fieldOf(w.toBy)
	default:
		other = "market.market_type"
	}
	return clash(path, other, "the %s is empty: it would begin with %s and end with %s", what, from, to)
}

// fieldOf cuts the description off a path.
func fieldOf(by string) string {
	path, _, _ := strings.Cut(by, " ")
	return path
}

func index(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }
