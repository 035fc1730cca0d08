package contract

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/market"
)

// testTops: tops are those of the captures however these came in, and a copy has them
// where they are missing or damaged; without them the archive
// answers as before, and a market that goes takes its own along.
func testTops(t *testing.T, open Open) {
	a := newArchive(t, open, intake.Config{BlockCaptures: 5})
	s := laddersOnly(archivetest.NewScenario(3, 120))
	whole := newArchive(t, open)
	f := s.Whole()
	require.NoError(t, archivetest.Put(t.Context(), whole, s, &f))
	for _, f := range s.Split(3, 3) {
		require.NoError(t, archivetest.Put(t.Context(), a, s, &f))
	}
	ids, kept := topsOf(t, a)
	require.NotEmpty(t, ids)
	require.Equal(t, decoded(t, whole), decoded(t, a))
	check := func(untopped int64, damage string) {
		t.Helper()
		v, err := a.Verify(t.Context(), nil)
		require.NoError(t, err)
		require.Equal(t, untopped, v.Untopped)
		if damage == "" {
			require.Empty(t, v.Damage)
			return
		}
		require.NotEmpty(t, v.Damage)
		for _, d := range v.Damage {
			require.Contains(t, d.String(), damage)
		}
	}
	check(0, "")
	apply := func(c *store.Changes) {
		t.Helper()
		require.NoError(t, a.Store().Update(t.Context(), func(w store.Writer) error { return w.Apply(t.Context(), c) }))
	}
	// mended requires that a copy has the tops that were kept, and puts them back.
	mended := func() {
		t.Helper()
		to := newArchive(t, open, intake.Config{BlockCaptures: 5})
		_, err := care.Copy(t.Context(), a.Store(), to.Store(), nil)
		require.NoError(t, err)
		_, now := topsOf(t, to)
		require.Equal(t, kept, now)
		var all []store.Block
		for _, b := range kept {
			all = append(all, b)
		}
		apply(&store.Changes{DropTops: ids, Blocks: all})
		check(0, "")
	}

	apply(&store.Changes{DropTops: ids})
	check(int64(len(ids)), "")
	require.Empty(t, decoded(t, a))
	mended()

	wrong := kept[ids[0]]
	wrong.Data = append([]byte(nil), wrong.Data...)
	wrong.Data[len(wrong.Data)/2]++
	apply(&store.Changes{DropTops: ids[:1], Blocks: []store.Block{wrong}})
	check(0, "archive copy")
	require.Less(t, len(decoded(t, a)), len(decoded(t, whole)))
	mended()

	// A row that counts fewer of them than there are.
	wrong = kept[ids[0]]
	wrong.Captures = 1
	apply(&store.Changes{DropTops: ids[:1], Blocks: []store.Block{wrong}})
	require.Equal(t, decoded(t, whole), decoded(t, a))
	check(0, "archive copy")
	mended()

	// Sound in itself, but of other captures.
	wrong = kept[ids[0]]
	wrong.Sequence++
	apply(&store.Changes{DropTops: ids[:1], Blocks: []store.Block{wrong}})
	check(0, "archive copy")
	require.Less(t, len(decoded(t, a)), len(decoded(t, whole)))
	mended()

	require.NoError(t, a.RemoveMarkets(t.Context(), ids))
	left, _ := topsOf(t, a)
	require.Empty(t, left)
	check(0, "")
}

// laddersOnly leaves out what keeps a round from having tops.
func laddersOnly(s *archivetest.Scenario) *archivetest.Scenario {
	out := &archivetest.Scenario{Markets: s.Markets}
	for _, m := range s.Messages {
		if k := m.Capture.Kind; k != market.KindQuote && k != market.KindPrice {
			out.Messages = append(out.Messages, m)
		}
	}
	return out
}

// topsOf returns the tops kept, by market, and their markets in order.
func topsOf(t testing.TB, a *archivetest.Archive) (ids []store.ID, kept map[store.ID]store.Block) {
	t.Helper()
	kept = map[store.ID]store.Block{}
	require.NoError(t, a.Store().View(t.Context(), func(r store.Reader) error {
		ids = nil
		rows, err := r.Markets(t.Context(), store.MarketQuery{Unlisted: true})
		if err != nil {
			return err
		}
		var all []store.ID
		for i := range rows {
			all = append(all, rows[i].ID)
		}
		refs, err := r.Tops(t.Context(), all)
		if err != nil {
			return err
		}
		for i := range refs {
			ids = append(ids, refs[i].Token)
		}
		comparePlaces(t, r, rows, all)
		return r.ReadBlocks(t.Context(), refs, func(i int, data []byte) error {
			kept[refs[i].Token] = store.Block{BlockRef: refs[i], Data: append([]byte(nil), data...)}
			return nil
		})
	}))
	return ids, kept
}

// comparePlaces compares Places of markets with the answers that it puts together.
func comparePlaces(t testing.TB, r store.Reader, rows []store.MarketRow, markets []store.ID) {
	t.Helper()
	ctx := t.Context()
	var owners, tokens []store.ID
	for i := range rows {
		owners = append(owners, rows[i].Owners...)
		tokens = append(tokens, slices.Concat(rows[i].Keys...)...)
	}
	slices.Sort(owners)
	slices.Sort(tokens)
	got, err := r.Places(ctx, owners, tokens, markets)
	require.NoError(t, err)
	parts, err := r.Parts(ctx, owners)
	require.NoError(t, err)
	require.Equal(t, parts, got.Parts)
	refs, err := r.Refs(ctx, tokens, market.Earliest, market.Latest)
	require.NoError(t, err)
	require.ElementsMatch(t, refs, got.Refs)
	tops, err := r.Tops(ctx, markets)
	require.NoError(t, err)
	want := make([]store.Block, len(tops))
	require.NoError(t, r.ReadBlocks(ctx, tops, func(i int, data []byte) error {
		want[i] = store.Block{BlockRef: tops[i], Data: slices.Clone(data)}
		return nil
	}))
	require.ElementsMatch(t, want, got.Tops)

	none, err := r.Places(ctx, nil, nil, nil)
	require.NoError(t, err)
	require.Equal(t, &store.Places{}, none)
}

