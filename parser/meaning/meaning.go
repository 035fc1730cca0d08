package meaning

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
	"github.com/ladderback/ladderback/strategy"
)

// Defaults of what a prompt does not say.
const (
	DefaultCoin   = "BTC"
	DefaultType   = "15m"
	DefaultBudget = 100 // dollars
	DefaultSample = 50
	// OpenSeconds is what "at the open" bounds the entry to, beside other
	// conditions.
	OpenSeconds = 10
)

const micro = lexicon.Micro

// Overrides are the request's own values. They override the prompt's.
type Overrides struct {
	SampleSize *int
	Budget     *strategy.Number
	// Limit is where the entry rests, which bounds what it pays; nil: it takes, or
	// no price is said. It is not the request's, but of the prompt beside the items.
	Limit *strategy.Number
	// Ordered reports that orders are said beside the items.
	Ordered bool
}

// Apply puts the values in the place of a strategy's, and calls own with the field
// and the value, as JSON, of each.
func (o Overrides) Apply(s *strategy.Strategy, own func(field, value string)) {
	if o.Budget != nil {
		s.BudgetPerTrade = *o.Budget
		own("budget_per_trade", o.Budget.String())
	}
	if o.SampleSize != nil {
		s.SampleSize = *o.SampleSize
		own("sample_size", strconv.Itoa(*o.SampleSize))
	}
}

// Result is the strategy of a prompt, and where each part came from.
type Result struct {
	Strategy strategy.Canonical
	// Said has the field paths of the market, the exits, the budget and the sample
	// that an item set, or waived. The others are defaults.
	Said map[string]bool
	// Notes are values that a reading rule added or chose.
	Notes []strategy.Assumption
}

// condition is a condition with the item that said it.
type condition struct {
	grammar.Cond
	item int
}

// builder joins items.
type builder struct {
	items   []grammar.Item
	second  *soldAt              // a second price to sell at, nil: none
	all     grammar.Meaning      // the slots of all items, but for those of the side
	by      map[grammar.Slot]int // the item that says a slot
	entry   []*condition
	any     [][]*condition
	anyItem int
	side    int64
	soft    int64 // of tokens at the head; -1: two of them
	hint    int64 // of conditions without a word before them; -1: two
	other   bool  // "the other side" is bought
	waived  map[grammar.Slot]int
	bareOr  bool
	exprs   int          // items with conditions
	last    []*condition // of the entry, by the last item
	notes   []strategy.Assumption
	fault   *Fault

	s      strategy.Strategy
	length int64 // of the market in seconds
}

// Build makes the canonical strategy of items. Either the result or the
// fault is nil.
func Build(items []grammar.Item, o Overrides) (*Result, *Fault) {
	b := &builder{items: items, by: map[grammar.Slot]int{}, waived: map[grammar.Slot]int{}, anyItem: -1}
	if o.Limit != nil {
		b.s.Order = &strategy.Order{RestAt: o.Limit}
	}
	for i := range items {
		b.follow(i)
		b.add(i, items[i].Meaning)
	}
	for _, stage := range [...]func(){b.bought, b.markets, b.conditions, b.favorite, b.repeats, b.exits, func() { b.money(o) }} {
		if b.fault == nil {
			stage()
		}
	}
	if b.fault != nil {
		return nil, b.fault
	}
	b.s.Entry = strategy.Fold(b.s.Entry) // folded times do not count as conditions
	for i := range b.s.EntryAny {
		b.s.EntryAny[i] = strategy.Fold(b.s.EntryAny[i])
	}
	c, err := strategy.Canonicalize(b.s)
	if err != nil {
		return nil, b.invalid(err)
	}
	return &Result{Strategy: c, Said: b.said(), Notes: b.notes}, nil
}

// follow judges item i by those before it.
func (b *builder) follow(i int) {
	switch kind := b.items[i].Kind; {
	case kind == "item.wait" && b.exprs > 0:
		b.fail(Unclear, "one thing after another cannot be said: all conditions hold at one instant", i)
	case kind == "item.orexit" && !b.isExit(i-1):
		b.fail(Unclear, "buying or selling? say \"buy … and sell at …\"", i)
	case kind == "item.head" && i > 0 && b.items[i-1].Kind == "item.if":
		x := b.items[i].Meaning.Conds()
		b.bareOr = b.bareOr || x != nil && len(x.Any) > 0
	}
}

