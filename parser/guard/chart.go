package guard

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
	"github.com/ladderback/ladderback/parser/meaning"
	"github.com/ladderback/ladderback/parser/roles"
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
	quotes Quotes

	tokens  []tokenState
	numbers []lexicon.Number
	fields  []field
	agreed  []strategy.Span   // what the chart and the answer agree on
	alone   []loose           // what the chart cannot judge
	used    []*lexicon.Number // numbers that no item says, and fields have
	says    [][2]int32        // the tokens of items that say more than to buy or to hold
	shown   bool              // what comes of it is shown to somebody, not believed
	doubts  []bool            // by token: the rules may take it for what it is not
	idles   func() [][2]int32 // the tokens of numbers that may be passed over in what is shown; nil: of none
}

type tokenState uint8

const (
	unread  tokenState = iota // the chart has no reading beside its neighbours'
	doubted                   // read, but beside unread words, and not as the answer says
	agreed                    // read as the answer says
	chat                      // commentary
)

// loose is a field whose words the chart cannot judge.
type loose struct {
	field *field
	n     *lexicon.Number
}

// newGuard prepares the judgement of an answer. p must stay open as long as the
// guard is used.
func newGuard(p *grammar.Parse, a *Answer, known *Known) *guard {
	s := a.Strategy.Strategy()
	g := &guard{p: p, part: p.Partial(), s: &s, quotes: a.Quotes, tokens: make([]tokenState, p.Tokens()), doubts: make([]bool, p.Tokens())}
	g.fields = fieldsOf(g.s)
	g.numbers = p.Numbers()
	for _, c := range g.part.Commentary {
		g.mark(c[0], c[1], chat)
	}
	if known.Weighed {
		g.idles = sync.OnceValue(func() [][2]int32 { return roles.Idle(p) })
	}
	return g
}

// doubt makes a guard one of what is offered: words that the rules may take for what they
// are not say nothing against it.
func (g *guard) doubt(words []strategy.Span) {
	g.shown = true
	for i := range g.doubts {
		at := g.p.Span(int32(i), int32(i)+1)
		g.doubts[i] = slices.ContainsFunc(words, func(w strategy.Span) bool { return int(at.Start) < w.End && w.Start < int(at.End) })
	}
}

// judge returns what the prompt has against the answer; nil: nothing. leftOver: nothing
// but words that no field comes from.
func (g *guard) judge() (wrong *Objection, leftOver bool) {
	if wrong := g.quotes.locate(g.p); wrong != nil {
		return wrong, false
	}
	for _, check := range []func() *Objection{g.items, g.loose, g.defaults, g.words} {
		if wrong := check(); wrong != nil {
			return wrong, false
		}
	}
	for _, check := range []func() *Objection{g.passedOver, g.leftover, g.quoted} {
		switch w := check(); {
		case w != nil && w.Outcome != unreadOutcome:
			return w, false
		case wrong == nil:
			wrong = w
		}
	}
	return wrong, wrong != nil
}

