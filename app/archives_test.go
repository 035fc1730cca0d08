package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/record"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// quiet is an App with an environment that says nothing.
func quiet(env map[string]string) *App {
	return &App{Getenv: func(name string) string { return env[name] }, Say: func(string, ...any) {}, OverDemo: func() {}, In: strings.NewReader("")}
}

// TestAddresses: archives are named by flag, else by the environment, one or one a
// category; a refusal does not repeat what may hold a password.
func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		given []string
		env   string
		want  []Address
		says  string
	}{
		{nil, "", []Address{}, ""},
		{nil, "a.db", []Address{{"", "a.db"}}, ""},
		{nil, "my archive.db", []Address{{"", "my archive.db"}}, ""},
		{nil, "crypto=a.db sports=b.db", []Address{{market.Crypto, "a.db"}, {market.Sports, "b.db"}}, ""},
		{[]string{"b.db"}, "a.db", []Address{{"", "b.db"}}, ""},
		{[]string{"sports=postgres://u:p@h/d"}, "", []Address{{market.Sports, "postgres://u:p@h/d"}}, ""},
		{[]string{"crypto="}, "", nil, "expected a file path"},
		{[]string{"a.db", "b.db"}, "", nil, "each needs a category"},
		{[]string{"crypto=a.db", "crypto=b.db"}, "", nil, "crypto already has one: a.db"},
		{[]string{"mysql://u:secret@h/d"}, "", nil, "unknown scheme mysql://"},
		{[]string{"host=h password=secret"}, "", nil, "keywords"},
	} {
		got, err := quiet(map[string]string{ArchiveEnv: c.env}).Addresses(c.given)
		if c.says != "" {
			require.ErrorContains(t, err, c.says, "%v", c.given)
			require.NotContains(t, err.Error(), "secret")
			require.Equal(t, market.CodeBadRequest, market.CodeOf(err))
			continue
		}
		require.NoError(t, err, "%v", c.given)
		require.Equal(t, c.want, got)
	}
}

// TestToWrite: what writes takes one archive, and never that of the demo.
func TestToWrite(t *testing.T) {
	t.Parallel()
	a := quiet(nil)
	for says, given := range map[string][]string{
		"needs --archive FILE": nil, "writes to one archive, got 2": {"crypto=a.db", "sports=b.db"}, "read-only": {filepath.Join("x", DemoName())},
	} {
		_, err := a.ToWrite(given, "import")
		require.ErrorContains(t, err, says)
	}
	target, err := a.ToWrite([]string{"crypto=a.db"}, "import")
	require.NoError(t, err)
	require.Equal(t, "a.db", target)
	require.Equal(t, "a.db and a PostgreSQL archive", a.ArchiveNames([]string{"crypto=/x/a.db", "sports=postgres://u:p@h/d"}))
	require.Equal(t, "the demo archive", a.ArchiveNames(nil))
}

// TestAccessAddress: keys stand beside the first archive, in a file of their own, or in
// its database.
func TestAccessAddress(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := quiet(map[string]string{"LADDERBACK_CACHE": dir})
	for want, c := range map[string]struct {
		flag  string
		given []string
	}{
		"keys.db":                         {"keys.db", []string{"a.db"}},
		filepath.Join(dir, "a-access.db"): {"", []string{filepath.Join(dir, "a.db")}},
		"postgres://h/d":                  {"", []string{"crypto=postgres://h/d", "sports=b.db"}},
		filepath.Join(dir, strings.TrimSuffix(DemoName(), ".db")+"-access.db"): {"", nil},
	} {
		got, err := a.AccessAddress(t.Context(), c.flag, c.given)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := a.AccessAddress(t.Context(), DemoName(), nil)
	require.ErrorContains(t, err, "read-only")
}

// TestParseBatch: answers stand in the order of the prompts, however many are read at a
// time, each with the id of its line; a line that is none says so.
func TestParseBatch(t *testing.T) {
	t.Parallel()
	var in strings.Builder
	const n = 3*batchChunk + 7
	for i := range n {
		fmt.Fprintf(&in, "{\"id\":%d,\"prompt\":\"Buy Up on BTC 15m below %dc\"}\n\n", i, 10+i%80)
	}
	in.WriteString("\ufeff{\"id\":\"none\"}\nnot json\n{\"prompt\":\"when the moon is full\"}\n")
	a := quiet(nil)
	a.In = strings.NewReader(in.String())
	var out bytes.Buffer
	require.NoError(t, a.ParseBatch(t.Context(), "-", "rules", &out))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, n+3)
	for i, line := range lines[:n] {
		var got struct {
			ID       int
			Strategy struct{ Entry []struct{ Threshold float64 } }
			Ignored  []any
		}
		require.NoError(t, json.Unmarshal([]byte(line), &got), line)
		require.Equal(t, i, got.ID)
		require.InDelta(t, float64(10+i%80)/100, got.Strategy.Entry[0].Threshold, 1e-9)
		require.NotNil(t, got.Ignored, "lists are there, if empty")
	}
	for i, want := range []string{`"id":"none","error":"bad_request","message":"the line has no prompt"`, `"id":null,"error":"bad_request","message":"not a JSON object`, `"id":null,"error":"`} {
		require.Contains(t, lines[n+i], want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a.In = strings.NewReader(in.String())
	require.ErrorIs(t, a.ParseBatch(ctx, "-", "rules", &out), context.Canceled)
}

// TestKeeperIsAlone: of two keepers of one archive the second is refused for the same
// series, and let in once the first has gone.
func TestKeeperIsAlone(t *testing.T) {
	t.Parallel()
	a := quiet(nil)
	path := filepath.Join(t.TempDir(), "a.db")
	first, err := a.Keeper(t.Context(), []string{path})
	require.NoError(t, err)
	require.NotNil(t, first.Archive())
	spool, err := first.Spool()
	require.NoError(t, err)
	require.Equal(t, path+".recording", spool)
	require.NoError(t, first.ClaimSeries(t.Context(), []string{"btc-up-or-down-5m"}))
	second, err := a.Keeper(t.Context(), []string{path})
	require.NoError(t, err)
	require.ErrorIs(t, second.ClaimSeries(t.Context(), []string{"btc-up-or-down-5m"}), record.ErrTwice)
	require.NoError(t, first.Close())
	require.NoError(t, second.ClaimSeries(t.Context(), []string{"btc-up-or-down-5m"}))
	require.NoError(t, second.Close())

	_, err = a.Keeper(t.Context(), []string{filepath.Join(t.TempDir(), "no", "such", "a.db")})
	require.Error(t, err)
	require.NotErrorIs(t, err, store.ErrLocked)
}