// compareInParts reads the tops of a market some at a time, and again as far, and further.
func compareInParts(t testing.TB, a *archivetest.Archive, m *market.Market, want []market.Top) {
	t.Helper()
	tops := a.Tops([]*market.Market{m})
	for _, until := range []int{0, 1, 3, 2, math.MaxInt, 1} {
		g, err := tops(t.Context(), m)
		require.NoError(t, err)
		for n, more := 1, true; more && n <= until; n++ {
			var shown []market.Top
			shown, more, err = g.Read(n)
			require.NoError(t, err)
			require.True(t, !more || len(shown) >= n, "%d tops of %d", len(shown), n)
			require.Equal(t, want[:len(shown)], shown)
			require.True(t, more || len(shown) == len(want))
		}
		g.Close()
	}
}

// compareInPasses reads the tops of all markets, one behind another, in several passes: what
// was found of one in a pass is what it is in the next, whatever was read in between.
func compareInPasses(t testing.TB, a *archivetest.Archive, markets []*market.Market, want map[string][]market.Top) {
	t.Helper()
	tops := a.Tops(markets)
	for pass := range 3 {
		for i, m := range markets {
			about := math.MaxInt
			if (pass+i)%3 == 0 {
				about = 2
			}
			g, err := tops(t.Context(), m)
			require.NoError(t, err)
			shown, _, err := g.Read(about)
			require.NoError(t, err)
			require.Equal(t, want[m.Slug][:len(shown)], shown, "pass %d of %s", pass, m.Slug)
			g.Close()
		}
	}
}

// decoded returns the tops that an archive gives, by slug.
func decoded(t testing.TB, a *archivetest.Archive) map[string][]market.Top {
	t.Helper()
	out := map[string][]market.Top{}
	rounds, err := a.Rounds(t.Context(), market.RoundFilter{})
	require.NoError(t, err)
	var known []*market.Market
	for i := range rounds {
		m := rounds[i].Market
		g, err := a.Tops([]*market.Market{m})(t.Context(), m)
		require.NoError(t, err)
		if g == nil {
			continue
		}
		known = append(known, m)
		tops, more, err := g.Read(math.MaxInt)
		require.NoError(t, err)
		require.False(t, more)
		require.NotEmpty(t, tops, m.Slug)
		out[m.Slug] = slices.Clone(tops)
		g.Close()
		compareInParts(t, a, m, out[m.Slug])
	}
	compareInPasses(t, a, known, out)
	return out
}

// testPlaces: the ladders that tops lead to are those of all captures, and where they do
// not lead to them any more, the rows say what there is.
func testPlaces(t *testing.T, open Open) {
	a := newArchive(t, open, intake.Config{BlockCaptures: 5})
	s := laddersOnly(archivetest.NewScenario(3, 120))
	s.Messages = slices.DeleteFunc(s.Messages, func(m archivetest.Message) bool { return m.Capture.IsLadder() && m.Capture.Token == 1 })
	slices.SortStableFunc(s.Messages, func(a, b archivetest.Message) int { return cmp.Compare(a.Capture.Recv, b.Capture.Recv) })
	f := s.Whole()
	require.NoError(t, archivetest.Put(t.Context(), a, s, &f))
	rounds, err := a.Rounds(t.Context(), market.RoundFilter{})
	require.NoError(t, err)
	placed := 0
	for i := range rounds {
		m := rounds[i].Market
		g, err := a.Tops([]*market.Market{m})(t.Context(), m)
		require.NoError(t, err)
		if g == nil || g.Ladders == nil {
			continue
		}
		placed++
		for at := m.Start - market.Second; at <= m.End+market.Second; at += (m.End - m.Start) / 40 {
			require.Equal(t, books(t, g.From, m, at), books(t, g.Ladders, m, at), "%s from %s", m.Slug, at)
		}
		row, err := a.Market(t.Context(), m.VenueID, "")
		require.NoError(t, err)
		require.NoError(t, a.Store().Update(t.Context(), func(w store.Writer) error {
			parts, err := w.Parts(t.Context(), row.Owners)
			if err != nil {
				return err
			}
			c := &store.Changes{}
			for _, p := range parts {
				c.DropParts = append(c.DropParts, p.PartKey)
			}
			return w.Apply(t.Context(), c)
		}))
		for c, err := range g.Ladders(t.Context(), m.End) {
			require.Nil(t, c)
			require.Error(t, err)
		}
	}
	require.Positive(t, placed)
}

// books are the ladders of a market from an instant on, as captures give them.
func books(t testing.TB, captures func(context.Context, market.Instant) iter.Seq2[*market.Capture, error], m *market.Market, from market.Instant) (out []string) {
	t.Helper()
	var b market.Book
	now := func() string { return fmt.Sprint(b.Append(nil, market.Bid), b.Append(nil, market.Ask)) }
	known := false
	for c, err := range captures(t.Context(), from) {
		require.NoError(t, err)
		if !c.IsLadder() {
			continue
		}
		if c.Recv >= from && !known {
			known, out = true, append(out, now())
		}
		if m.Mirrored && c.Token == 1 {
			b.ApplyMirror(c)
		} else {
			b.Apply(c)
		}
		if known {
			out = append(out, fmt.Sprint(c.Recv, c.Kind, now()))
		}
	}
	if !known {
		out = append(out, now())
	}
	return out
}
