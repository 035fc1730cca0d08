package contract

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/simulate"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/internal/archivetest"
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
func (r *recording) put(ctx context.Context, a archivetest.Taker, stop int) error {
	imp, err := a.Begin(ctx, store.Source{
		SHA256: sha256.Sum256([]byte(r.name)), Name: r.name, Format: "test", Authority: store.FromExchange, ImportedAt: archivetest.Start,
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

// relabelling is a store whose blocks say that they are of another version of the format,
// as a program before or after would leave them.
type relabelling struct{ store.Store }

func (s relabelling) Update(ctx context.Context, write func(store.Writer) error) error {
	return s.Store.Update(ctx, func(w store.Writer) error { return write(relabelled{w}) })
}

type relabelled struct{ store.Writer }

func (w relabelled) PutBlocks(ctx context.Context, blocks []store.Block) error {
	for i := range blocks {
		b := &blocks[i]
		b.Version++
		b.Data = slices.Clone(b.Data)
		b.Data[2]++
		end := len(b.Data) - 4
		binary.LittleEndian.PutUint32(b.Data[end:], crc32.Checksum(b.Data[:end], crc32.MakeTable(crc32.Castagnoli)))
		b.Checksum = store.Checksum(b.Data)
	}
	return w.Writer.PutBlocks(ctx, blocks)
}

// testResumed goes on with an import that another program left in the middle, which packs
// the same blocks otherwise, or in another version of the format: by importing on, and by
// a copy into what it left. The archive is that of a new import.
func testResumed(t *testing.T, open Open) {
	sim, err := simulate.New(simulate.Config{Seed: 3, Pairs: []simulate.Pair{{Coin: "BTC", Type: "5m", Rounds: 5}}, Rate: 0.3, Levels: 8})
	require.NoError(t, err)
	f := &resumedTest{open: open, file: recording{name: "file.jsonl", to: 10}}
	captures := 0
	for i := range sim.Len() {
		f.file.rounds = append(f.file.rounds, sim.Round(i))
		for range sim.Round(i).Captures() {
			captures++
		}
	}
	same := func(s store.Store) store.Store { return s }
	other := func(s store.Store) store.Store { return relabelling{s} }
	for name, c := range map[string]struct {
		before block.Options
		under  func(store.Store) store.Store
		memory int // 1,500 bytes are less than a round takes, 4,000 more
		stop   int
	}{
		"packed otherwise":                   {block.Options{NoCompression: true}, same, 4000, captures - 1},
		"another version, amid small writes": {block.Options{}, other, 1500, captures / 2},
		"another version, amid large writes": {block.Options{}, other, 4000, captures - 1},
	} {
		t.Run(name, func(t *testing.T) {
			f.left(t, intake.Config{BlockCaptures: 40, Memory: c.memory}, c.before, c.under, c.stop)
		})
	}
}

type resumedTest struct {
	open Open
	file recording
}

// left goes on with an import that ended before a capture. under is the store that it was
// left in, as the program before wrote to it.
func (f *resumedTest) left(t *testing.T, c intake.Config, blocks block.Options, under func(store.Store) store.Store, stop int) {
	ctx := t.Context()
	made := newArchive(t, f.open, c)
	require.NoError(t, f.file.put(ctx, made, whole))
	want := inside(t, made)
	require.Equal(t, []uint8{block.Version}, want.versions)
	require.Contains(t, want.answers, `"entry_price":`)
	before := c
	before.Blocks = blocks
	goOn := func(how func(*archivetest.Archive)) {
		left := f.open(t)
		require.NoError(t, f.file.put(ctx, archivetest.New(under(left), before), stop))
		a := archivetest.New(left, c)
		t.Cleanup(func() { require.NoError(t, a.Close()) })
		how(a)
		requireSound(t, a)
		got := inside(t, a)
		require.Equal(t, want.answers, got.answers)
		require.Equal(t, want.sources, got.sources)
		require.Equal(t, want.refs, got.refs)
	}
	resume := func(a *archivetest.Archive) {
		err := f.file.put(ctx, a, whole)
		if errors.Is(err, store.ErrAgain) { // some of it was found to be cut otherwise
			err = f.file.put(ctx, a, whole)
		}
		require.NoError(t, err)
	}
	goOn(resume)
	goOn(func(a *archivetest.Archive) {
		require.NoError(t, f.file.put(ctx, a, stop/2))
		resume(a)
	})
	goOn(func(a *archivetest.Archive) {
		r, err := care.Copy(ctx, made.Store(), a.Store(), nil)
		require.NoError(t, err)
		require.Empty(t, r.Damage)
		require.Empty(t, r.Differing)
	})
}

// insides are what an archive of rounds answers and how it is stored.
type insides struct {
	answers  string // Dump, and a backtest with its receipt
	sources  []store.Source
	versions []uint8          // of the blocks of books, each once, ascending
	refs     []store.BlockRef // of all captures and tops
}

func inside(t testing.TB, a *archivetest.Archive) insides {
	t.Helper()
	ctx := t.Context()
	out := insides{answers: archivetest.Dump(t, a) + backtested(t, a)}
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
func backtested(t testing.TB, a *archivetest.Archive) string {
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
