package archivetest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/simulate"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// recording is a file that has a share of the captures of each of some rounds, one round
// behind the other.
type recording struct {
	name     string
	rounds   []*simulate.Round
	from, to int // the share, in tenths of the captures of a round
}

// whole is where put stops that imports a file to its end.
const whole = -1

// put imports r, or as many of its captures as stop says, and leaves it then.
func (r *recording) put(ctx context.Context, a Taker, stop int) error {
	imp, err := a.Begin(ctx, store.Source{
		SHA256: sha256.Sum256([]byte(r.name)), Name: r.name, Format: "test", Authority: store.FromExchange, ImportedAt: Start,
	})
	if err != nil {
		return err
	}
	defer imp.Close()
	if imp.Complete() {
		return nil
	}
	n := 0
	for _, round := range r.rounds {
		m, err := imp.Market(ctx, round.Market)
		if err != nil {
			return err
		}
		all := 0
		for range round.Captures() {
			all++
		}
		at := 0
		for c := range round.Captures() {
			if at++; at <= all*r.from/10 || at > all*r.to/10 {
				continue
			}
			if n == stop {
				return nil
			}
			n++
			if err := m.Add(c); err != nil {
				return err
			}
		}
		if err := m.Done(ctx); err != nil {
			return err
		}
	}
	_, err = imp.Finish(ctx, intake.End{Messages: int64(n)})
	return err
}

// testFormer goes on with what a program before wrote, whose blocks of books are of
// version 1: with an import that was left in the middle, by it or after it also by this
// program, with a copy into what it left, and with a further import beside one that it
// finished. The archive is that of new imports. So it is after a program that packs the
// same blocks otherwise.
func testFormer(t *testing.T, open Open) {
	sim, err := simulate.New(simulate.Config{Seed: 3, Pairs: []simulate.Pair{{Coin: "BTC", Type: "5m", Rounds: 5}}, Rate: 0.3, Levels: 8})
	require.NoError(t, err)
	f := &formerTest{open: open, file: recording{name: "file.jsonl", to: 10}}
	for i := range sim.Len() {
		f.file.rounds = append(f.file.rounds, sim.Round(i))
		for range sim.Round(i).Captures() {
			f.captures++
		}
	}
	for name, c := range map[string]struct {
		before block.Options
		memory int // 1,500 bytes are less than a round takes, 4,000 more
		stop   int
	}{
		"left amid small writes":     {block.Options{Former: true}, 1500, f.captures / 2},
		"left amid large writes":     {block.Options{Former: true}, 4000, f.captures - 1},
		"left, and packed otherwise": {block.Options{NoCompression: true}, 4000, f.captures - 1},
	} {
		t.Run(name, func(t *testing.T) {
			f.left(t, intake.Config{BlockCaptures: 40, Memory: c.memory}, c.before, c.stop)
		})
	}
	t.Run("complete", f.complete)
}

type formerTest struct {
	open     Open
	file     recording
	captures int // of file
}

// left goes on with an import that ended before a capture.
func (f *formerTest) left(t *testing.T, c intake.Config, blocks block.Options, stop int) {
	ctx := t.Context()
	made := newArchive(t, f.open, c)
	require.NoError(t, f.file.put(ctx, made, whole))
	want := inside(t, made)
	require.Equal(t, []uint8{block.Version}, want.versions)
	require.Contains(t, want.answers, `"entry_price":`)
	before := c
	before.Blocks = blocks
	goOn := func(how func(*Archive)) {
		under := f.open(t)
		old := New(under, before)
		require.NoError(t, f.file.put(ctx, old, stop))
		is := inside(t, old)
		require.False(t, is.sources[0].Complete)
		require.Equal(t, blocks.Former, slices.Equal(is.versions, []uint8{1}))
		a := New(under, c)
		t.Cleanup(func() { require.NoError(t, a.Close()) })
		how(a)
		requireSound(t, a)
		got := inside(t, a)
		require.Equal(t, want.answers, got.answers)
		require.Equal(t, want.sources, got.sources)
		require.Equal(t, want.refs, got.refs)
	}
	resume := func(a *Archive) {
		err := f.file.put(ctx, a, whole)
		if errors.Is(err, store.ErrAgain) && !blocks.Former { // some of it was found to be cut otherwise
			err = f.file.put(ctx, a, whole)
		}
		require.NoError(t, err)
	}
	goOn(resume)
	goOn(func(a *Archive) {
		require.NoError(t, f.file.put(ctx, a, stop/2))
		if blocks.Former {
			require.Contains(t, inside(t, a).versions, uint8(1))
		}
		requireSound(t, a)
		resume(a)
	})
	goOn(func(a *Archive) {
		r, err := care.Copy(ctx, made.Store(), a.Store(), nil)
		require.NoError(t, err)
		require.Empty(t, r.Damage)
		require.Empty(t, r.Differing)
	})
}

