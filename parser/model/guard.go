package model

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
	"github.com/ladderback/ladderback/strategy"
)

const micro = lexicon.Micro

// guard holds an answer against the chart of a prompt that the rules do not read
// whole. What the cheapest way to read the prompt says, where words in between
// are passed over, must be in the answer; each number of the rest must be in a
// field that the words around it allow, and each field come from words.
type guard struct {
	p      *grammar.Parse
	part   grammar.Reading
	s      *strategy.Strategy
	quotes quotes

	tokens  []tokenState
	numbers []number
	fields  []field
	said    []strategy.Span // what the chart and the answer agree on
	alone   []loose         // what the chart cannot judge
}

type tokenState uint8

const (
	unread  tokenState = iota // the chart has no reading beside its neighbours'
	doubted                   // read, but beside unread words, and not as the answer says
	agreed                    // read as the answer says
	chat                      // commentary
)

// number is a number of the prompt with all that it may be.
type number struct {
	from, to int32
	lexemes  []int32
}

// loose is a field whose words the chart cannot judge.
type loose struct {
	field *field
	n     *number
}

// against judges an answer for a prompt that the rules do not read; nil: it
// counts. done is called with the guard that let it through.
func newGuard(p *grammar.Parse, a *answer) *guard {
	s := a.strategy.Strategy()
	g := &guard{p: p, part: p.Partial(), s: &s, quotes: a.quotes, tokens: make([]tokenState, p.Tokens())}
	g.fields = fieldsOf(g.s)
	g.numbers = numbersOf(p)
	return g
}

// judge returns what the prompt has against the answer; nil: nothing.
func (g *guard) judge() *objection {
	if wrong := g.quotes.locate(g.p); wrong != nil {
		return wrong
	}
	for _, c := range g.part.Commentary {
		g.mark(c[0], c[1], chat)
	}
	for _, check := range []func() *objection{g.items, g.loose, g.defaults, g.words, g.quoted} {
		if wrong := check(); wrong != nil {
			return wrong
		}
	}
	return nil
}

func (g *guard) mark(from, to int32, s tokenState) {
	for i := from; i < to; i++ {
		g.tokens[i] = s
	}
}

// items holds the answer against each item that was read.
func (g *guard) items() *objection {
	for i := range g.part.Items {
		it := &g.part.Items[i]
		if g.agrees(i) {
			g.mark(it.From, it.To, agreed)
			continue
		}
		corrected := i+1 < len(g.part.Items) && g.part.Items[i+1].Meaning.Has(grammar.SlotMend)
		if !g.besideUnread(it) && !corrected && !g.refusedAside(it) {
			return contradicts(g.p.Text(it.From, g.wordsEnd(it.From, it.To)))
		}
		g.mark(it.From, it.To, doubted)
	}
	return nil
}

// refusedAside reports whether an item is one that the object cannot say; those
// that stand in a rule are refused before a model is asked.
func (g *guard) refusedAside(it *grammar.Item) bool {
	no, outside := it.Refused()
	return no || outside
}

// besideUnread reports whether an item touches words that were passed over: they
// may change what it says.
func (g *guard) besideUnread(it *grammar.Item) bool {
	for _, u := range g.part.Unread {
		if u[0] == it.To || u[1] == it.From {
			return true
		}
	}
	for i := range g.part.Items {
		o := &g.part.Items[i]
		if (o.To == it.From || o.From == it.To) && g.refusedAside(o) {
			return true
		}
	}
	return false
}

func (g *guard) wordsEnd(from, to int32) int32 {
	end := from + 1
	for _, l := range g.p.Lexemes {
		if l.From >= from && l.To <= to {
			end = max(end, l.To)
		}
	}
	return end
}

