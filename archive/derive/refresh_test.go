package derive_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/derive"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/market"
)

// world is an archive whose claims and parts are put by hand, and what was asked for
// meanwhile.
type world struct {
	t *testing.T
	a *archivetest.Archive
	// summed are the markets whose captures were summed up, topped those whose tops were
	// made, by public id and in turn.
	summed, topped []string
	// unsound are markets whose tops cannot stay.
	unsound map[string]bool
	// kept has tops stored, as nothing but a block of their kind.
	kept bool
}

func newWorld(t *testing.T) *world {
	return &world{t: t, a: archivetest.NewFile(t), unsound: map[string]bool{}}
}

// refresh runs f in a transaction.
func (w *world) refresh(f func(tx store.Writer, r *derive.Refresh) error) {
	w.t.Helper()
	sum := func(_ context.Context, _ store.Reader, row *store.MarketRow, parts []derive.Placed) (store.Stats, error) {
		w.summed = append(w.summed, row.Market.VenueID)
		s := store.Stats{First: parts[0].First}
		for _, p := range parts {
			s.Captures += p.Captures
			s.First, s.Last = min(s.First, p.First), max(s.Last, p.Last)
		}
		return s, nil
	}
	top := derive.Tops{
		Make: func(_ context.Context, _ store.Reader, row *store.MarketRow) (*store.Block, error) {
			w.topped = append(w.topped, row.Market.VenueID)
			if !w.kept || row.Basis == [32]byte{} {
				return nil, nil
			}
			return &store.Block{BlockRef: store.BlockRef{Token: row.ID, Stream: block.Tops}, Data: []byte("tops")}, nil
		},
		Sound: func(_ context.Context, _ store.Reader, rows []*store.MarketRow) (map[store.ID]bool, error) {
			out := map[store.ID]bool{}
			for _, row := range rows {
				out[row.ID] = !w.unsound[row.Market.VenueID]
			}
			return out, nil
		},
	}
	require.NoError(w.t, w.a.Store().Update(w.t.Context(), func(tx store.Writer) error { return f(tx, derive.New(tx, sum, top)) }))
	requireSame(w.t, w.a)
}

// claimed makes the claims of a source out of documents.
func claimed(src store.SourceID, says []any) (claims []store.Claim, docs []derive.Doc) {
	for _, d := range says {
		k := derive.Doc{Says: d}
		switch d := d.(type) {
		case *derive.MarketDoc:
			k.Kind, k.Owner = store.MarketClaim, d.Owner()
		case *derive.EventDoc:
			k.Kind, k.Owner = store.EventClaim, store.EventID(d.Venue, d.VenueID)
		case *derive.SeriesDoc:
			k.Kind, k.Owner = store.SeriesClaim, store.SeriesID(d.Venue, d.VenueID)
		}
		docs = append(docs, k)
		claims = append(claims, store.Claim{ClaimKey: store.ClaimKey{Kind: k.Kind, Owner: k.Owner, Source: src}, Doc: derive.Encode(d)})
	}
	return claims, docs
}

// put stores what a source says, and what follows.
func (w *world) put(src store.SourceID, says ...any) {
	w.t.Helper()
	w.refresh(func(tx store.Writer, r *derive.Refresh) error {
		claims, docs := claimed(src, says)
		if err := tx.Apply(w.t.Context(), &store.Changes{Sources: []store.Source{{ID: src}}}); err != nil {
			return err
		}
		return r.Put(w.t.Context(), claims, docs)
	})
}

// captures stores a part of captures of a token, of a market that the source speaks of.
func (w *world) captures(src store.SourceID, doc *derive.MarketDoc, token int, first, last market.Instant) {
	w.t.Helper()
	k := doc.TokenKey(&doc.Tokens[token])
	doc.Tokens[token].Key = k
	w.refresh(func(tx store.Writer, r *derive.Refresh) error {
		err := tx.Apply(w.t.Context(), &store.Changes{Parts: []store.Part{{
			PartKey: store.PartKey{Owner: doc.Owner(), Source: src, Token: k, Stream: block.Books},
			Whole:   true, Blocks: 1, Captures: 3, First: first, Last: last,
		}}})
		if err != nil {
			return err
		}
		claims, docs := claimed(src, []any{doc})
		return r.Put(w.t.Context(), claims, docs)
	})
}