// isExit reports whether item i says when to sell.
func (b *builder) isExit(i int) bool {
	return i >= 0 && slices.Contains([]string{"item.exit", "item.offset", "item.orexit", "item.atexit"}, b.items[i].Kind) &&
		!slices.Contains(slices.Collect(maps.Values(b.waived)), i)
}

// add joins one item to those before it.
func (b *builder) add(i int, m grammar.Meaning) {
	x := m.Conds()
	if _, ok := m.Take(grammar.SlotMend); ok {
		b.mend(i, &m, x)
		x = nil
	}
	b.addSide(i, &m, x)
	for _, s := range [...]grammar.Slot{grammar.SlotTP, grammar.SlotSL} {
		if m.Has(s) && m.Get(s) == grammar.None {
			m.Drop(s)
			b.waived[s] = i
		}
	}
	_, bareOr := m.Take(grammar.SlotBareOr)
	b.bareOr = b.bareOr || bareOr
	if _, ok := m.Take(grammar.SlotLoose); ok {
		b.fail(Unclear, "what belongs to which alternative? say \"A and (B or C)\" or \"A or (B and in the last minute)\"", i)
	}
	for _, s := range m.Slots() {
		switch v := m.Get(s); {
		case s == grammar.SlotWhy, s == grammar.SlotComma:
		case !b.all.Has(s) || b.all.Get(s) == v:
			b.set(s, v, i)
		case s == grammar.SlotSold && b.second == nil:
			b.second = &soldAt{v, i}
		default:
			b.fail(Contradicts, InWords("two values for strategy."+slotFields[s]+"; give one"), b.by[s], i)
			return
		}
	}
	b.addConds(i, x)
}

// set says a slot, by item i.
func (b *builder) set(s grammar.Slot, v int64, i int) {
	b.all.Set(s, v)
	b.by[s] = i
}

// at is the item that says a slot, -1 for none.
func (b *builder) at(s grammar.Slot) int {
	if i, ok := b.by[s]; ok {
		return i
	}
	return -1
}

func (b *builder) addConds(i int, x *grammar.Expr) {
	if b.items[i].Kind != "item.market" {
		b.last = nil
	}
	if x == nil || len(x.All)+len(x.Any) == 0 {
		return
	}
	b.exprs++
	by := func(list []grammar.Cond) (out []*condition) {
		for _, c := range list {
			out = append(out, &condition{c, i})
		}
		return out
	}
	b.last = by(x.All)
	b.entry = append(b.entry, b.last...)
	if len(x.Any) > 0 && len(b.any) > 0 {
		b.fail(Unclear, "two lists of alternatives: give them as one", b.anyItem, i)
	}
	for _, g := range x.Any {
		b.any, b.anyItem = append(b.any, by(g)), i
	}
}

// conds lists the conditions, those of the alternatives last.
func (b *builder) conds() []*condition {
	return slices.Concat(b.entry, slices.Concat(b.any...))
}

// addSide notes what an item says is bought.
func (b *builder) addSide(i int, m *grammar.Meaning, x *grammar.Expr) {
	const two = "two sides: a strategy buys one; say Up, Down or \"either side\""
	if v, ok := m.Take(grammar.SlotSide); ok {
		switch {
		case v == grammar.SideOther:
			b.other = true
		case v == grammar.SideIt:
		case b.side != 0 && b.side != v:
			b.fail(Contradicts, two, b.by[grammar.SlotSide], i)
		default:
			b.side, b.by[grammar.SlotSide] = v, i
		}
	}
	if v, ok := m.Take(grammar.SlotSoft); ok {
		if b.soft == 0 {
			b.by[grammar.SlotSoft] = i
		}
		b.soft = agreed(b.soft, v)
		if b.side != 0 && b.side != v && b.side != grammar.SideEither && v != grammar.SideIt && onlyPrices(x) {
			b.fail(Contradicts, two, b.by[grammar.SlotSide], i)
		}
	}
	if v, ok := m.Take(grammar.SlotHint); ok {
		b.hint = agreed(b.hint, v)
	}
}

// agreed is the one of two tokens that are said, -1 where they differ.
func agreed(was, is int64) int64 {
	if was == 0 || was == is {
		return is
	}
	return -1
}

// onlyPrices reports whether all conditions are on the price alone.
func onlyPrices(x *grammar.Expr) bool {
	return (x == nil || len(x.All) > 0) && x.Every(func(c *grammar.Cond) bool { return c.Qty <= grammar.Price })
}

