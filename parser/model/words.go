package model

import (
	"slices"
	"strconv"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
	"github.com/ladderback/ladderback/strategy"
)

// classes calls f with every lexeme in [from, to) that is not commentary.
func (g *guard) classes(from, to int32, f func(class string, l *lexicon.Lexeme, e *lexicon.Entry)) {
	entries := lexicon.Entries()
	for i := range g.p.Lexemes {
		if l := &g.p.Lexemes[i]; l.From >= from && l.To <= to && g.tokens[l.From] != chat {
			f(entries[l.Entry].Class, l, &entries[l.Entry])
		}
	}
}

// slotOf returns what an entry says of a slot, "" for nothing.
func slotOf(e *lexicon.Entry, key string) string {
	for _, s := range e.Slots {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// has reports whether a lexeme of one of the classes lies in [from, to).
func (g *guard) has(from, to int32, classes ...string) bool {
	found := false
	g.classes(from, to, func(class string, _ *lexicon.Lexeme, _ *lexicon.Entry) {
		found = found || slices.Contains(classes, class)
	})
	return found
}

// window is the stretch of words around a number that belong to it: up to the
// numbers and the borders of clauses beside it.
func (g *guard) window(n *number) (from, to int32) {
	from, to = 0, int32(g.p.Tokens())
	for k := range g.numbers {
		if o := &g.numbers[k]; o.to <= n.from {
			from = max(from, o.to)
		} else if o.from >= n.to {
			to = min(to, o.from)
		}
	}
	g.classes(from, to, func(class string, l *lexicon.Lexeme, _ *lexicon.Entry) {
		switch class {
		case "COMMA", "STOP", "QUESTION", "SOFT", "AND", "OR", "BUT":
			if l.To <= n.from {
				from = max(from, l.To)
			} else if l.From >= n.to {
				to = min(to, l.From)
			}
		}
	})
	return from, to
}

// loose finds for each number that no agreed item has read the field that it is
// the value of, and for each field its number.
func (g *guard) loose() *objection {
	for k := range g.numbers {
		n := &g.numbers[k]
		if g.tokens[n.from] == agreed || g.tokens[n.from] == chat || g.enumerates(n) {
			continue
		}
		used := false
		for i := range g.fields {
			f := &g.fields[i]
			if !g.gives(n, f) || !g.quotes.allow(f.path, n.from, n.to) || !g.fits(n, f) {
				continue
			}
			used = true
			if !f.borne {
				f.borne = true
				g.alone = append(g.alone, loose{f, n})
			}
			f.at = append(f.at, [2]int32{n.from, n.to})
		}
		if !used && !g.isLength(n) {
			return leftOut(g.p.Text(n.from, n.to))
		}
	}
	return nil
}

// enumerates reports whether a number counts the lines of a list.
func (g *guard) enumerates(n *number) bool {
	before := n.from == 0 || g.breaks(n.from-1)
	return before && n.to == n.from+1 && g.tokens[n.from] == unread && n.to < int32(g.p.Tokens()) && g.breaks(n.to) && g.has(n.from, n.to, "INT")
}

func (g *guard) breaks(i int32) bool { return g.has(i, i+1, "STOP", "SOFT", "COLON", "RP") }

// isLength reports whether a number may name the length of the markets.
func (g *guard) isLength(n *number) bool {
	length, ok := strategy.Length(g.s.Market.Type)
	for _, i := range n.lexemes {
		if v := g.p.Lexemes[i].Value; ok && (v.N == int64(length) || v.N*60 == int64(length)) {
			return true
		}
	}
	return false
}

// fits reports whether the words around a number allow it to be the value of a
// field.
func (g *guard) fits(n *number, f *field) bool {
	from, to := g.window(n)
	if f.cond != nil {
		if f.kind == ofSeconds && f.cond.Type != strategy.TimeElapsed && f.cond.Type != strategy.TimeRemaining {
			return !g.has(from, to, "SELL", "TP", "SL", "HOLD", "TRAIL")
		}
		return g.typeFits(from, to, f.cond) && g.tokenFits(from, to, f.cond) && g.comparatorFits(n, from, to, f.cond)
	}
	return g.exitFits(from, to, f)
}

// exitWords are the classes of words that name an exit, a budget or a sample.
var exitWords = map[string][]string{
	"exit.take_profit": {"TP", "SELL"}, "exit.stop_loss": {"SL", "SELL", "LOSS"}, "exit.take_profit_offset": {"TP", "TPO", "GAIN", "SELL", "PLUSNUM"},
	"exit.stop_loss_offset": {"SL", "SLO", "LOSS", "SELL", "MINUSNUM"}, "exit.trailing_stop": {"TRAIL"},
}

func (g *guard) exitFits(from, to int32, f *field) bool {
	switch {
	case f.kind == ofBudget || f.kind == ofSample:
		return true
	case f.kind == ofSeconds:
		return !g.has(from, to, "TP", "SL", "TRAIL")
	}
	rivals := false
	for path, words := range exitWords {
		if path != f.path && g.has(from, to, words...) && !g.has(from, to, exitWords[f.path]...) {
			rivals = true
		}
	}
	return !rivals && !g.has(from, to, "QTY", "CMP", "LCMP") || g.has(from, to, exitWords[f.path]...)
}

// typeFits holds the type of a condition against the words for what is compared.
func (g *guard) typeFits(from, to int32, c *strategy.Condition) bool {
	named, times := map[string]bool{}, map[string]bool{}
	g.classes(from, to, func(class string, _ *lexicon.Lexeme, e *lexicon.Entry) {
		switch class {
		case "QTY":
			named[slotOf(e, "qty")] = true
		case "CANBUY", "PAY":
			named["ask"] = true
		case "LEFT", "LAST", "END":
			times["remaining"] = true
		case "GONE", "FIRST", "OPEN":
			times["elapsed"] = true
		}
	})
	switch c.Type {
	case strategy.TimeElapsed:
		return times["elapsed"] || !times["remaining"]
	case strategy.TimeRemaining:
		return times["remaining"] || !times["elapsed"]
	case strategy.Price, strategy.PriceChange:
		return len(named) == 0 || named["price"] || named["change"] || named[""]
	}
	for _, w := range typeWords[c.Type] {
		if named[w] {
			return true
		}
	}
	return false
}

// typeWords are the quantities whose words stand for a type.
var typeWords = map[strategy.Type][]string{
	strategy.BestAsk: {"ask"}, strategy.BestBid: {"bid"}, strategy.Spread: {"spread"}, strategy.AskDepth: {"askdepth", "depth", "ask"},
	strategy.BidDepth: {"biddepth", "depth", "bid"}, strategy.Imbalance: {"imbalance", "ratio", "depth", "askdepth", "biddepth", "bid", "ask"},
}

// tokenFits holds the token of a condition against those that the words name.
func (g *guard) tokenFits(from, to int32, c *strategy.Condition) bool {
	if c.Type.IsTime() {
		return true
	}
	named := map[strategy.Token]bool{}
	g.classes(from, to, func(class string, _ *lexicon.Lexeme, e *lexicon.Entry) {
		switch class {
		case "TOK":
			if t := slotOf(e, "tok"); t == "up" || t == "down" {
				named[strategy.Token(t)] = true
			}
		case "OTHER":
			named[g.s.Side.Other()] = true
		}
	})
	return len(named) == 0 && c.Token == g.s.Side.Held() || named[c.Token] || g.s.Side == strategy.Either && c.Token == strategy.TokenSame
}

var comparators = map[string]strategy.Comparator{
	"lt": strategy.LT, "lte": strategy.LTE, "gt": strategy.GT, "gte": strategy.GTE, "xa": strategy.CrossesAbove, "xb": strategy.CrossesBelow,
}

var negated = map[strategy.Comparator]strategy.Comparator{
	strategy.LT: strategy.GTE, strategy.LTE: strategy.GT, strategy.GT: strategy.LTE, strategy.GTE: strategy.LT,
}

// comparatorFits holds a comparator against the words for it around a number.
func (g *guard) comparatorFits(n *number, from, to int32, c *strategy.Condition) bool {
	var said []strategy.Comparator
	crossed, negation, strange := false, false, false
	g.classes(from, to, func(class string, l *lexicon.Lexeme, e *lexicon.Entry) {
		switch class {
		case "CMP", "LCMP", "POST":
			if k, ok := comparators[slotOf(e, "cmp")]; ok && (class == "POST") == (l.From >= n.to) {
				said = append(said, k)
			}
		case "CROSS":
			crossed = true
		case "NOT", "UNLESS", "AVOID":
			negation = true
		case "UNK":
			strange = true
		}
	})
	if crossed {
		return c.Comparator.IsCrossing() && (len(said) == 0 || slices.ContainsFunc(said, func(k strategy.Comparator) bool { return isLower(k) == isLower(c.Comparator) }))
	}
	if c.Comparator.IsCrossing() {
		return false
	}
	if negation {
		for i, k := range said {
			said[i] = negated[k]
		}
	}
	if len(said) == 0 {
		return strange || c.Comparator == strategy.LTE || c.Comparator == strategy.GTE
	}
	want := c.Comparator
	if slices.Contains(said, want) {
		return true
	}
	return c.Type == strategy.TimeElapsed && want == strategy.LTE && slices.Contains(said, strategy.LT)
}

// defaults objects to a field that no words bear out and that is no default.
func (g *guard) defaults() *objection {
	for i := range g.fields {
		f := &g.fields[i]
		implied := f.cond != nil && f.cond.Type == strategy.Price && f.want == micro/2 && g.has(0, int32(g.p.Tokens()), "FAV")
		open := f.kind == ofSeconds && f.want == strategy.Int(10) && g.has(0, int32(g.p.Tokens()), "OPEN")
		if !f.borne && !f.isDefault() && !implied && !open && !g.shared(f) {
			return ungrounded(f.path, f.want.String())
		}
	}
	return nil
}

// shared reports whether a field says what another one of the entry says: one
// window bounds every condition.
func (g *guard) shared(f *field) bool {
	return f.cond != nil && slices.ContainsFunc(g.fields, func(o field) bool {
		return o.borne && o.cond != nil && o.kind == f.kind && abs(int64(o.want)) == abs(int64(f.want)) && o.kind == ofSeconds
	})
}

// words holds coin, length, side and hold against the words of the prompt.
func (g *guard) words() *objection {
	n := int32(g.p.Tokens())
	coins, lengths, anyCoin, anyLen := map[string]bool{}, map[int64]bool{}, false, false
	lengthWord := false
	tokens := map[strategy.Side]bool{}
	either := false
	g.classes(0, n, func(class string, l *lexicon.Lexeme, e *lexicon.Entry) {
		switch class {
		case "COIN":
			coins[e.Name] = true
		case "ANYCOIN":
			anyCoin = true
		case "ANYLEN":
			anyLen = true
		case "LEN", "CLEN", "DUR":
			lengths[l.Value.N] = true
		case "LENWORD":
			if v, err := strconv.ParseInt(slotOf(e, "dur"), 10, 64); err == nil {
				lengths[v], lengthWord = true, true
			}
		case "TOK", "HIGHER":
			tokens[strategy.Side(slotOf(e, "tok"))] = true
		case "FAV", "EITHER", "OTHER", "OR":
			either = true
		}
	})
	switch m := &g.s.Market; {
	case m.Coin == strategy.Any && !anyCoin, m.Coin != strategy.Any && len(coins) > 0 && !coins[m.Coin], m.Coin != strategy.Any && len(coins) == 0 && (m.Coin != "BTC" || anyCoin):
		return ungrounded("market.coin", m.Coin)
	case !g.lengthFits(lengths, lengthWord, anyLen):
		return ungrounded("market.market_type", m.Type)
	}
	if side := g.s.Side; side == strategy.Either && !either && (!tokens[strategy.Up] || !tokens[strategy.Down]) ||
		side != strategy.Either && !tokens[side] && (len(tokens) > 0 || !either) {
		return ungrounded("side", string(side))
	}
	return g.holds()
}

func (g *guard) lengthFits(lengths map[int64]bool, lengthWord, anyLen bool) bool {
	for i := range g.part.Items {
		m := &g.part.Items[i].Meaning
		if m.Has(grammar.SlotLen) && g.tokens[g.part.Items[i].From] == agreed {
			return true
		}
	}
	length, ok := strategy.Length(g.s.Market.Type)
	switch {
	case g.s.Market.Type == strategy.Any || !ok:
		return anyLen
	case g.s.Market.Type == "15m" && !lengthWord && !anyLen:
		return true
	}
	return lengths[int64(length)] && !slices.ContainsFunc(g.part.Items, func(i grammar.Item) bool { return i.Meaning.Has(grammar.SlotLen) && !g.refusedAside(&i) })
}

// holds: a position is sold before the end only on words that say so.
func (g *guard) holds() *objection {
	e := &g.s.Exit
	if e.HoldToExpiry || e.ExitBeforeSeconds != 0 {
		return nil
	}
	if slices.ContainsFunc(g.fields, func(f field) bool { return f.path == "exit.hold_to_expiry" }) {
		return nil
	}
	for _, i := range g.part.Items {
		if i.Meaning.Has(grammar.SlotHold) && i.Meaning.Get(grammar.SlotHold) == grammar.HoldNo {
			return nil
		}
	}
	n := int32(g.p.Tokens())
	if g.has(0, n, "NOT", "AVOID") && g.has(0, n, "HOLD", "END", "RIDE", "ENDWORD") {
		return nil
	}
	return ungrounded("exit.hold_to_expiry", "false")
}