// drop removes claims with the parts under them.
func (w *world) drop(src store.SourceID, says ...any) {
	w.t.Helper()
	w.refresh(func(tx store.Writer, r *derive.Refresh) error {
		claims, _ := claimed(src, says)
		var keys []store.ClaimKey
		for _, c := range claims {
			keys = append(keys, c.ClaimKey)
		}
		c := &store.Changes{}
		if err := r.DropClaims(w.t.Context(), keys, c); err != nil {
			return err
		}
		if err := tx.Apply(w.t.Context(), c); err != nil {
			return err
		}
		return r.Run(w.t.Context())
	})
}

// one returns the market of a name.
func (w *world) one(name string) *store.Listing { w.t.Helper(); return one(w.t, w.a, name) }

// doc is what a source says of a market of Polymarket.
func doc(a store.Authority, m market.Market) *derive.MarketDoc {
	m.Venue = market.Polymarket
	return derive.NewMarketDoc(a, &m)
}

// TestPut: of what one source says of one market the last counts, in one call and in
// several; what another says stays.
func TestPut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(1, doc(store.FromList, market.Market{VenueID: "0x1", Question: "first", Description: "once"}),
		doc(store.FromList, market.Market{VenueID: "0x1", Question: "second"}))
	require.Equal(t, []string{"second", ""}, []string{w.one("0x1").Market.Question, w.one("0x1").Market.Description})
	w.put(2, doc(store.FromCaptures, market.Market{VenueID: "0x1", Question: "weak", Description: "another's"}))
	require.Equal(t, []string{"second", "another's"}, []string{w.one("0x1").Market.Question, w.one("0x1").Market.Description})
	w.put(1, doc(store.FromList, market.Market{VenueID: "0x1", Slug: "third"}))
	require.Equal(t, []string{"weak", "third"}, []string{w.one("0x1").Market.Question, w.one("0x1").Market.Slug}, "what is replaced is not said any more")
	w.drop(2, doc(store.FromCaptures, market.Market{VenueID: "0x1"}))
	require.Equal(t, []string{"third", ""}, []string{w.one("0x1").Market.Question, w.one("0x1").Market.Description})
}

// sport is what a source says of a game that has no times of its own.
func sport(id string, labels ...string) *derive.MarketDoc {
	m := market.Market{VenueID: id, Category: market.Sports}
	for _, l := range labels {
		m.Tokens = append(m.Tokens, market.Token{VenueID: id + l, Label: l})
	}
	return doc(store.FromList, m)
}

// TestTimesOfCaptures: a market of whose time nobody knows has that of its captures, of all
// tokens and sources; what one bound says counts before them.
func TestTimesOfCaptures(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := sport("0x1", "A", "B")
	w.put(1, d)
	require.Equal(t, [2]market.Instant{}, [2]market.Instant{w.one("0x1").Market.Start, w.one("0x1").Market.End})
	w.captures(1, d, 0, 40, 60)
	w.captures(1, d, 1, 30, 50)
	m := w.one("0x1")
	require.Equal(t, [2]market.Instant{30, 60}, [2]market.Instant{m.Market.Start, m.Market.End})
	require.True(t, m.Undated)
	require.Equal(t, store.Stats{Captures: 6, First: 30, Last: 60}, m.Stats)
	w.put(2, doc(store.FromExchange, market.Market{VenueID: "0x1", End: 90}))
	m = w.one("0x1")
	require.Equal(t, [2]market.Instant{30, 90}, [2]market.Instant{m.Market.Start, m.Market.End})
	require.False(t, m.Undated)
}

// TestSumsAreMadeOnce: captures are summed up where they, or where they count, have changed,
// and not where something else of the market has.
func TestSumsAreMadeOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := sport("0x1", "A", "B")
	w.captures(1, d, 0, 40, 60)
	require.Equal(t, []string{"0x1"}, w.summed)
	d.Question, d.UpdatedAt = "Who wins?", 7
	w.put(1, d)
	require.Equal(t, "Who wins?", w.one("0x1").Market.Question)
	require.Equal(t, []string{"0x1"}, w.summed, "the captures are what they were")
	require.EqualValues(t, 3, w.one("0x1").Stats.Captures)
	w.captures(1, d, 1, 30, 50)
	require.Equal(t, []string{"0x1", "0x1"}, w.summed)
	w.put(2, doc(store.FromExchange, market.Market{VenueID: "0x1", Start: 35, End: 90}))
	require.Equal(t, []string{"0x1", "0x1", "0x1"}, w.summed, "sums say what lies in the round")
	w.drop(1, d)
	require.Equal(t, store.Stats{}, w.one("0x1").Stats)
}

