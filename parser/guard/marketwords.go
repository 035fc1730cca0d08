package guard

import (
	"slices"
	"strconv"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
	"github.com/ladderback/ladderback/strategy"
)

// marketWords are what the words of a prompt say of the markets and of what is bought.
type marketWords struct {
	coins, names    map[string]bool // coins, and words that may name one
	lengths         map[int64]bool  // in millionths of a second
	tokens          map[strategy.Side]bool
	anyCoin, anyLen bool
	lengthWord      bool // "hourly"
	either          bool
	open            bool // no side is named, but that there are some
	or              bool // alternatives are named
	strange         bool // a word of no meaning stands right before a length
}

// note adds what a lexeme says; beside: a length stands behind it.
func (m *marketWords) note(class string, l *lexicon.Lexeme, e *lexicon.Entry, beside bool) {
	switch class {
	case "COIN":
		m.coins[e.Name] = true
	case "NAME":
		if m.names[e.Name] = true; beside { // "hype five minute"
			m.coins[e.Name] = true
		}
	case "ANYCOIN":
		m.anyCoin = true
	case "ANYLEN":
		m.anyLen = true
	case "LEN", "CLEN", "DUR":
		m.lengths[l.Value.N] = true
	case "LENWORD":
		if v, err := strconv.ParseInt(slotOf(e, "dur"), 10, 64); err == nil {
			m.lengths[v], m.lengthWord = true, true
		}
	case "TOK", "HIGHER":
		m.tokens[strategy.Side(slotOf(e, "tok"))] = true
	case "FAV", "EITHER", "OTHER", "OR":
		m.either = true
	}
}

// coinFits: a coin is named, or none is and it is the default.
func (m *marketWords) coinFits(coin string) bool {
	switch {
	case coin == strategy.Any:
		return m.anyCoin
	case len(m.coins) > 0:
		return m.coins[coin]
	}
	return m.names[coin] || coin == "BTC" && !m.anyCoin && !m.strange
}

// sideFits: a side is named, or words that leave it open; either side needs such
// words, or both.
func (m *marketWords) sideFits(side strategy.Side) bool {
	if side == strategy.Either {
		return m.either || m.open || m.tokens[strategy.Up] && m.tokens[strategy.Down]
	}
	return m.tokens[side] || len(m.tokens) == 0 && m.either
}

// words holds coin, length, side and hold against the words of the prompt.
func (g *guard) words() *Objection {
	m := &marketWords{strange: g.strangeCoin(), coins: map[string]bool{}, names: map[string]bool{}, lengths: map[int64]bool{}, tokens: map[strategy.Side]bool{}}
	g.classes(0, int32(g.p.Tokens()), func(class string, l *lexicon.Lexeme, e *lexicon.Entry) {
		m.note(class, l, e, g.has(l.To, min(l.To+2, int32(g.p.Tokens())), "LEN", "LENWORD"))
		m.or = m.or || (class == "OR" || class == "EITHER" || class == "ANYOF" || e.Name == "any") && !g.within(l)
	})
	if g.readSlot(grammar.SlotCoin) {
		m.coins, m.anyCoin = map[string]bool{g.s.Market.Coin: true}, g.s.Market.Coin == strategy.Any
	}
	if len(m.tokens) == 0 && !m.either {
		m.open = g.sideAside()
	}
	if g.refusedFor("anycoin") { // "ANY 5m"
		m.anyCoin, m.anyLen = len(m.lengths) > 0, len(m.coins) > 0
	}
	switch {
	case !m.coinFits(g.s.Market.Coin):
		return ungrounded("market.coin", g.s.Market.Coin)
	case !g.lengthFits(m):
		return ungrounded("market.market_type", g.s.Market.Type)
	case !m.sideFits(g.s.Side):
		return ungrounded("side", string(g.s.Side))
	case len(g.s.EntryAny) > 0 && !m.or:
		return ungrounded("entry_any", "alternatives")
	}
	return g.holds()
}

// strangeCoin reports whether a word of no meaning stands right before a length, or what is
// no coin behind its key.
func (g *guard) strangeCoin() bool {
	keyed := func(_ string, l *lexicon.Lexeme, e *lexicon.Entry) bool {
		return e.Name == "coin" && g.has(l.To, min(l.To+1, int32(g.p.Tokens())), "COLON", "EQ") && !g.has(l.To, min(l.To+4, int32(g.p.Tokens())), "COIN", "ANYCOIN", "NAME", "EITHER")
	}
	return g.some(0, int32(g.p.Tokens()), keyed) || slices.ContainsFunc(g.part.Unread, func(u [2]int32) bool {
		return g.has(u[1]-1, u[1], "UNK") && u[1] < int32(g.p.Tokens()) && slices.ContainsFunc(g.numbers, func(n lexicon.Number) bool {
			return n.From == u[1] && g.has(n.From, n.To, "LEN")
		})
	})
}

// sideAside reports whether the side is left open where no side is named: by a
// word for one, or around the market that a sentence is on.
func (g *guard) sideAside() bool {
	entries := lexicon.Entries()
	return slices.ContainsFunc(g.p.Lexemes, func(l lexicon.Lexeme) bool {
		if g.tokens[l.From] != chat {
			return entries[l.Entry].Class == "SIDE"
		}
		return entries[l.Entry].Class == "EITHER" && slices.ContainsFunc(g.part.Items, func(it grammar.Item) bool {
			lo, hi := g.sentenceAround(l.From, l.To)
			return it.Kind == "item.market" && lo <= it.From && it.To <= hi
		})
	})
}

// readSlot reports whether an item that the answer agrees with says a slot.
func (g *guard) readSlot(s grammar.Slot) bool {
	return slices.ContainsFunc(g.part.Items, func(i grammar.Item) bool {
		return i.Meaning.Has(s) && g.tokens[i.From] == agreed
	})
}

func (g *guard) lengthFits(m *marketWords) bool {
	if g.readSlot(grammar.SlotLen) {
		return true
	}
	length, ok := strategy.Length(g.s.Market.Type)
	switch {
	case g.s.Market.Type == strategy.Any || !ok:
		return m.anyLen
	case g.s.Market.Type == "15m" && !m.lengthWord && !m.anyLen:
		return true
	}
	return m.lengths[int64(length)] && !slices.ContainsFunc(g.part.Items, func(i grammar.Item) bool {
		return i.Meaning.Has(grammar.SlotLen) && grammar.LengthName(i.Meaning.Get(grammar.SlotLen)) != g.s.Market.Type && !g.refusedAside(&i)
	})
}

// holds: a position is sold before the end only on words that say so.
func (g *guard) holds() *Objection {
	e := &g.s.Exit
	if e.HoldToExpiry || e.ExitBeforeSeconds != 0 {
		return nil
	}
	for _, i := range g.part.Items {
		if i.Meaning.Has(grammar.SlotHold) && i.Meaning.Get(grammar.SlotHold) == grammar.HoldNo {
			return nil
		}
	}
	n := int32(g.p.Tokens())
	held := func(class string, l *lexicon.Lexeme, _ *lexicon.Entry) bool {
		return slices.Contains([]string{"HOLD", "END", "RIDE", "ENDWORD"}, class) && g.tokens[l.From] != agreed // "not in the last minute" is another thing
	}
	if g.has(0, n, "NOT", "AVOID") && g.some(0, n, held) {
		return nil
	}
	return ungrounded("exit.hold_to_expiry", "false")
}
