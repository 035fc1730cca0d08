package postgres_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/postgres"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// TestPieces looks for each letter, and each two letters, of an alphabet in rows, some of
// which have other texts than at first: what is found is what a look at every row gives.
func TestPieces(t *testing.T) {
	t.Parallel()
	s, addr := newStore(t)
	defer s.Close()
	walk, err := postgres.Open(t.Context(), addr)
	require.NoError(t, err)
	defer walk.Close()
	rnd := rand.New(rand.NewPCG(3, 4))
	alphabet := []rune("aabbcqz0019  --éß%_\\(\"'€")
	text := func() string {
		var b strings.Builder
		for range rnd.IntN(6) {
			b.WriteRune(alphabet[rnd.IntN(len(alphabet))])
		}
		return b.String()
	}
	markets, events := map[store.ID]string{}, map[store.ID]string{}
	for range 3 {
		var c store.Changes
		for range 60 {
			venueID := fmt.Sprint(rnd.IntN(120))
			m := store.MarketRow{ID: store.MarketID(market.Polymarket, venueID), Market: market.Market{Venue: market.Polymarket, VenueID: venueID, Question: text(), Slug: text(), Category: market.Crypto}}
			e := store.EventRow{ID: store.EventID(market.Polymarket, venueID), Event: market.Event{Venue: market.Polymarket, VenueID: venueID, Title: text(), Slug: text(), Category: market.Crypto}}
			markets[m.ID], events[e.ID] = store.SearchText(m.Market.Question, m.Market.Slug), store.SearchText(e.Event.Title, e.Event.Slug)
			c.Markets, c.Events = append(c.Markets, m), append(c.Events, e)
		}
		require.NoError(t, s.Update(t.Context(), func(w store.Writer) error { return w.Apply(t.Context(), &c) }))
	}
	having := func(texts map[store.ID]string, words string) (out []store.ID) {
		for id, text := range texts {
			if strings.Contains(text, words) {
				out = append(out, id)
			}
		}
		slices.Sort(out)
		return out
	}
	found := func(s *postgres.Store, words string) (m, e []store.ID) {
		require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
			page := store.Page{Limit: 1000}
			rows, err := r.Markets(t.Context(), store.MarketQuery{Search: words, Page: page})
			require.NoError(t, err)
			for i := range rows {
				m = append(m, rows[i].ID)
			}
			groups, err := r.Events(t.Context(), store.GroupQuery{Search: words, Page: page})
			for i := range groups {
				e = append(e, groups[i].ID)
			}
			return err
		}))
		slices.Sort(m)
		slices.Sort(e)
		return m, e
	}
	none, some := 0, 0
	slices.Sort(alphabet)
	letters := append(slices.Compact(alphabet), 'k', 'ж', '\x01')
	for _, x := range letters {
		for _, y := range append(letters, 0x10ffff) {
			words := string(x) + string(y)
			if y == 0x10ffff {
				words = string(x)
			}
			inMarkets, inEvents := having(markets, words), having(events, words)
			for _, s := range []*postgres.Store{s, postgres.ByDistance(walk)} {
				m, e := found(s, words)
				require.Equal(t, inMarkets, m, "%q", words)
				require.Equal(t, inEvents, e, "%q", words)
			}
			if len(inMarkets) == 0 {
				none++
			}
			some += len(inMarkets)
		}
	}
	require.Greater(t, none, 50)
	require.Greater(t, some, 500)

	lines, err := s.Check(t.Context())
	require.NoError(t, err)
	require.Empty(t, lines)
	run(t, addr, `DELETE FROM pieces WHERE kind = 1 AND piece = (SELECT left(search, 3) FROM markets WHERE length(search) > 2 ORDER BY id LIMIT 1)`)
	lines, err = s.Check(t.Context())
	require.NoError(t, err)
	require.Len(t, lines, 1)
	require.Regexp(t, `table pieces: \d+ rows of markets cannot be found`, lines[0])
}