// TestWatermark: what is captured last of a category closes the markets that have ended by
// then, and opens them again when it is removed. Other categories have their own.
func TestWatermark(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	status := func() (out []store.Status) {
		for _, id := range []string{"early", "late", "round"} {
			out = append(out, w.one(id).Status)
		}
		return out
	}
	mark := func(c market.Category) market.Instant {
		marks, err := w.a.Watermarks(t.Context(), c)
		require.NoError(t, err)
		return marks[c]
	}
	w.put(1, doc(store.FromList, market.Market{VenueID: "early", Category: market.Sports, Start: 10, End: 50}),
		doc(store.FromList, market.Market{VenueID: "late", Category: market.Sports, Start: 10, End: 51}),
		doc(store.FromList, market.Market{VenueID: "round", Category: market.Crypto, Start: 10, End: 20}))
	require.Equal(t, []store.Status{store.Open, store.Open, store.Open}, status())
	captured := sport("captured", "A", "B")
	w.captures(2, captured, 0, 20, 50)
	require.Equal(t, []store.Status{store.Closed, store.Open, store.Open}, status())
	require.EqualValues(t, 50, w.one("early").ClosedAt)
	require.EqualValues(t, 50, mark(market.Sports))
	w.captures(2, captured, 1, 20, 60)
	require.Equal(t, []store.Status{store.Closed, store.Closed, store.Open}, status())
	w.drop(2, captured)
	require.Equal(t, []store.Status{store.Open, store.Open, store.Open}, status())
	require.Zero(t, w.one("early").ClosedAt)
	require.Zero(t, mark(market.Sports))

	// A claim that moves a market to another category takes its captures along.
	w.captures(2, captured, 0, 20, 50)
	w.put(3, doc(store.FromExchange, market.Market{VenueID: "captured", Category: market.Crypto}))
	require.Equal(t, []store.Status{store.Open, store.Open, store.Closed}, status())
	require.Equal(t, [2]market.Instant{0, 50}, [2]market.Instant{mark(market.Sports), mark(market.Crypto)})
}

// TestTopsAreDerived: tops are made of the rounds whose captures have changed, or were
// put elsewhere, or whose tops are not as they should be, and of no others.
func TestTopsAreDerived(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.kept = true
	round := doc(store.FromCaptures, market.Market{VenueID: "0x1", Slug: slug, Tokens: []market.Token{{VenueID: "71", Outcome: market.Up}}})
	stored := func() int {
		n := 0
		require.NoError(t, w.a.Store().View(t.Context(), func(r store.Reader) error {
			refs, err := r.Tops(t.Context(), []store.ID{round.Owner()})
			n = len(refs)
			return err
		}))
		return n
	}
	w.put(1, round)
	require.Empty(t, w.topped, "nothing is captured")
	start := 1_776_081_600 * market.Second
	w.captures(1, round, 0, start, start+5)
	require.Equal(t, []string{"0x1"}, w.topped)
	require.Equal(t, 1, stored())
	round.Question = "Up or down?"
	w.put(1, round)
	require.Len(t, w.topped, 1, "sound tops stay")
	w.unsound["0x1"] = true
	w.put(1, round)
	require.Len(t, w.topped, 2)
	delete(w.unsound, "0x1")
	w.refresh(func(_ store.Writer, r *derive.Refresh) error {
		r.Touch(derive.Doc{Kind: store.MarketClaim, Owner: round.Owner(), Says: round})
		r.Replaced()
		return r.Run(t.Context())
	})
	require.Len(t, w.topped, 3, "blocks are elsewhere")
	require.Equal(t, 1, stored())
	w.put(2, doc(store.FromList, market.Market{VenueID: "0x1", Description: "stays"}))
	w.drop(1, round)
	require.Len(t, w.topped, 4, "of no captures")
	require.Zero(t, stored())
}