// mend takes back what item i corrects.
func (b *builder) mend(i int, m *grammar.Meaning, x *grammar.Expr) {
	told := false
	if b.second != nil && m.Has(grammar.SlotSold) {
		b.fail(NothingToFix, "which of the two prices to sell at is corrected? say it once more", i)
	}
	for _, s := range m.Slots() {
		if b.all.Has(s) {
			b.all.Drop(s)
			told = true
		}
	}
	if m.Has(grammar.SlotSide) {
		told = b.mendSide(i, x) || told
	}
	if x == nil && !told || x != nil && (len(x.All) != 1 || len(x.Any) > 0 || !b.mendOne(x.All[0], i)) {
		b.fail(NothingToFix, "nothing was said before that this corrects", i)
	}
}

// mendOne puts a condition, with what it does not say itself, in the place of the
// only one of its kind, on the time or on something else, that was said last.
func (b *builder) mendOne(is grammar.Cond, i int) bool {
	of := slices.DeleteFunc(slices.Clone(b.last), func(k *condition) bool { return k.IsTime() != is.IsTime() })
	if len(of) != 1 {
		return false
	}
	was := of[0]
	if is.Bare && !was.IsTime() {
		n := is.Num
		if is = was.Cond; is.Qty == grammar.Change && is.Num < 0 && n > 0 { // a fall of another size
			n = -n
		}
		is.Num = n
	}
	is.Tok, is.Qty = cmp.Or(is.Tok, was.Tok), cmp.Or(is.Qty, was.Qty)
	*was = condition{is, i}
	return true
}

// mendSide takes back which token is bought, and reports whether that was said.
func (b *builder) mendSide(i int, x *grammar.Expr) bool {
	if x == nil && slices.ContainsFunc(b.last, func(k *condition) bool { return isOneOf(k.Tok, grammar.SideUp, grammar.SideDown) }) {
		b.fail(NothingToFix, "is the token that is bought corrected, or the one of the condition? say it once more", i)
	}
	told := b.side != 0 || b.soft != 0
	b.side, b.soft = 0, 0
	return told
}

// bought settles the side.
func (b *builder) bought() {
	if b.bareOr && b.exprs > 1 {
		b.fail(Unclear, "\"and\" or \"or\": which goes first? say \"A and (B or C)\"", b.anyItem)
		return
	}
	b.looseSide()
	named := b.named(func(*condition) bool { return true })
	switch {
	case b.side == 0 && b.all.Has(grammar.SlotBuy) && (named == grammar.SideUp || named == grammar.SideDown):
		b.side = named
		if b.other {
			b.side = grammar.SideUp + grammar.SideDown - named
		}
	case b.other:
		b.fail(NoSide, "the other side of which? name Up or Down")
	case b.side == 0:
		b.fail(NoSide, NoPurchase)
	}
	if b.fault != nil {
		return
	}
	if v := b.all.Get(grammar.SlotNotSide); v == b.side {
		b.fail(Contradicts, "the side that is bought is also said not to be", b.by[grammar.SlotNotSide])
	}
	if b.all.Has(grammar.SlotSellTok) && b.all.Get(grammar.SlotSellTok) != b.side {
		b.fail(Unclear, "exits are prices of the token bought, and so is what is paid", b.by[grammar.SlotSellTok])
	}
	b.s.Side = [...]strategy.Side{"", strategy.Up, strategy.Down, strategy.Either}[b.side]
}

// looseSide takes a token at the head, or of a condition, for what is bought.
func (b *builder) looseSide() {
	if b.side != 0 {
		return
	}
	noIf := func(k *condition) bool { return b.items[k.item].Kind != "item.if" }
	switch {
	case b.soft == -1, b.hint > 0 && b.soft > 0 && b.soft <= grammar.SideDown && b.soft != b.hint,
		!b.all.Has(grammar.SlotBuy) && b.named(noIf) == grammar.SideEither:
		b.fail(TwoTokens, "two tokens: which one is bought? say \"buy Up\" or \"buy Down\"", b.at(grammar.SlotSoft))
	case b.soft != 0 && b.soft != grammar.SideIt:
		b.side, b.by[grammar.SlotSide] = b.soft, b.at(grammar.SlotSoft)
	case b.hint > 0 && !b.other:
		b.side = b.hint
	}
}

// named is the token that the conditions name which count: SideEither where that is
// both, 0 for none.
func (b *builder) named(counts func(*condition) bool) (of int64) {
	for _, k := range b.conds() {
		if k.Tok <= grammar.SideDown && counts(k) {
			of |= int64(k.Tok)
		}
	}
	return of
}