// byModelAlone lists the fields that no item of the chart says which the answer agrees
// with, or one behind words that were passed over, but for defaults.
func (g *guard) byModelAlone() (out []string) {
	put := func(path string) {
		if !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	if (g.s.Market.Coin != meaning.DefaultCoin || g.denied(grammar.SlotCoin)) && !g.said(grammar.SlotCoin) {
		put("market.coin")
	}
	if (g.s.Market.Type != meaning.DefaultType || g.denied(grammar.SlotLen)) && !g.said(grammar.SlotLen) {
		put("market.market_type")
	}
	if !g.said(grammar.SlotSide, grammar.SlotSoft, grammar.SlotHint, grammar.SlotFav) {
		put("side")
	}
	for i := range g.fields {
		f := &g.fields[i]
		switch {
		case f.isDefault(), f.said && g.sure(func(it *grammar.Item) bool { return slices.Contains(f.at, [2]int32{it.From, it.To}) }):
		case f.cond != nil:
			put(dotted(f.path[:strings.LastIndexByte(f.path, '.')]))
		default:
			put(f.path)
		}
	}
	if !g.s.Exit.HoldToExpiry && !g.said(grammar.SlotHold, grammar.SlotExitBefore, grammar.SlotExitAt, grammar.SlotExitPart) {
		put("exit.hold_to_expiry")
	}
	return out
}

// sure reports whether an item says something that the answer agrees with, and stands not
// behind words that were passed over.
func (g *guard) sure(says func(it *grammar.Item) bool) bool {
	return slices.ContainsFunc(g.part.Items, func(it grammar.Item) bool {
		return g.tokens[it.From] == agreed && says(&it) && !g.behindUnread(&it)
	})
}

// said reports whether that is one of some slots, which no item says otherwise.
func (g *guard) said(slots ...grammar.Slot) bool {
	says := func(it *grammar.Item) bool { return slices.ContainsFunc(slots, it.Meaning.Has) }
	return g.sure(says) && !g.denied(slots...)
}

// denied reports whether an item says one of some slots otherwise than the answer.
func (g *guard) denied(slots ...grammar.Slot) bool {
	return slices.ContainsFunc(g.part.Items, func(it grammar.Item) bool {
		return g.tokens[it.From] == doubted && slices.ContainsFunc(slots, it.Meaning.Has)
	})
}

// dotted writes a path as the trace does: entry[0].threshold as entry.0.threshold.
func dotted(path string) string { return strings.NewReplacer("[", ".", "]", "").Replace(path) }

func (g *guard) mark(from, to int32, s tokenState) {
	for i := from; i < to; i++ {
		g.tokens[i] = s
	}
}

// items holds the answer against each item that was read.
func (g *guard) items() *Objection {
	for i := range g.part.Items {
		it := &g.part.Items[i]
		if g.agrees(i) {
			g.mark(it.From, it.To, agreed)
			continue
		}
		corrected := i+1 < len(g.part.Items) && g.part.Items[i+1].Meaning.Has(grammar.SlotMend) || g.corrects(it)
		beside := g.besideUnread(it)
		if beside && !corrected && g.settled(it) && !g.mentioned(it) || !beside && !corrected && !it.Meaning.Has(grammar.SlotMend) && !g.refusedAside(it) {
			return contradicts(g.p.Text(it.From, g.p.WordsEnd(it.From, it.To)))
		}
		g.mark(it.From, it.To, doubted)
	}
	return nil
}

// corrects reports of what is shown whether words behind an item may correct it: "Down at 35c, no,
// better 32c", "edit: 32c".
func (g *guard) corrects(it *grammar.Item) bool {
	return g.shown && g.p.Some(it.To, int32(g.p.Tokens()), func(i int32) bool {
		return edits[g.p.Word(i)] || i < it.To+farCorrection && (rathers[g.p.Word(i)] || g.has(i, i+1, "MEAN"))
	})
}

// farCorrection is how many tokens behind words one may stand that corrects them.
const farCorrection = 6

// edits are words of a correction wherever they stand, rathers those of one near by.
var (
	edits   = lexicon.WordSet("edit edited typo correction changed")
	rathers = lexicon.WordSet("no better rather meant sorry")
)

// settled reports whether an item says what words beside it do not change: the
// side, the favorite, the coin, whether it is held to the end; and the answer says another.
func (g *guard) settled(it *grammar.Item) bool {
	return slices.ContainsFunc([]grammar.Slot{grammar.SlotSide, grammar.SlotFav, grammar.SlotCoin, grammar.SlotHold}, func(s grammar.Slot) bool {
		_, ok := g.slot(s, it.Meaning.Get(s))
		return it.Meaning.Has(s) && !ok
	})
}

// mentioned reports whether an item is a token alone among words passed over, in
// a sentence that gives no rule: "the crowd pays up for hope".
func (g *guard) mentioned(it *grammar.Item) bool {
	lo, hi := g.sentenceAround(it.From, it.To)
	return it.Kind == "item.head" && it.To == it.From+1 && hi-lo > 1 && it.Meaning.Conds() == nil && !g.has(lo, hi, ruleClasses[1:]...)
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
	return slices.Contains(g.doubts[it.From:it.To], true) ||
		slices.ContainsFunc(g.part.Unread, func(u [2]int32) bool { return u[0] >= it.To && u[0]-it.To <= 2 || u[1] <= it.From && it.From-u[1] <= 2 }) ||
		slices.ContainsFunc(g.part.Items, func(o grammar.Item) bool { return (o.To == it.From || o.From == it.To) && g.refusedAside(&o) })
}

// turned reports of what is shown whether words that were passed over turn a condition
// behind them: "skip anything wider than 3c".
func (g *guard) turned(it *grammar.Item) bool {
	return g.shown && g.behindUnread(it) && g.has(max(it.From-2, 0), it.From, "AVOID", "NOT", "UNLESS")
}

// behindUnread reports whether an item stands right behind words that were passed over.
func (g *guard) behindUnread(it *grammar.Item) bool {
	return slices.ContainsFunc(g.part.Unread, func(u [2]int32) bool { return u[1] <= it.From && it.From-u[1] <= 2 }) ||
		slices.ContainsFunc(g.part.Items, func(o grammar.Item) bool { return o.To == it.From && g.refusedAside(&o) })
}

// agrees reports whether all that an item says is in the answer, and notes the
// fields that it bears out.
func (g *guard) agrees(i int) bool {
	it := &g.part.Items[i]
	if g.refusedAside(it) || it.Meaning.Has(grammar.SlotWhy) || it.Meaning.Has(grammar.SlotMend) && len(g.part.Unread) == 0 {
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
		if !ok || g.turned(it) || g.besideUnread(it) && !g.named(it) || g.moveEndsAt(it.From) {
			return false
		}
		borne = append(borne, paths...)
	}
	g.bear(borne, it)
	if len(borne) > 0 {
		if !slices.Equal(borne, []string{"exit.hold_to_expiry"}) {
			g.says = append(g.says, [2]int32{it.From, it.To})
		}
		end := g.p.WordsEnd(it.From, it.To)
		g.agreed = append(g.agreed, meaning.SpanOf(g.p, it.From, end, borne[0]))
	}
	return true
}

// bear notes the fields that an item says.
func (g *guard) bear(paths []string, it *grammar.Item) {
	for k := range g.fields {
		if f := &g.fields[k]; slices.Contains(paths, f.path) {
			f.borne, f.said = true, true
			f.at = append(f.at, [2]int32{it.From, it.To})
		}
	}
}

// named reports whether the words passed over beside an item name no quantity
// that the answer's conditions do not have.
func (g *guard) named(it *grammar.Item) bool {
	other := func(class string, _ *lexicon.Lexeme, e *lexicon.Entry) bool {
		return (class == "QTY" || class == "CANBUY" || class == "PAY") && !g.hasType(class, e)
	}
	return !slices.ContainsFunc(g.part.Unread, func(u [2]int32) bool { return u[1] <= it.From && it.From-u[1] <= 2 && g.some(u[0], u[1], other) })
}

// hasType reports whether a condition of the answer is on a quantity.
func (g *guard) hasType(class string, e *lexicon.Entry) bool {
	want := slotOf(e, "qty")
	if class != "QTY" {
		want = "ask"
	}
	return want == "price" || want == "" || slices.ContainsFunc(g.fields, func(f field) bool {
		return f.cond != nil && slices.Contains(typeWords[f.cond.Type], want)
	})
}

// slot holds one slot against the answer, and returns the fields it bears out.
func (g *guard) slot(s grammar.Slot, v int64) ([]string, bool) {
	if f, ok := sideSlots[s]; ok {
		return f(g, v)
	}
	path := meaning.FieldOf(s)
	if have, ok := g.prices()[s]; ok {
		if v == grammar.None {
			return nil, have == nil
		}
		return []string{path}, have != nil && int64(*have) == v
	}
	if have, ok := g.amounts(v)[s]; ok {
		return []string{path}, have[0] == have[1]
	}
	if s == grammar.SlotSold {
		e := &g.s.Exit
		if e.StopLoss != nil && int64(*e.StopLoss) == v {
			return []string{"exit.stop_loss"}, true
		}
		return []string{path}, e.TakeProfit != nil && int64(*e.TakeProfit) == v
	}
	return nil, true
}

// prices are the answer's exits at a price, by slot.
func (g *guard) prices() map[grammar.Slot]*strategy.Number {
	e := &g.s.Exit
	return map[grammar.Slot]*strategy.Number{
		grammar.SlotTP: e.TakeProfit, grammar.SlotSL: e.StopLoss, grammar.SlotTPO: e.TakeProfitOffset, grammar.SlotSLO: e.StopLossOffset,
		grammar.SlotTrail: e.TrailingStop,
	}
}

// amounts are, by slot, what the answer has and what v means there.
func (g *guard) amounts(v int64) map[grammar.Slot][2]int64 {
	e := &g.s.Exit
	span, _ := strategy.Length(g.s.Market.Type)
	length, before := int64(span), int64(e.ExitBeforeSeconds)*micro
	hold := int64(grammar.HoldNo)
	if e.HoldToExpiry {
		hold = grammar.HoldYes
	}
	return map[grammar.Slot][2]int64{
		grammar.SlotBudget: {int64(g.s.BudgetPerTrade), v}, grammar.SlotSample: {int64(g.s.SampleSize) * micro, v},
		grammar.SlotMaxHold: {int64(e.MaxHoldSeconds) * micro, v}, grammar.SlotExitBefore: {before, v}, grammar.SlotExitAt: {before, length - v},
		grammar.SlotExitPart: {before, length - length*(v/100)/max(v%100, 1)}, grammar.SlotHold: {hold, v},
	}
}

// sideSlots hold the slots on the market and the side against the answer.
var sideSlots = map[grammar.Slot]func(*guard, int64) ([]string, bool){
	grammar.SlotCoin: func(g *guard, v int64) ([]string, bool) {
		coin := strategy.Any
		if v > 0 {
			coin = market.Coins()[v-1].Ticker
		}
		return []string{"market.coin"}, g.s.Market.Coin == coin
	},
	grammar.SlotLen: func(g *guard, v int64) ([]string, bool) {
		kind := strategy.Any
		if v > 0 {
			kind = grammar.LengthName(v)
		}
		return []string{"market.market_type"}, g.s.Market.Type == kind
	},
	grammar.SlotSide: func(g *guard, v int64) ([]string, bool) {
		return []string{"side"}, v > grammar.SideEither || g.s.Side == sides[v]
	},
	grammar.SlotSoft: softSide,
	grammar.SlotHint: softSide,
	grammar.SlotNotSide: func(g *guard, v int64) ([]string, bool) {
		return nil, v > grammar.SideEither || g.s.Side != sides[v]
	},
	grammar.SlotSellTok: func(g *guard, v int64) ([]string, bool) {
		return nil, v > grammar.SideEither || g.s.Side == sides[v]
	},
	grammar.SlotFav: func(g *guard, v int64) ([]string, bool) {
		return []string{"side"}, g.s.Side == strategy.Either && slices.ContainsFunc(g.s.Entry, func(c strategy.Condition) bool { return meaning.IsFavorite(c, v == grammar.FavLeader) })
	},
}

// softSide is a token without a word for buying: what is bought, unless other
// words say that.
func softSide(g *guard, v int64) ([]string, bool) {
	if v > grammar.SideEither {
		return nil, true
	}
	return []string{"side"}, g.saysSide() || g.s.Side == sides[v]
}

var sides = [...]strategy.Side{"", strategy.Up, strategy.Down, strategy.Either}

// saysSide reports whether an item says in so many words what is bought.
func (g *guard) saysSide() bool {
	return slices.ContainsFunc(g.part.Items, func(i grammar.Item) bool {
		return i.Meaning.Has(grammar.SlotSide) && i.Meaning.Get(grammar.SlotSide) <= grammar.SideEither
	})
}

// contradicts objects to an answer that says something else than words that
// were read.
func contradicts(words string) *Objection {
	return &Objection{
		Failure{Outcome: "contradicts", Note: fmt.Sprintf("the language model read %s otherwise than the rules", quotedWords(words))},
		fmt.Sprintf("compare it with the words %q of the sentence.", words),
	}
}

func ungrounded(path, value string) *Objection {
	return &Objection{
		Failure{Outcome: "ungrounded", Note: fmt.Sprintf("the language model's answer says %s for %s, which the prompt does not", value, path)},
		fmt.Sprintf("strategy.%s: %s does not come from the sentence, and it is no default.", path, value),
	}
}

// unreadOutcome is the outcome of an answer that leaves words of the prompt unread.
const unreadOutcome = "unread"

func leftOut(words string) *Objection {
	return &Objection{
		Failure{Outcome: unreadOutcome, Note: fmt.Sprintf("the language model left %s of the prompt unread", quotedWords(words))},
		fmt.Sprintf("the words %q of the sentence are in no field.", words),
	}
}

func quotedWords(words string) string { return strconv.Quote(words) }

// spans are the words that became each field, in the order of the prompt.
func (g *guard) spans() []strategy.Span {
	out := append([]strategy.Span{}, g.agreed...)
	for _, l := range g.alone {
		out = append(out, meaning.SpanOf(g.p, l.n.From, l.n.To, l.field.path))
	}
	for i := range out {
		out[i].Field = dotted(out[i].Field)
	}
	slices.SortFunc(out, func(a, b strategy.Span) int { return a.Start - b.Start })
	end := 0
	return slices.DeleteFunc(out, func(s strategy.Span) bool {
		if s.Start < end {
			return true
		}
		end = s.End
		return false
	})
}

// assumptions say what nothing but the model has read.
func (g *guard) assumptions() []strategy.Assumption {
	out := []strategy.Assumption{}
	none := func(named bool, path, value, what string) {
		if !named {
			out = append(out, strategy.Assumption{Field: path, Value: json.RawMessage(value), Why: "no " + what + " was named"})
		}
	}
	n := int32(g.p.Tokens())
	none(g.readSlot(grammar.SlotCoin) || g.has(0, n, "COIN", "ANYCOIN"), "market.coin", strconv.Quote(g.s.Market.Coin), "coin")
	none(g.readSlot(grammar.SlotLen) || g.has(0, n, "LENWORD", "LEN", "CLEN", "ANYLEN"), "market.market_type", strconv.Quote(g.s.Market.Type), "length of market")
	for _, f := range g.fields {
		if f.isDefault() {
			none(f.borne, f.path, f.want.String(), map[kind]string{ofBudget: "budget", ofSample: "number of markets"}[f.kind])
		}
	}
	for _, l := range g.alone {
		from, to := g.window(l.n)
		out = append(out, strategy.Assumption{Field: dotted(l.field.path), Value: json.RawMessage(l.field.want.String()), Why: "read by the language model alone: " + strconv.Quote(g.p.Text(from, to))})
	}
	for _, u := range g.part.Unread {
		if !slices.ContainsFunc(g.alone, func(l loose) bool { from, to := g.window(l.n); return u[0] < to && u[1] > from }) {
			words := strconv.Quote(g.p.Text(u[0], u[1]))
			out = append(out, strategy.Assumption{Field: "entry", Value: json.RawMessage(words), Why: "read by the language model alone: the rules do not know " + words})
		}
	}
	return out
}