// TestEventsClaimed: a round without an event is in the one that goes by its slug: made up,
// until a source gives one of that slug, and again when none does.
func TestEventsClaimed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	venueEvent := func() (id string, title string, n int64) {
		rows, err := w.a.Events(t.Context(), store.GroupQuery{})
		require.NoError(t, err)
		require.Len(t, rows, 1)
		require.Equal(t, rows[0].Event.VenueID, w.one(slug).Market.EventID)
		return rows[0].Event.VenueID, rows[0].Event.Title, rows[0].Markets
	}
	w.put(1, doc(store.FromCaptures, market.Market{Slug: slug, Question: "Which way?"}))
	id, title, n := venueEvent()
	require.Equal(t, []any{slug, "Which way?", int64(1)}, []any{id, title, n}, "one that nobody describes has its market's question")
	event := &derive.EventDoc{Authority: store.FromExchange, Venue: market.Polymarket, VenueID: "9", Slug: slug, Title: "Bitcoin"}
	w.put(2, event)
	id, title, n = venueEvent()
	require.Equal(t, []any{"9", "Bitcoin", int64(1)}, []any{id, title, n})
	event.Title = "Bitcoin, said anew"
	w.put(2, event)
	id, title, n = venueEvent()
	require.Equal(t, []any{"9", "Bitcoin, said anew", int64(1)}, []any{id, title, n})
	w.drop(2, event)
	id, _, n = venueEvent()
	require.Equal(t, []any{slug, int64(1)}, []any{id, n})
}

// TestSeriesClaimed: a market is in the series of its event; one that is called like a
// series of rounds makes it a round, as soon as a source says so.
func TestSeriesClaimed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(1, doc(store.FromList, market.Market{VenueID: "0x1", Slug: "some-market", EventID: "e", Category: market.Sports, End: 900 * market.Second}))
	require.Equal(t, []string{"", ""}, []string{w.one("0x1").Market.SeriesID, w.one("0x1").Market.Coin})
	w.put(2, &derive.EventDoc{Authority: store.FromExchange, Venue: market.Polymarket, VenueID: "e", SeriesID: "s"})
	m := w.one("0x1")
	require.Equal(t, []any{"s", "", market.Sports}, []any{m.Market.SeriesID, m.Market.Coin, m.Market.Category})
	said := &derive.SeriesDoc{Authority: store.FromExchange, Venue: market.Polymarket, VenueID: "s", Slug: "eth-up-or-down-15m", Title: "Ether", Tags: []string{"crypto"}}
	w.put(3, said)
	m = w.one("0x1")
	require.Equal(t, []any{"ETH", "15m", market.Crypto, market.Instant(0)}, []any{m.Market.Coin, m.Market.Type, m.Market.Category, m.Market.Start})
	rows, err := w.a.Series(t.Context(), store.GroupQuery{})
	require.NoError(t, err)
	require.Len(t, rows, 1)
	require.Equal(t, []any{"Ether", int64(1), market.Crypto}, []any{rows[0].Series.Title, rows[0].Markets, rows[0].Series.Category})
	said.Slug = "eth-games"
	w.put(3, said)
	m = w.one("0x1")
	require.Equal(t, []any{"", market.Sports}, []any{m.Market.Coin, m.Market.Category})
	w.drop(3, said)
	w.drop(2, &derive.EventDoc{Venue: market.Polymarket, VenueID: "e"})
	require.Empty(t, w.one("0x1").Market.SeriesID)
	rows, err = w.a.Series(t.Context(), store.GroupQuery{})
	require.NoError(t, err)
	require.Empty(t, rows)
}

// TestPayouts: what sources say of a payout is listed with the weightiest first, in the
// order of the market's tokens; what does not fit the market is left out.
func TestPayouts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	pays := func(a store.Authority, b market.Basis, labels string, f ...market.Cash) *derive.MarketDoc {
		m := market.Market{VenueID: "0x1", Payout: &market.Payout{Basis: b, Fractions: f}}
		for _, l := range labels {
			m.Tokens = append(m.Tokens, market.Token{VenueID: "id" + string(l), Label: string(l)})
		}
		return doc(a, m)
	}
	w.put(1, pays(store.FromCaptures, market.Inferred, "AB", 0, market.CashOne))
	w.put(2, pays(store.FromExchange, market.Official, "BA", 0, market.CashOne))
	w.put(3, pays(store.FromList, market.Official, "AB", market.CashOne, 2*market.CashOne))
	w.put(4, pays(store.FromList, market.Official, "A", -1))
	w.put(5, doc(store.FromList, market.Market{VenueID: "0x1"}))
	row := w.one("0x1").MarketRow
	require.Equal(t, []string{"B", "A"}, []string{row.Market.Tokens[0].Label, row.Market.Tokens[1].Label})
	require.NoError(t, w.a.Store().View(t.Context(), func(r store.Reader) error {
		got, err := derive.Payouts(t.Context(), r, &row)
		require.NoError(t, err)
		require.Equal(t, []derive.Said{
			{Source: 2, Payout: market.Payout{Basis: market.Official, Fractions: []market.Cash{0, market.CashOne}}},
			{Source: 3, Payout: market.Payout{Basis: market.Official, Fractions: []market.Cash{0, market.CashOne}}},
			{Source: 1, Payout: market.Payout{Basis: market.Inferred, Fractions: []market.Cash{market.CashOne, 0}}},
		}, got, "of two tokens one is enough")
		return nil
	}))
}