// markets settles the coin and the length.
func (b *builder) markets() {
	m := &b.s.Market
	*m = strategy.MarketSpec{Coin: DefaultCoin, Type: DefaultType}
	switch v := b.all.Get(grammar.SlotCoin); {
	case v > 0:
		m.Coin = market.Coins()[v-1].Ticker
	case v == grammar.None:
		m.Coin = strategy.Any
	}
	switch v := b.all.Get(grammar.SlotLen); {
	case v > 0:
		m.Type = grammar.LengthName(v)
	case v == grammar.None:
		m.Type = strategy.Any
	}
	d, _ := strategy.Length(m.Type)
	b.length = int64(d / market.Second)
}

// part is a part of the round, num × 100 + den, in 1e-6 s.
func (b *builder) part(v int64, item int) int64 {
	if b.s.Market.Type == strategy.Any {
		b.fail(Unclear, "a part of the round needs a length of market; say 5m, 15m, 1h, 4h or 1d, or give minutes", item)
		return 0
	}
	n := b.length * (v / 100)
	if n*micro%(v%100) != 0 {
		b.fail(Unclear, "this part of the round is not a whole number of seconds; give seconds", item)
	}
	return n * micro / (v % 100)
}

// money settles budget and sample.
func (b *builder) money(o Overrides) {
	b.s.BudgetPerTrade, b.s.SampleSize = strategy.Int(DefaultBudget), DefaultSample
	if b.all.Has(grammar.SlotBudget) {
		b.s.BudgetPerTrade = strategy.Number(b.all.Get(grammar.SlotBudget))
	}
	if b.all.Has(grammar.SlotSample) {
		b.s.SampleSize = b.whole(grammar.SlotSample)
	}
	o.Apply(&b.s, func(field, value string) {
		if b.said()[field] {
			b.note(field, value, "the request's own value is used, not the prompt's")
		}
	})
}

// note says that a reading rule set a field to a value, in JSON.
func (b *builder) note(field, value, why string) {
	b.notes = append(b.notes, strategy.Assumption{Field: field, Value: json.RawMessage(value), Why: why})
}

// whole is a slot in whole units.
func (b *builder) whole(s grammar.Slot) int {
	v := b.all.Get(s)
	if v%micro != 0 || v <= 0 || v > 1e15 {
		b.fail(Unclear, "this is not a whole number; give whole seconds", b.by[s])
		return 0
	}
	return int(v / micro)
}

// said has the fields that are said, or waived.
func (b *builder) said() map[string]bool {
	out := map[string]bool{}
	for s, path := range slotFields {
		_, waived := b.waived[s]
		out[path] = out[path] || waived || b.all.Has(s)
	}
	return out
}

// slotFields are the fields that slots go into.
var slotFields = map[grammar.Slot]string{
	grammar.SlotCoin: "market.coin", grammar.SlotLen: "market.market_type", grammar.SlotBudget: "budget_per_trade", grammar.SlotSample: "sample_size",
	grammar.SlotTP: "exit.take_profit", grammar.SlotSL: "exit.stop_loss", grammar.SlotTPO: "exit.take_profit_offset", grammar.SlotSLO: "exit.stop_loss_offset",
	grammar.SlotTrail: "exit.trailing_stop", grammar.SlotMaxHold: "exit.max_hold_seconds", grammar.SlotExitBefore: "exit.exit_before_seconds",
	grammar.SlotExitAt: "exit.exit_before_seconds", grammar.SlotExitPart: "exit.exit_before_seconds", grammar.SlotHold: "exit.hold_to_expiry",
	grammar.SlotSold: "exit.take_profit", grammar.SlotBuy: "side", grammar.SlotFav: "side", grammar.SlotNotSide: "side", grammar.SlotOpen: "entry",
	grammar.SlotSide: "side", grammar.SlotSoft: "side", grammar.SlotHint: "side", grammar.SlotSellTok: "side",
}

// SpanOf returns the words of the tokens [from, to), which set a field.
func SpanOf(p *grammar.Parse, from, to int32, field string) strategy.Span {
	s := p.Span(from, to)
	return strategy.Span{Start: int(s.Start), End: int(s.End), Text: p.Text(from, to), Field: field}
}

// FieldOf returns the path of the field that a slot sets.
func FieldOf(s grammar.Slot) string { return slotFields[s] }
