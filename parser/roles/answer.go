package roles

import (
	"math"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
	"github.com/ladderback/ladderback/parser/meaning"
	"github.com/ladderback/ladderback/strategy"
)

// newOrders is what an answer is behind by whose orders no prompt had that was learned from.
const newOrders = 40

// Behind says by how much less an answer is what a prompt says than what it most likely says: 0 for that. Not ok: the
// prompt does not have a number, the market, a side or a token of it, of which nothing is counted.
func Behind(p *grammar.Parse, c *strategy.Canonical) (by int, ok bool) {
	h := &held{t: newText(p), c: c, fields: Fields(c)}
	h.used = make([]bool, len(h.fields))
	h.length, _ = strategy.Length(c.Market().Type)
	h.told = h.t.each(h.number)
	d := &draft{t: h.t, p: p, roles: h.told}
	d.side = map[strategy.Side]int64{strategy.Up: grammar.SideUp, strategy.Down: grammar.SideDown, strategy.Either: grammar.SideEither}[c.Side()]
	ofWhole, ok := h.whole(p)
	ok = ok && h.says(d.slot(grammar.SlotFav)) && d.trades(c.Market()) && h.tokens(d) && (d.slot(grammar.SlotFav) == 0 || h.priced())
	return h.numbers() + ofWhole, ok
}

// held is an answer as it is held against a prompt.
type held struct {
	t      *text
	c      *strategy.Canonical
	fields []Field
	used   []bool // by field: a number of the prompt is it
	length market.Span
	told   []string // by number: its role, if the answer is right
	sums   [][]int  // by number: how much is said for each role
}

// number returns the likeliest of the roles that a number has in the answer. Where it is the value of a field that
// must be said and no number before it is, it is one of these.
func (h *held) number(k int, features []uint32) string {
	m := &theModel().roles
	sums := m.sums(features)
	h.sums = append(h.sums, sums)
	as, of, must := slices.Index(m.names, None), -1, false
	for j := range h.fields {
		i := slices.Index(m.names, h.fields[j].Role)
		if i < 0 || !h.may(k, j) {
			continue
		}
		needed := !h.used[j] && !h.fields[j].isDefault
		if needed && !must || needed == must && sums[i] > sums[as] {
			as, of, must = i, j, needed
		}
	}
	if of >= 0 {
		h.used[of] = true
	}
	return m.names[as]
}

// may reports whether number k may be that of field j; that of an order is none twice.
func (h *held) may(k, j int) bool {
	f := &h.fields[j]
	return f.Of(&h.t.numbers[k], h.length) && !(h.used[j] && ofOrder(f.Role))
}

// numbers is what the answer is behind by in its numbers. None of them is what another is that a strategy has once.
func (h *held) numbers() (by int) {
	names := theModel().roles.names
	for k, sums := range h.sums {
		own := sums[slices.Index(names, h.told[k])]
		best := own
		for i, s := range sums {
			once := exits[names[i]] != "" || names[i] == "within"
			if s > best && !(once && slices.Contains(h.told, names[i])) {
				best = s
			}
		}
		by += best - own
	}
	return by
}

// ofFavorites are the roles of the half dollar that favorites and underdogs are told by.
var ofFavorites = map[int64]string{grammar.FavLeader: "price.gt", grammar.FavDog: "price.lt"}

// says reports whether the prompt has the numbers of the answer, or names a favorite for one.
func (h *held) says(favorite int64) bool {
	for j := range h.fields {
		f := &h.fields[j]
		literal := ofOrder(f.Role) && f.kind == countKind // part of a shape that was learned, or none
		led := f.Role == ofFavorites[favorite] && f.n == lexicon.Micro/2
		if !h.used[j] && !f.isDefault && !literal && !led && !h.again(j) {
			return false
		}
	}
	return true
}

// trades reports whether the prompt may name the markets of an answer.
func (d *draft) trades(m strategy.MarketSpec) bool {
	coin := d.coin()
	if named := d.named("COIN"); coin == "" && (slices.Contains(named, m.Coin) || len(named) == 0 && m.Coin == meaning.DefaultCoin) {
		coin = m.Coin
	}
	return coin == m.Coin && d.marketType() == m.Type
}

// priced reports whether the answer bounds a price, as one of the favorite does.
func (h *held) priced() bool {
	return slices.ContainsFunc(conditions(h.c), func(c strategy.Condition) bool { return c.Type == strategy.Price })
}

// tokens reports whether the conditions of an answer are on the tokens that the prompt names beside their numbers,
// and those that are said in words on what is bought.
func (h *held) tokens(d *draft) bool {
	return !slices.ContainsFunc(conditions(h.c), func(c strategy.Condition) bool {
		f, may := fieldOf(&c), []string(nil)
		for k, role := range h.told {
			if role == f.Role && f.Of(&h.t.numbers[k], h.length) {
				may = append(may, d.token(k))
			}
		}
		if len(may) == 0 {
			may = []string{bought[h.c.Side()]}
		}
		return c.Token != strategy.TokenNone && !slices.Contains(may, ofTokens[c.Token])
	})
}

// bought says whose a value is that is of what is bought.
var bought = map[strategy.Side]string{strategy.Up: "Up's", strategy.Down: "Down's", strategy.Either: "its"}

// ofTokens says whose a condition's value is.
var ofTokens = map[strategy.Token]string{
	strategy.TokenUp: "Up's", strategy.TokenDown: "Down's", strategy.TokenSame: "its", strategy.TokenOpposite: "the other side's",
}

// whole is what the answer is behind by in what is told of the whole prompt.
func (h *held) whole(p *grammar.Parse) (by int, ok bool) {
	m, features := theModel(), h.t.shapeFeatures(h.told)
	behind := func(t *table, as string, of []int) (int, bool) {
		sums, i, best := t.sums(features), slices.Index(t.names, as), math.MinInt
		for j, s := range sums {
			if of == nil || slices.Contains(of, j) {
				best = max(best, s)
			}
		}
		if i < 0 || of != nil && !slices.Contains(of, i) {
			return 0, false
		}
		return best - sums[i], true
	}
	shape := Shape(h.c, h.fields, h.told)
	if by, ok = behind(&m.shapes, shape, Fitting(m.shapes.names, h.told)); !ok {
		by, ok = newOrders, shape != "" && h.whollySaid()
	}
	for q, answer := range Answers(p, h.c, shape) {
		if answer != "" || q == OfSide {
			n, is := behind(&m.asked[q], answer, nil)
			by, ok = by+n, ok && is
		}
	}
	return by, ok
}

// whollySaid reports whether the prompt has each number of the answer's orders, maybe once for several.
func (h *held) whollySaid() bool {
	for j := range h.fields {
		if f := &h.fields[j]; ofOrder(f.Role) && !h.used[j] && !h.again(j) {
			return false
		}
	}
	return true
}

// again reports whether a field is as much as one that a number of the prompt is: of orders, "$15 each", or of the
// same value.
func (h *held) again(j int) bool {
	f := &h.fields[j]
	of, _, _ := strings.Cut(f.Role, ".")
	for i := range h.fields {
		o := &h.fields[i]
		if h.used[i] && o.kind == f.kind && o.n == f.n && (ofOrder(f.Role) || strings.HasPrefix(o.Role, of)) {
			return true
		}
	}
	return false
}
