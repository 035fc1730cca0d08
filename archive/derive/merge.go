package derive

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// said is what one source says of a market.
type said struct {
	source store.SourceID
	owner  store.ID
	doc    *MarketDoc
	// seriesSlug is the slug of the series that doc names; empty: none, or not
	// known.
	seriesSlug string
}

// readSaid appends what claims about markets say.
func readSaid(to []said, claims []store.Claim) ([]said, error) {
	for i := range claims {
		d, err := Decode[MarketDoc](&claims[i])
		if err != nil {
			return nil, err
		}
		to = append(to, said{source: claims[i].Source, owner: claims[i].Owner, doc: d})
	}
	return to, nil
}

// byWeight orders claims so that the first to say something is the one that
// counts: higher authority, then the later update, then an order of sources
// that depends on nothing but the sources.
func byWeight(a, b said) int {
	return cmp.Or(
		cmp.Compare(b.doc.Authority, a.doc.Authority),
		cmp.Compare(b.doc.UpdatedAt, a.doc.UpdatedAt),
		cmp.Compare(a.source, b.source),
		cmp.Compare(a.owner, b.owner),
	)
}

// tokenOf names a token as one source knows it.
type tokenOf struct {
	source store.SourceID
	owner  store.ID
	index  int
}

// merged is a market as the claims about it give it, before its captures.
type merged struct {
	market market.Market
	// place maps each source's tokens to indices in market.Tokens; a token that
	// no source gives a place is not in it.
	place    map[tokenOf]int
	keys     map[store.ID]int // the same by block key
	gaps     []market.TokenGap
	disputed bool
	undated  bool // the end is not known
	noStart  bool
}

// mergeClaims makes one market of what sources say of it. venueID is its public
// id. The order of claims does not matter.
func mergeClaims(v market.Venue, venueID string, claims []said) *merged {
	claims = slices.Clone(claims)
	slices.SortFunc(claims, byWeight)
	m := &merged{place: map[tokenOf]int{}, keys: map[store.ID]int{}}
	m.market.Venue, m.market.VenueID = v, venueID
	m.mergeFields(claims)
	m.deriveRound(claims)
	m.placeTokens(claims)
	m.mergePayout(claims)
	m.mergeGaps(claims)
	return m
}

func (m *merged) mergeFields(claims []said) {
	k := &m.market
	for _, c := range claims {
		d := c.doc
		fill(&k.AltID, d.AltID)
		fill(&k.Slug, d.Slug)
		fill(&k.Question, d.Question)
		fill(&k.Description, d.Description)
		fill(&k.Category, d.Category)
		fill(&k.EventID, d.EventID)
		fill(&k.SeriesID, d.SeriesID)
		fill(&k.Start, market.Instant(d.Start))
		fill(&k.End, market.Instant(d.End))
		fill(&k.ClosedAt, market.Instant(d.ClosedAt))
		fill(&k.Tick, d.Tick)
		fill(&k.MinSize, d.MinSize)
		k.UpdatedAt = max(k.UpdatedAt, market.Instant(d.UpdatedAt))
		k.Closed = k.Closed || d.Closed || d.ClosedAt != 0
		k.Mirrored = k.Mirrored || d.Mirrored
		if k.Tags == nil {
			k.Tags = d.Tags
		}
		if k.Fees == nil && d.Fees != nil {
			k.Fees = &market.FeeSchedule{Rate: d.Fees.Rate, Exponent: d.Fees.Exponent, TakerOnly: d.Fees.TakerOnly}
		}
	}
	fill(&k.Slug, k.VenueID)
}

func fill[T comparable](dst *T, v T) {
	var zero T
	if *dst == zero {
		*dst = v
	}
}

// deriveRound works out what the names of an up/down round say, and gives it
// the names that no source gave. The series and event of a round that has none
// are named by slug here.
func (m *merged) deriveRound(claims []said) {
	k := &m.market
	r, ok := roundOf(claims, k)
	if !ok {
		m.noStart, m.undated = k.Start == 0, k.End == 0
		k.Category = category(k)
		fill(&k.Question, k.Slug)
		return
	}
	k.Coin, k.Type = r.Coin, r.Type
	_, span, _ := market.ParseLength(r.Type)
	if k.Start == 0 {
		k.Start = r.Start
	}
	if k.Start == 0 && k.End != 0 {
		k.Start = k.End - span
	}
	if k.End == 0 && k.Start != 0 {
		k.End = k.Start + span
	}
	m.noStart, m.undated = k.Start == 0, k.End == 0
	k.Category = market.Crypto
	r.Start, r.End = k.Start, k.End
	_, named := roundNames(r)
	if k.Tags == nil {
		k.Tags = named.Tags
	}
	if k.Question == "" && k.Start != 0 {
		k.Question = named.Question
	}
	fill(&k.Question, k.Slug)
}