// agrees reports whether all that an item says is in the answer, and notes the
// fields that it bears out.
func (g *guard) agrees(i int) bool {
	it := &g.part.Items[i]
	if g.refusedAside(it) || it.Meaning.Has(grammar.SlotWhy) {
		return false
	}
	var borne []string
	for _, s := range it.Meaning.Slots() {
		paths, ok := g.slot(s, it.Meaning.Get(s))
		if !ok {
			return false
		}
		borne = append(borne, paths...)
	}
	x := it.Meaning.Conds()
	if x != nil {
		paths, ok := g.conditions(x)
		if !ok {
			return false
		}
		borne = append(borne, paths...)
	}
	for k := range g.fields {
		if slices.Contains(borne, g.fields[k].path) {
			g.fields[k].borne = true
			g.fields[k].at = append(g.fields[k].at, [2]int32{it.From, it.To})
		}
	}
	if len(borne) > 0 {
		end := g.wordsEnd(it.From, it.To)
		s := g.p.Span(it.From, end)
		g.said = append(g.said, strategy.Span{Start: int(s.Start), End: int(s.End), Text: g.p.Text(it.From, end), Field: borne[0]})
	}
	return true
}

// slot holds one slot against the answer, and returns the fields it bears out.
func (g *guard) slot(s grammar.Slot, v int64) ([]string, bool) {
	e := &g.s.Exit
	length, _ := strategy.Length(g.s.Market.Type)
	price := func(path string, have *strategy.Number) ([]string, bool) {
		if v == grammar.None {
			return nil, have == nil
		}
		return []string{path}, have != nil && int64(*have) == v
	}
	seconds := func(path string, have int, want int64) ([]string, bool) {
		return []string{path}, want == int64(have)*micro
	}
	switch s {
	case grammar.SlotCoin:
		coin := strategy.Any
		if v > 0 {
			coin = market.Coins()[v-1].Ticker
		}
		return []string{"market.coin"}, g.s.Market.Coin == coin
	case grammar.SlotLen:
		kind := strategy.Any
		if v > 0 {
			kind = grammar.LengthName(v)
		}
		return []string{"market.market_type"}, g.s.Market.Type == kind
	case grammar.SlotSide:
		return []string{"side"}, v > grammar.SideEither || g.s.Side == sides[v]
	case grammar.SlotSoft, grammar.SlotHint:
		return []string{"side"}, v > grammar.SideEither || g.saysSide() || g.s.Side == sides[v]
	case grammar.SlotNotSide:
		return nil, v > grammar.SideEither || g.s.Side != sides[v]
	case grammar.SlotFav:
		return []string{"side"}, g.s.Side == strategy.Either && g.favorite(v == grammar.FavLeader)
	case grammar.SlotBudget:
		return []string{"budget_per_trade"}, int64(g.s.BudgetPerTrade) == v
	case grammar.SlotSample:
		return seconds("sample_size", g.s.SampleSize, v)
	case grammar.SlotTP:
		return price("exit.take_profit", e.TakeProfit)
	case grammar.SlotSL:
		return price("exit.stop_loss", e.StopLoss)
	case grammar.SlotTPO:
		return price("exit.take_profit_offset", e.TakeProfitOffset)
	case grammar.SlotSLO:
		return price("exit.stop_loss_offset", e.StopLossOffset)
	case grammar.SlotTrail:
		return price("exit.trailing_stop", e.TrailingStop)
	case grammar.SlotMaxHold:
		return seconds("exit.max_hold_seconds", e.MaxHoldSeconds, v)
	case grammar.SlotExitBefore:
		return seconds("exit.exit_before_seconds", e.ExitBeforeSeconds, v)
	case grammar.SlotExitAt:
		return seconds("exit.exit_before_seconds", e.ExitBeforeSeconds, int64(length)-v)
	case grammar.SlotExitPart:
		return seconds("exit.exit_before_seconds", e.ExitBeforeSeconds, int64(length)-int64(length)*(v/100)/(v%100))
	case grammar.SlotHold:
		return []string{"exit.hold_to_expiry"}, e.HoldToExpiry == (v == grammar.HoldYes)
	case grammar.SlotSold:
		if e.StopLoss != nil && int64(*e.StopLoss) == v {
			return []string{"exit.stop_loss"}, true
		}
		return price("exit.take_profit", e.TakeProfit)
	}
	return nil, true
}