// complete imports another file beside one that was taken in whole.
func (f *formerTest) complete(t *testing.T) {
	ctx, c := t.Context(), intake.Config{BlockCaptures: 40, Memory: 4000}
	made := newArchive(t, f.open, c)
	require.NoError(t, f.file.put(ctx, made, whole))
	c.Blocks.Former = true
	old := newArchive(t, f.open, c)
	require.NoError(t, f.file.put(ctx, old, whole))
	is := inside(t, old)
	require.Equal(t, []uint8{1}, is.versions)
	require.Equal(t, inside(t, made).answers, is.answers)
	a := New(old.Store(), intake.Config{BlockCaptures: 40, Memory: 4000})
	require.NoError(t, f.file.put(ctx, a, whole))
	require.Equal(t, is.refs, inside(t, a).refs, "what is complete stays")

	overlap := recording{"overlap.jsonl", f.file.rounds[2:], 3, 8}
	require.NoError(t, overlap.put(ctx, made, whole))
	require.NoError(t, overlap.put(ctx, a, whole))
	both := inside(t, a)
	require.Equal(t, []uint8{1, block.Version}, both.versions)
	require.Equal(t, inside(t, made).answers, both.answers)
	requireSound(t, a)
}

// insides are what an archive of rounds answers and how it is stored.
type insides struct {
	answers  string // Dump, and a backtest with its receipt
	sources  []store.Source
	versions []uint8          // of the blocks of books, each once, ascending
	refs     []store.BlockRef // of all captures and tops
}

func inside(t testing.TB, a *Archive) insides {
	t.Helper()
	ctx := t.Context()
	out := insides{answers: Dump(t, a) + backtested(t, a)}
	var err error
	out.sources, err = a.Sources(ctx)
	require.NoError(t, err)
	require.NoError(t, a.Store().View(ctx, func(r store.Reader) error {
		rows, err := r.Markets(ctx, store.MarketQuery{Unlisted: true})
		if err != nil {
			return err
		}
		var ids, tokens []store.ID
		for i := range rows {
			ids = append(ids, rows[i].ID)
			for _, k := range rows[i].Market.Tokens {
				tokens = append(tokens, store.TokenID(rows[i].Market.Venue, k.VenueID))
			}
		}
		if out.refs, err = r.Refs(ctx, tokens, market.Earliest, market.Latest); err != nil {
			return err
		}
		for _, b := range out.refs {
			if b.Stream == block.Books {
				out.versions = append(out.versions, b.Version)
			}
		}
		tops, err := r.Tops(ctx, ids)
		out.refs = append(out.refs, tops...)
		return err
	}))
	slices.SortFunc(out.refs, func(a, b store.BlockRef) int {
		return cmp.Or(cmp.Compare(a.Token, b.Token), cmp.Compare(a.Stream, b.Stream), cmp.Compare(a.Sequence, b.Sequence))
	})
	slices.Sort(out.versions)
	out.versions = slices.Compact(out.versions)
	return out
}

// backtested returns a backtest over all that an archive has, as it is saved.
func backtested(t testing.TB, a *Archive) string {
	t.Helper()
	s, err := strategy.Parse([]byte(`{
		"market": {"coin": "BTC", "market_type": "5m"}, "side": "up",
		"entry": [{"type": "price", "token": "up", "comparator": "lt", "threshold": 0.55, "within_seconds": null}],
		"exit": {"take_profit": 0.65, "stop_loss": 0.4, "hold_to_expiry": true},
		"budget_per_trade": 200, "sample_size": 100
	}`))
	require.NoError(t, err)
	report, err := backtest.Run(t.Context(), a, s, backtest.DefaultOptions(), replay.Parallel{Workers: 1})
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, (&backtest.Body{Strategy: s, Report: report}).WriteJSON(&out))
	return out.String()
}