// roundOf reads coin, length and start out of the market's slug, or, for coin
// and length, out of the slug of its series.
func roundOf(claims []said, k *market.Market) (market.RoundName, bool) {
	if r, ok := market.ParseRoundSlug(k.Slug); ok {
		return r, true
	}
	for _, c := range claims { // another source may give the slug that says it
		if r, ok := market.ParseRoundSlug(c.doc.Slug); ok {
			return r, true
		}
	}
	for _, c := range claims {
		for _, slug := range []string{c.seriesSlug, c.doc.SeriesID} {
			if coin, typ, ok := market.ParseSeriesSlug(slug); ok {
				return market.RoundName{Coin: coin, Type: typ}, true
			}
		}
	}
	return market.RoundName{}, false
}

// category returns the category of a market that is no up/down round; empty
// when it has none, which keeps it out of every list.
func category(k *market.Market) market.Category {
	if k.Category.Valid() {
		return k.Category
	}
	for _, c := range []market.Category{market.Crypto, market.Sports} {
		if slices.Contains(k.Tags, string(c)) {
			return c
		}
	}
	return ""
}

// mergePayout takes the official payout, else an inferred one. The last official word of
// the exchange's own metadata settles what others say; sources that otherwise
// contradict each other leave the market without.
func (m *merged) mergePayout(claims []said) {
	for _, basis := range []market.Basis{market.Official, market.Inferred} {
		var seen [][]market.Cash
		var first *MarketDoc // of those that could be read
		for _, c := range claims {
			p := c.doc.Payout
			if p == nil || p.Basis != basis {
				continue
			}
			m.market.Closed = true // whoever names a payout says so
			f, ok := m.fractions(c, p.Fractions)
			if ok && first == nil {
				first = c.doc
			}
			if ok && settles(first, c.doc) {
				break
			}
			if ok && !slices.ContainsFunc(seen, func(s []market.Cash) bool { return slices.Equal(s, f) }) {
				seen = append(seen, f)
			}
		}
		switch {
		case len(seen) == 1:
			m.market.Payout = &market.Payout{Basis: basis, Fractions: seen[0]}
			return
		case len(seen) > 1:
			m.disputed = true
			return
		}
	}
}

// settles reports whether first, which counts most, leaves nothing to other to say of an
// official payout.
func settles(first, other *MarketDoc) bool {
	return first.Payout.Basis == market.Official && first.Authority == store.FromExchange &&
		(other.Authority < first.Authority || other.UpdatedAt < first.UpdatedAt)
}

// Said is what one source says of the payout of a market.
type Said struct {
	Source store.SourceID
	Payout market.Payout // fractions in the order of the market's tokens
}

// Payouts returns what sources say of the payout of a market, the one that counts most
// first.
func Payouts(ctx context.Context, r store.Reader, row *store.MarketRow) ([]Said, error) {
	list, err := r.Claims(ctx, store.MarketClaim, row.Owners)
	if err != nil {
		return nil, err
	}
	claims, err := readSaid(nil, list)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(claims, byWeight)
	m := mergeClaims(row.Market.Venue, row.Market.VenueID, claims)
	var out []Said
	for _, c := range claims {
		if p := c.doc.Payout; p != nil {
			if f, ok := m.fractions(c, p.Fractions); ok {
				out = append(out, Said{c.source, market.Payout{Basis: p.Basis, Fractions: f}})
			}
		}
	}
	return out, nil
}

// fractions brings a source's fractions into market order. Of two tokens one
// is enough: together they pay 1.
func (m *merged) fractions(c said, given []market.Cash) ([]market.Cash, bool) {
	out := make([]market.Cash, len(m.market.Tokens))
	known := make([]bool, len(out))
	n := 0
	for i, f := range given {
		at, ok := m.place[tokenOf{c.source, c.owner, i}]
		if !ok || f < 0 || f > market.CashOne || known[at] {
			continue
		}
		out[at], known[at] = f, true
		n++
	}
	if n == 1 && len(out) == 2 {
		i := slices.Index(known, false)
		out[i] = market.CashOne - out[1-i]
		n++
	}
	return out, n == len(out) && n > 0
}

