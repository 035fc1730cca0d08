package short

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// TestQuestions: a question comes back as it was, whatever it is made of.
func TestQuestions(t *testing.T) {
	t.Parallel()
	for _, q := range []string{
		"", "Will the total in A vs. B be more than 2.5?", "Will the the the", "\x01", "\x1f", "a\x00b", "\x1fWill ", "tab\tnew\nline", "\xff\xfe",
		"Will A record at least 1 hits in B vs C?", "Bitcoin Up or Down - April 13, 8:00AM-8:05AM ET", "ends with of ", " of  of ",
	} {
		require.Equal(t, q, LongQuestion(Question(q)), "%q", q)
	}
	require.Less(t, len(phrases), plainQuestion)
	for _, v := range []market.Venue{"", "p", "u", "=", "=p", "polymarket", "polymarket-us", "simulated", "kalshi", "x"} {
		require.Equal(t, v, LongVenue(Venue(v)), "%q", v)
	}
}

// TestRest: what is kept in one column comes back; what is cut short is damage.
func TestRest(t *testing.T) {
	t.Parallel()
	base := market.Market{Venue: market.Polymarket, VenueID: "0x1", Slug: "a-slug"}
	id := store.MarketID(base.Venue, base.VenueID)
	byName, bySlug := store.NameID(base.Venue, "0x1"), store.NameID(base.Venue, "a-slug")
	full := base
	full.Description, full.EventID, full.SeriesID, full.Tags = "what", "e", "s", []string{"crypto", ""}
	full.ClosedAt, full.UpdatedAt, full.Tick, full.MinSize, full.Mirrored = -5, 1_776_081_600_000_001, 100, 5_000_000, true
	for _, owners := range [][]store.ID{nil, {id}, {byName}, {bySlug}, {1, 2, 3}, {id, 5}, {id, byName, bySlug, 7}, {byName, bySlug}, {2, 1}} {
		if len(owners) == 2 && owners[0] != 2 || len(owners) > 2 {
			slices.Sort(owners)
		}
		for _, m := range []market.Market{base, full} {
			want := store.MarketRow{ID: id, Market: m, Owners: owners, ClosedAt: m.ClosedAt}
			want.Stats.TradesOnce, want.Stats.PairLag, want.Stats.Content, want.Basis = m.Mirrored, market.Span(m.Tick), [32]byte{1}, [32]byte{2: 3}
			got := store.MarketRow{ID: id, Market: base, Stats: store.Stats{}}
			packed := Rest(&want)
			require.NoError(t, ReadRest(packed, &got))
			require.Equal(t, want, got)
			for n := range packed {
				require.ErrorIs(t, ReadRest(packed[:n], &store.MarketRow{Market: base}), store.ErrDamaged, "%d of %d bytes", n, len(packed))
			}
			require.ErrorIs(t, ReadRest(append(packed, 0), &store.MarketRow{}), store.ErrDamaged)
		}
	}
}
