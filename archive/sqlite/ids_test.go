package sqlite_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/sqlstore"
	"github.com/ladderback/ladderback/market"
)

// TestTokensOfOneID: a market may list two tokens by one id, at once or later, and lose them.
func TestTokensOfOneID(t *testing.T) {
	t.Parallel()
	s, _, err := sqlite.Create(t.Context(), filepath.Join(memory(t), "archive.db"), sqlite.Often())
	require.NoError(t, err)
	defer s.Close()
	token := func(id string) market.Token { return market.Token{VenueID: id, Label: "Yes " + id} }
	for i, tokens := range [][]market.Token{
		{token("1"), token("1")}, {token("1")}, {token("1"), token("2")}, {token("2"), token("2")}, {token("3"), token("2"), token("3")}, {},
	} {
		require.NoError(t, s.Update(t.Context(), func(w store.Writer) error {
			c := &store.Changes{}
			for _, id := range []string{"0xa", "0xb", "0xc"} {
				m := market.Market{Venue: market.Polymarket, VenueID: id, Tokens: tokens}
				c.Markets = append(c.Markets, store.MarketRow{ID: store.MarketID(m.Venue, id), Market: m, Keys: make([][]store.ID, len(tokens))})
			}
			more := market.Market{Venue: market.Polymarket, VenueID: fmt.Sprint("0xd", i)} // ids go over now and then
			c.Markets = append(c.Markets, store.MarketRow{ID: store.MarketID(more.Venue, more.VenueID), Market: more})
			return w.Apply(t.Context(), c)
		}), "%d", i)
		lines, err := s.Check(t.Context())
		require.NoError(t, err)
		require.Empty(t, lines, "%d", i)
	}
}

// TestLostIDs: rows that are not found by their ids, and ids of rows that are not there,
// are told, whichever table has them.
func TestLostIDs(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]string{
		"none":                "",
		"a market":            "DELETE FROM ids_old WHERE kind = 1",
		"a new market":        "DELETE FROM ids_new WHERE kind = 1",
		"another row":         "UPDATE ids_old SET at = at + 100 WHERE kind = 1",
		"tokens":              "DELETE FROM ids_old WHERE kind = 4",
		"markets of an event": "UPDATE ids_old SET id = id + 1 WHERE kind = 5",
		"one id in both":      "INSERT INTO ids_new SELECT * FROM ids_old WHERE kind = 1",
		"a token in both":     "INSERT INTO ids_new SELECT * FROM ids_old WHERE kind = 4",
		"claims of one id":    "INSERT INTO ids_old (kind, id, at) VALUES (6, 7, x'01'), (6, 7, x'02')",
		"two markets of one id": `UPDATE ids_old SET id = (SELECT max(id) FROM markets) WHERE kind = 1;
			UPDATE markets SET id = (SELECT max(id) FROM markets) WHERE number IN (SELECT at FROM ids_old WHERE kind = 1)`,
		"a market that is not there": "INSERT INTO ids_new (kind, id, at) VALUES (1, 7, 7)",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(memory(t), "archive.db")
			s, _, err := sqlite.Create(t.Context(), path, sqlite.Often())
			require.NoError(t, err)
			require.NoError(t, s.Update(t.Context(), func(w store.Writer) error {
				c := &store.Changes{}
				for _, id := range []string{"0xa", "0xb", "0xc", "0xd"} {
					m := market.Market{Venue: market.Polymarket, VenueID: id, Tokens: []market.Token{{VenueID: "1" + id, Label: "Up"}}}
					c.Markets = append(c.Markets, store.MarketRow{ID: store.MarketID(m.Venue, id), Market: m, Event: 9, Keys: make([][]store.ID, 1)})
				}
				return w.Apply(t.Context(), c)
			}))
			require.NoError(t, s.Close())
			db, err := sqlstore.Open(t.Context(), path, sqlstore.Options{})
			require.NoError(t, err)
			if harm != "" {
				var r sql.Result
				r, err = db.Exec(harm)
				require.NoError(t, err)
				n, err := r.RowsAffected()
				require.NoError(t, err)
				require.NotZero(t, n)
			}
			require.NoError(t, db.Close())
			s, err = sqlite.OpenReadOnly(t.Context(), path)
			require.NoError(t, err)
			defer s.Close()
			lines, err := s.Check(t.Context())
			require.NoError(t, err)
			if harm == "" {
				require.Empty(t, lines)
			} else {
				require.Len(t, lines, 1)
				require.Contains(t, lines[0], "table ids: ")
			}
		})
	}
}