func (m *merged) mergeGaps(claims []said) {
	for _, c := range claims {
		for _, g := range c.doc.Gaps {
			if at, ok := m.place[tokenOf{c.source, c.owner, g.Token}]; ok && g.From < g.To {
				m.gaps = append(m.gaps, market.TokenGap{Token: at, Gap: market.Gap{From: g.From, To: g.To}})
			}
		}
	}
	slices.SortFunc(m.gaps, func(a, b market.TokenGap) int {
		return cmp.Or(cmp.Compare(a.Token, b.Token), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	out := m.gaps[:0]
	for _, g := range m.gaps {
		if n := len(out); n > 0 && out[n-1].Token == g.Token && g.From <= out[n-1].To {
			out[n-1].To = max(out[n-1].To, g.To)
			continue
		}
		out = append(out, g)
	}
	m.gaps = out
}

// placeTokens makes the list of tokens and finds the place of each source's
// tokens in it: by id, by outcome, by label, and of two tokens the one left
// over by elimination.
func (m *merged) placeTokens(claims []said) {
	k := &m.market
	upDown := k.IsUpDown()
	if upDown {
		k.Tokens = []market.Token{{Label: "Up", Outcome: market.Up}, {Label: "Down", Outcome: market.Down}}
	} else {
		k.Tokens = listedTokens(claims)
	}
	m.placeByName(claims, upDown)
	m.placeByID(claims)
	for i := range k.Tokens {
		if t := &k.Tokens[i]; t.VenueID == "" {
			t.VenueID, t.Derived = derivedTokenID(k.VenueID, t.Outcome, t.Label), true
		}
	}
	if len(k.Tokens) != 2 {
		k.Mirrored = false
	} else if upDown && (k.Venue == market.Polymarket || k.Venue == market.Simulated) {
		k.Mirrored = true
	}
	for _, c := range claims {
		for i, t := range c.doc.Tokens {
			if at, ok := m.place[tokenOf{c.source, c.owner, i}]; ok && t.Key != 0 {
				m.keys[t.Key] = at
			}
		}
	}
}

// placeByName places the tokens that say what they stand for, and adds those that
// nobody has named before; a round has no others than its two.
func (m *merged) placeByName(claims []said, upDown bool) {
	k := &m.market
	for _, c := range claims {
		for i, t := range c.doc.Tokens {
			at := m.find(t, upDown)
			if at < 0 && t.Label != "" && !upDown {
				k.Tokens = append(k.Tokens, market.Token{VenueID: t.ID, Label: t.Label})
				at = len(k.Tokens) - 1
			}
			if at >= 0 {
				fill(&k.Tokens[at].VenueID, t.ID)
				m.place[tokenOf{c.source, c.owner, i}] = at
			}
		}
	}
}

// listedTokens returns the tokens of the claim that counts most among those
// that label all of at least two.
func listedTokens(claims []said) []market.Token {
	for _, c := range claims {
		var out []market.Token
		for _, t := range c.doc.Tokens {
			if t.Label != "" {
				out = append(out, market.Token{VenueID: t.ID, Label: t.Label})
			}
		}
		if len(out) >= 2 && len(out) == len(c.doc.Tokens) {
			return out
		}
	}
	return nil
}

// find returns the place of a token that says which outcome it stands for, or
// whose id is known, or −1.
func (m *merged) find(t TokenDoc, upDown bool) int {
	tokens := m.market.Tokens
	if t.ID != "" {
		if i := slices.IndexFunc(tokens, func(u market.Token) bool { return u.VenueID == t.ID }); i >= 0 {
			return i
		}
	}
	o := t.Outcome
	if upDown && o == market.OutcomeOther {
		switch strings.ToLower(t.Label) {
		case "up", "yes":
			o = market.Up
		case "down", "no":
			o = market.Down
		}
	}
	return slices.IndexFunc(tokens, func(u market.Token) bool {
		if o != market.OutcomeOther && u.Outcome != market.OutcomeOther {
			return u.Outcome == o
		}
		return t.Label != "" && strings.EqualFold(u.Label, t.Label)
	})
}

// placeByID places tokens of which a source gives nothing but the id: where
// that id is known by now, or, when it is the only such id and only one of two
// tokens has none, there.
func (m *merged) placeByID(claims []said) {
	left := m.placeKnown(claims)
	free, ok := onlyFree(m.market.Tokens)
	if !ok || len(m.market.Tokens) != 2 || len(left) != 1 {
		return
	}
	m.market.Tokens[free].VenueID = left[0]
	for _, c := range claims {
		for i, t := range c.doc.Tokens {
			if t.ID == left[0] {
				m.place[tokenOf{c.source, c.owner, i}] = free
			}
		}
	}
}

// placeKnown places tokens whose id a token of the market has, and returns the
// other ids, each once.
func (m *merged) placeKnown(claims []said) (left []string) {
	for _, c := range claims {
		for i, t := range c.doc.Tokens {
			at := tokenOf{c.source, c.owner, i}
			if _, ok := m.place[at]; ok || t.ID == "" {
				continue
			}
			j := slices.IndexFunc(m.market.Tokens, func(u market.Token) bool { return u.VenueID == t.ID })
			if j >= 0 {
				m.place[at] = j
			} else if !slices.Contains(left, t.ID) {
				left = append(left, t.ID)
			}
		}
	}
	return left
}

// onlyFree returns the only token without an id; false: there are several, or
// none.
func onlyFree(tokens []market.Token) (at int, ok bool) {
	for i, t := range tokens {
		if t.VenueID != "" {
			continue
		}
		if ok {
			return 0, false
		}
		at, ok = i, true
	}
	return at, ok
}

// Placed is a part whose token has a position in the market.
type Placed = store.Placed

// placeParts returns the visible parts whose token has a position, in an order
// that depends only on the parts.
func (m *merged) placeParts(parts []store.Part) []Placed { return store.PlaceParts(m.keys, parts) }