// damaged has a Writer whose markets differ from their checksums.
type damaged struct{ store.Writer }

func (d damaged) Markets(ctx context.Context, q store.MarketQuery) ([]store.MarketRow, error) {
	rows, err := d.Writer.Markets(ctx, q)
	for i := range rows {
		rows[i].Damaged = true
	}
	return rows, err
}

// TestDamagedRowsAreCountedAnew: a damaged row may have been counted as something else, so
// that its change counts all markets anew; a sound one changes what was counted.
func TestDamagedRowsAreCountedAnew(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	round := func(q string) *derive.MarketDoc {
		return doc(store.FromList, market.Market{VenueID: "0x1", Slug: slug, Question: q})
	}
	w.put(1, round("as it was"), doc(store.FromList, market.Market{VenueID: "0x2", Slug: "eth-updown-5m-1776081600"}))
	forget := func(tx store.Writer) { // another market's tally, as if it had never been counted
		all, err := tx.Tallies(t.Context(), store.TallyQuery{From: store.AllDays, To: store.LastDay})
		require.NoError(t, err)
		for i := range all {
			if all[i].Coin == "ETH" {
				all[i].Captured += 7
				require.NoError(t, tx.Apply(t.Context(), &store.Changes{Tallies: all[i : i+1]}))
			}
		}
	}
	for _, anew := range []bool{false, true} {
		err := w.a.Store().Update(t.Context(), func(tx store.Writer) error {
			forget(tx)
			claims, docs := claimed(1, []any{round("anew")})
			by := tx
			if anew {
				by = damaged{tx}
			}
			require.NoError(t, derive.New(by, nil, derive.Tops{}).Put(t.Context(), claims, docs))
			tallies, err := derive.Tallies(t.Context(), tx)
			require.NoError(t, err)
			changed, err := tallies.Changed(false, nil)
			require.NoError(t, err)
			require.Equal(t, anew, len(changed) == 0)
			return context.Canceled // put nothing
		})
		require.ErrorIs(t, err, context.Canceled)
	}
}

// TestRead: a claim is read as what it is about, and one that cannot be read is damage.
func TestRead(t *testing.T) {
	t.Parallel()
	for _, says := range []any{
		doc(store.FromList, market.Market{VenueID: "0x1", Fees: &market.FeeSchedule{Rate: 7, Exponent: 1, TakerOnly: true}, MinSize: 5}),
		&derive.EventDoc{Venue: "v", VenueID: "e", Tags: []string{"a"}},
		&derive.SeriesDoc{Venue: "v", VenueID: "s", Recurrence: "15m"},
	} {
		claims, docs := claimed(1, []any{says})
		got, err := derive.Read(&claims[0])
		require.NoError(t, err)
		require.Equal(t, docs[0], got)
		claims[0].Doc = []byte(`{"venue": 5}`)
		_, err = derive.Read(&claims[0])
		require.ErrorIs(t, err, store.ErrDamaged)
	}
}

// TestTokenKey: blocks go by the id that a source gives a token, else by what it calls
// the market and the token.
func TestTokenKey(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		doc   market.Market
		token derive.TokenDoc
		want  string
	}{
		{market.Market{VenueID: "0x1", Slug: "s"}, derive.TokenDoc{ID: "71", Label: "Up", Outcome: market.Up}, "71"},
		{market.Market{VenueID: "0x1", Slug: "s"}, derive.TokenDoc{Label: "Yes", Outcome: market.Up}, "0x1:up"},
		{market.Market{Slug: "s", AltID: "7"}, derive.TokenDoc{Label: " Team  A "}, "s:team-a"},
		{market.Market{AltID: "7"}, derive.TokenDoc{Outcome: market.Down}, "7:down"},
	} {
		d := doc(store.FromList, c.doc)
		require.Equal(t, store.TokenID(market.Polymarket, c.want), d.TokenKey(&c.token), "%+v", c)
	}
}
