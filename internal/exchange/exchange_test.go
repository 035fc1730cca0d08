package exchange_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/exchange"
)

// at is a play that stands at a time, and past which nothing waits.
func at(c exchange.Config, now time.Time) exchange.Config {
	c.Now = func() time.Time { return now }
	c.Sleep = func(context.Context, time.Time) error { return nil }
	return c
}

func dial(t *testing.T, s *exchange.Server) *websocket.Conn {
	t.Helper()
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	ws, _, err := websocket.Dial(t.Context(), "ws"+web.URL[len("http"):]+"/ws/market", nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = ws.CloseNow() })
	return ws
}

func say(t *testing.T, ws *websocket.Conn, text string) {
	t.Helper()
	require.NoError(t, ws.Write(t.Context(), websocket.MessageText, []byte(text)))
}

func hear(t *testing.T, ws *websocket.Conn) string {
	t.Helper()
	_, data, err := ws.Read(t.Context())
	require.NoError(t, err)
	return string(data)
}

func TestProtocol(t *testing.T) {
	t.Parallel()
	rounds := exchange.Synthetic(1, time.Unix(1776081600, 0), 1)
	s := exchange.New(at(exchange.Config{Rounds: rounds}, rounds[0].End.Add(time.Hour)))
	require.NoError(t, s.Play(t.Context()))
	ws := dial(t, s)
	say(t, ws, "PING")
	require.Equal(t, "PONG", hear(t, ws))
	say(t, ws, "what?")
	require.Equal(t, "INVALID OPERATION", hear(t, ws))
	say(t, ws, `{"type":"market","initial_dump":true,"assets_ids":["`+rounds[0].Tokens[0]+`"]}`)
	up := hear(t, ws)
	require.True(t, strings.HasPrefix(up, "["), up)
	say(t, ws, `{"operation":"subscribe","initial_dump":true,"assets_ids":["`+rounds[0].Tokens[1]+`"]}`)
	down := hear(t, ws)
	var books [2][]struct {
		Type       string `json:"event_type"`
		Bids, Asks []struct{ Price, Size string }
	}
	for i, text := range []string{up, down} {
		require.NoError(t, json.Unmarshal([]byte(text), &books[i]))
		require.Equal(t, "book", books[i][0].Type)
	}
	best := len(books[0][0].Bids) - 1 // last
	require.Equal(t, books[0][0].Bids[best].Size, books[1][0].Asks[best].Size, "the books mirror each other")
	require.Zero(t, s.Twice())
	say(t, ws, `{"operation":"subscribe","assets_ids":["`+rounds[0].Tokens[1]+`"]}`)
	say(t, ws, "PING")
	require.Equal(t, "PONG", hear(t, ws), "no book without initial_dump")
	require.Equal(t, 1, s.Twice())
}

func TestSlowReadersAreCutOff(t *testing.T) {
	t.Parallel()
	rounds := exchange.Synthetic(1, time.Unix(1776081600, 0), 1)
	s := exchange.New(at(exchange.Config{Rounds: rounds, Out: 8}, rounds[0].Start))
	ws := dial(t, s)
	say(t, ws, `{"type":"market","assets_ids":["`+rounds[0].Tokens[0]+`"]}`)
	say(t, ws, "PING")
	hear(t, ws)                             // it is subscribed
	require.NoError(t, s.Play(t.Context())) // at once, more than anybody can take
	require.Positive(t, s.Slow())
	require.Eventually(t, func() bool { return s.Connections() == 0 }, time.Minute, 5*time.Millisecond)
}

func TestListings(t *testing.T) {
	t.Parallel()
	rounds := exchange.Synthetic(3, time.Unix(1776081600, 0), 1)
	s := exchange.New(at(exchange.Config{Rounds: rounds}, rounds[1].End.Add(time.Second)))
	ask := func(query string) (slugs []string) {
		rec := httptest.NewRecorder()
		s.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/events?"+query, nil))
		require.Equal(t, http.StatusOK, rec.Code)
		var events []struct{ Slug string }
		require.NoError(t, json.Unmarshal(rec.Body.Bytes(), &events))
		for _, e := range events {
			slugs = append(slugs, e.Slug)
		}
		return slugs
	}
	require.Equal(t, []string{rounds[1].Slug, rounds[2].Slug}, ask("series_slug=btc-up-or-down-5m&closed=false"))
	require.Equal(t, []string{rounds[2].Slug}, ask("series_slug=btc-up-or-down-5m&closed=false&offset=1&limit=1"))
	require.Equal(t, []string{rounds[0].Slug}, ask("slug="+rounds[0].Slug))
	require.Empty(t, ask("series_slug=eth-up-or-down-5m"))
	s.Down()
	rec := httptest.NewRecorder()
	s.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/events", nil))
	require.Equal(t, http.StatusServiceUnavailable, rec.Code)
}
