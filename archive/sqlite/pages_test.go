package sqlite_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/market"
)

// TestMisplacedPages exchanges pages of the file, repeats one in place of another,
// and puts back what pages held before the last import, as a lost write does: their
// checksums hold. Every reader tells of it or answers as before, and each ends. 60 by
// default:
//
//	LADDERBACK_CRASH_ROUNDS=1000 go test ./archive/sqlite -run MisplacedPages -v
func TestMisplacedPages(t *testing.T) {
	t.Parallel()
	path := filepath.Join(memory(t), "whole.db")
	opened, _, err := sqlite.Create(t.Context(), path)
	require.NoError(t, err)
	a := archivetest.New(opened)
	s := archivetest.NewScenario(11, 60)
	files := append(s.Split(11, 3), archivetest.Metadata(s, 11, 3)...)
	var before []byte
	for i := range files {
		if i == len(files)-1 {
			require.NoError(t, opened.Shrink(t.Context()))
			before, err = os.ReadFile(path)
			require.NoError(t, err)
		}
		require.NoError(t, archivetest.Put(t.Context(), a, s, &files[i]))
	}
	require.NoError(t, a.Close())
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	want, err := answers(t.Context(), path)
	require.NoError(t, err)
	require.NotEmpty(t, want["rounds"])

	size := int(binary.BigEndian.Uint16(whole[16:]))
	pages := len(whole) / size
	page := func(b []byte, n int) []byte { return b[n*size : (n+1)*size] }
	rnd := rand.New(rand.NewPCG(38, 53))
	told, same := 0, 0
	broken := filepath.Join(memory(t), "broken.db")
	for round := range rounds(t, 60) {
		b := append([]byte(nil), whole...)
		x, y := 1+rnd.IntN(pages-1), 1+rnd.IntN(pages-1)
		what := fmt.Sprintf("round %d: pages %d and %d exchanged", round, x+1, y+1)
		switch round % 3 {
		case 0:
			copy(page(b, x), page(whole, y))
			copy(page(b, y), page(whole, x))
		case 1:
			what = fmt.Sprintf("round %d: page %d in place of page %d", round, x+1, y+1)
			copy(page(b, y), page(whole, x))
		case 2:
			x = 1 + x%(len(before)/size-1)
			what = fmt.Sprintf("round %d: page %d as it was before", round, x+1)
			copy(page(b, x), page(before, x))
		}
		for _, name := range beside(t, broken) {
			require.NoError(t, os.Remove(name))
		}
		require.NoError(t, os.WriteFile(broken, b, 0o600))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		got, err := answers(ctx, broken)
		require.NotErrorIs(t, err, context.DeadlineExceeded, what)
		cancel()
		if err != nil {
			told++
		} else {
			same++
		}
		for name, text := range got {
			require.Equal(t, want[name], text, "%s: %s", what, name)
		}
	}
	t.Logf("%d pages of %d bytes: told of %d damages, %d change no answer", pages, size, told, same)
	require.Positive(t, told)
}

func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// answers is what each reader of an archive says, without those that fail, and the
// first error.
func answers(ctx context.Context, path string) (out map[string]string, first error) {
	opened, err := sqlite.OpenReadOnly(ctx, path)
	if err != nil {
		return nil, err
	}
	a := archivetest.New(opened)
	defer a.Close()
	out = map[string]string{}
	note := func(name, text string, err error) {
		if err == nil {
			out[name] = text
		} else if first == nil || ctx.Err() != nil {
			first = err
		}
	}
	for _, f := range []market.RoundFilter{{}, {Coin: "BTC"}, {Type: "5m"}, {From: 1, To: market.Latest}} {
		rounds, err := a.Rounds(ctx, f)
		var text string
		for i := range rounds {
			r := &rounds[i]
			text += fmt.Sprintf("%s %s\n", r.Market.VenueID, asJSON(r))
		}
		name := "rounds"
		if f != (market.RoundFilter{}) {
			name = fmt.Sprint("rounds ", f)
		}
		note(name, text, err)
		for _, d := range []market.RoundDraw{{Limit: 2}, {Limit: 2, Random: true}, {Covered: 500_000, Inferred: true, Limit: 1}} {
			d.RoundFilter = f
			sample, n, err := a.Sample(ctx, d)
			note(fmt.Sprintf("sample %+v", d), asJSON(sample)+asJSON(n), err)
		}
		for i := range rounds {
			m := rounds[i].Market
			trace, err := archivetest.Trace(m, a.Captures(ctx, m))
			note("captures of "+m.VenueID, fmt.Sprint(trace), err)
		}
	}
	for name, list := range map[string]func(store.Reader) (any, error){
		"list of events": func(r store.Reader) (any, error) { return r.Events(ctx, store.GroupQuery{}) },
		"list of series": func(r store.Reader) (any, error) { return r.Series(ctx, store.GroupQuery{}) },
		"list of tags":   func(r store.Reader) (any, error) { return r.Tags(ctx, "") },
		"sources":        func(r store.Reader) (any, error) { return r.Sources(ctx, nil) },
		"list of markets": func(r store.Reader) (any, error) {
			return r.Markets(ctx, store.MarketQuery{Page: store.Page{Limit: 50}})
		},
	} {
		var text string
		err := opened.View(ctx, func(r store.Reader) error {
			rows, err := list(r)
			text = asJSON(rows)
			return err
		})
		note(name, text, err)
	}
	var text string
	err = a.Coverage(ctx, store.MarketQuery{UpDown: true, Page: store.Page{Sort: store.ByEnd, Ascending: true}}, func(c *care.Coverage) error {
		text += fmt.Sprintln(c.Market.VenueID, c.Stats, c.OneSided, c.Crossed, c.Resets, c.Gap)
		return nil
	})
	note("coverage", text, err)
	v, err := a.Verify(ctx, nil)
	if err == nil && len(v.Damage) > 0 {
		err = fmt.Errorf("%v: %w", v.Damage[0], store.ErrDamaged)
	}
	note("verify", "", err)
	return out, first
}
