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

// TestManyIDs: where so many are asked for that those that have not gone over are told by their
// sieve, rows, claims and sums are found whichever table has them, and those put again are not
// put twice.
func TestManyIDs(t *testing.T) {
	t.Parallel()
	s, _, err := sqlite.Create(t.Context(), filepath.Join(memory(t), "archive.db"), sqlite.Often())
	require.NoError(t, err)
	defer s.Close()
	const many = 400
	put := func(n int, title string) []store.ID {
		c := &store.Changes{}
		var ids []store.ID
		for i := range n {
			m := market.Market{Venue: market.Polymarket, VenueID: fmt.Sprint("0x", i), Question: title, Category: market.Crypto}
			row := store.MarketRow{ID: store.MarketID(m.Venue, m.VenueID), Market: m, Event: store.EventID(m.Venue, fmt.Sprint(i/2)), Series: 1, UpdatedAt: 1}
			ids = append(ids, row.ID)
			c.Markets = append(c.Markets, row)
			c.Claims = append(c.Claims, store.Claim{ClaimKey: store.ClaimKey{Kind: store.MarketClaim, Owner: row.ID, Source: 1}, Doc: store.PackDoc([]byte(`{"v":"x"}`))})
			if i%2 == 0 {
				c.Events = append(c.Events, store.EventRow{ID: row.Event, Event: market.Event{Venue: m.Venue, VenueID: fmt.Sprint(i / 2), Title: title}})
			}
		}
		c.Series = []store.SeriesRow{{ID: 1, Series: market.Series{Venue: market.Polymarket, VenueID: "1"}}}
		c.Sources = []store.Source{{ID: 1, Name: "x"}}
		require.NoError(t, s.Update(t.Context(), func(w store.Writer) error { return w.Apply(t.Context(), c) }))
		return ids
	}
	put(many, "old")
	ids := put(2*many, "now")
	events := make([]store.ID, many)
	for i := range events {
		events[i] = store.EventID(market.Polymarket, fmt.Sprint(i))
	}
	require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
		rows, err := r.Markets(t.Context(), store.MarketQuery{IDs: ids, Unlisted: true, Damaged: true})
		require.NoError(t, err)
		require.Len(t, rows, 2*many)
		for i := range rows {
			require.Equal(t, "now", rows[i].Market.Question)
		}
		claims, err := r.Claims(t.Context(), store.MarketClaim, ids)
		require.NoError(t, err)
		require.Len(t, claims, 2*many)
		totals, err := r.Totals(t.Context(), store.ByEvent, events)
		require.NoError(t, err)
		require.Len(t, totals, many)
		for id, one := range totals {
			require.EqualValues(t, 2, one.Markets, id)
		}
		rows, err = r.Markets(t.Context(), store.MarketQuery{IDs: events, Unlisted: true}) // no market has any of them
		require.Empty(t, rows)
		return err
	}))
	lines, err := s.Check(t.Context())
	require.NoError(t, err)
	require.Empty(t, lines)
}

// TestLostIDs: rows that are not found by their ids, and ids of rows that are not there,
// are told, whichever table has them.
func TestLostIDs(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]string{
		"none":                "",
		"a market":            "DELETE FROM ids_old WHERE kind = 1",
		"a market between":    "DELETE FROM ids_mid WHERE kind = 1",
		"a new market":        "DELETE FROM ids_new WHERE kind = 1",
		"another row":         "UPDATE ids_old SET at = at + 100 WHERE kind = 1",
		"each other's row":    "UPDATE ids_old SET at = 7 - at WHERE kind = 1",
		"tokens":              "DELETE FROM ids_old WHERE kind = 4",
		"markets of an event": "UPDATE ids_old SET id = id + 1 WHERE kind = 5",
		"one id in both":      "INSERT INTO ids_new SELECT * FROM ids_old WHERE kind = 1",
		"a token in both":     "INSERT INTO ids_new SELECT * FROM ids_old WHERE kind = 4",
		"one id in two":       "INSERT INTO ids_old SELECT * FROM ids_mid WHERE kind = 1",
		"a token in two":      "INSERT INTO ids_new SELECT * FROM ids_mid WHERE kind = 4",
		"claims of one id":    "INSERT INTO ids_old (kind, id, at) VALUES (6, 7, x'01'), (6, 7, x'02')",
		"two markets of one id": `UPDATE ids_old SET id = (SELECT max(id) FROM markets) WHERE kind = 1;
			UPDATE markets SET id = (SELECT max(id) FROM markets) WHERE number IN (SELECT at FROM ids_old WHERE kind = 1)`,
		"no sieve":                   "DELETE FROM ids_sieve",
		"another sieve":              "UPDATE ids_sieve SET bits = zeroblob(length(bits))",
		"a market that is not there": "INSERT INTO ids_new (kind, id, at) VALUES (1, 7, 7)",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(memory(t), "archive.db")
			s, _, err := sqlite.Create(t.Context(), path, sqlite.Often())
			require.NoError(t, err)
			require.NoError(t, s.Update(t.Context(), func(w store.Writer) error {
				c := &store.Changes{}
				for i := range 10 {
					id := fmt.Sprint("0x", i)
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
				require.NotEmpty(t, lines)
				for _, line := range lines {
					require.Contains(t, line, "table ids: ")
				}
			}
		})
	}
}

// TestLostTags: tags of markets that lists do not find them by are told, and others.
func TestLostTags(t *testing.T) {
	t.Parallel()
	path := filepath.Join(memory(t), "archive.db")
	s, _, err := sqlite.Create(t.Context(), path)
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, s.Update(t.Context(), func(w store.Writer) error {
		c := &store.Changes{}
		for id, tags := range map[string][]string{"0xa": {"one", "two"}, "0xb": {"two"}, "0xc": nil, "0xd": {"three"}} {
			m := market.Market{Venue: market.Polymarket, VenueID: id, Category: market.Crypto, Tags: tags}
			c.Markets = append(c.Markets, store.MarketRow{ID: store.MarketID(m.Venue, id), Market: m})
		}
		return w.Apply(t.Context(), c)
	}))
	db, err := sqlstore.Open(t.Context(), path, sqlstore.Options{})
	require.NoError(t, err)
	defer db.Close()
	_, err = db.Exec("CREATE TABLE kept AS SELECT * FROM tags")
	require.NoError(t, err)
	for _, harm := range []string{
		"",
		"UPDATE tags SET rows = x'0900' WHERE tag = 'one'",
		"UPDATE tags SET sheet = 1 WHERE tag = 'one'",
		"UPDATE tags SET category = 'sports' WHERE tag = 'one'",
		"UPDATE tags SET tag = 'four' WHERE tag = 'one'",
		"INSERT INTO tags (tag, category, kind, sheet, rows) VALUES ('four', 'crypto', 1, 0, x'0100')",
		"UPDATE tags SET rows = (SELECT rows FROM kept WHERE tag = CASE tags.tag WHEN 'one' THEN 'three' ELSE 'one' END) WHERE tag <> 'two'",
		"DELETE FROM tags",
	} {
		_, err := db.Exec(harm)
		require.NoError(t, err)
		lines, err := s.Check(t.Context())
		require.NoError(t, err)
		if harm == "" {
			require.Empty(t, lines)
		} else {
			require.Equal(t, []string{"table tags: does not match the tags of the markets"}, lines, harm)
		}
		_, err = db.Exec("DELETE FROM tags; INSERT INTO tags SELECT * FROM kept")
		require.NoError(t, err)
	}
}