var sides = [...]strategy.Side{"", strategy.Up, strategy.Down, strategy.Either}

// saysSide reports whether an item says in so many words what is bought.
func (g *guard) saysSide() bool {
	return slices.ContainsFunc(g.part.Items, func(i grammar.Item) bool {
		return i.Meaning.Has(grammar.SlotSide) && i.Meaning.Get(grammar.SlotSide) <= grammar.SideEither
	})
}

// favorite reports whether the answer has what a favorite or underdog implies.
func (g *guard) favorite(leader bool) bool {
	const half = micro / 2
	return slices.ContainsFunc(g.s.Entry, func(c strategy.Condition) bool {
		if c.Type != strategy.Price || c.Token != strategy.TokenSame {
			return false
		}
		return leader && isLower(c.Comparator) && c.Threshold >= half || !leader && !isLower(c.Comparator) && c.Threshold <= half
	})
}

// isLower reports whether a comparator bounds from below.
func isLower(c strategy.Comparator) bool {
	return c == strategy.GT || c == strategy.GTE || c == strategy.CrossesAbove
}

// contradicts objects to an answer that says something else than words that
// were read.
func contradicts(words string) *objection {
	return &objection{
		Failure{Outcome: "contradicts", Note: fmt.Sprintf("the language model read %s otherwise than the rules", quotedWords(words))},
		fmt.Sprintf("compare it with the words %q of the sentence.", words),
	}
}

func ungrounded(path, value string) *objection {
	return &objection{
		Failure{Outcome: "ungrounded", Note: fmt.Sprintf("the language model's answer says %s for %s, which the prompt does not", value, path)},
		fmt.Sprintf("strategy.%s: %s does not come from the sentence, and it is no default.", path, value),
	}
}

func leftOut(words string) *objection {
	return &objection{
		Failure{Outcome: "unread", Note: fmt.Sprintf("the language model left %s of the prompt unread", quotedWords(words))},
		fmt.Sprintf("the words %q of the sentence are in no field.", words),
	}
}

func quotedWords(words string) string { return strconv.Quote(words) }

// spans are the words that became each field, in the order of the prompt.
func (g *guard) spans() []strategy.Span {
	out := append([]strategy.Span{}, g.said...)
	for _, l := range g.alone {
		s := g.p.Span(l.n.from, l.n.to)
		out = append(out, strategy.Span{Start: int(s.Start), End: int(s.End), Text: g.p.Text(l.n.from, l.n.to), Field: l.field.path})
	}
	for i := range out {
		out[i].Field = strings.NewReplacer("[", ".", "]", "").Replace(out[i].Field)
	}
	slices.SortFunc(out, func(a, b strategy.Span) int { return a.Start - b.Start })
	return slices.CompactFunc(out, func(a, b strategy.Span) bool { return a.End > b.Start })
}

// assumptions say what nothing but the model has read.
func (g *guard) assumptions() []strategy.Assumption {
	out := []strategy.Assumption{}
	for _, l := range g.alone {
		from, to := g.window(l.n)
		path := strings.NewReplacer("[", ".", "]", "").Replace(l.field.path)
		out = append(out, strategy.Assumption{Field: path, Value: json.RawMessage(l.field.want.String()), Why: "read by the language model alone: " + strconv.Quote(g.p.Text(from, to))})
	}
	for _, u := range g.part.Unread {
		if !slices.ContainsFunc(g.alone, func(l loose) bool { from, to := g.window(l.n); return u[0] < to && u[1] > from }) {
			words := strconv.Quote(g.p.Text(u[0], u[1]))
			out = append(out, strategy.Assumption{Field: "entry", Value: json.RawMessage(words), Why: "read by the language model alone: the rules do not know " + words})
		}
	}
	return out
}
