package scan_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/scan"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// lanes is a market of two lanes of trades, of several blocks each.
func lanes(t *testing.T) *memory {
	t.Helper()
	m := pair()
	for number := range int64(2) {
		var lane []captured
		for i := range 12 {
			lane = append(lane, captured{source: 1, lane: number, Capture: trade(market.Instant(10+i), 1, market.Price(5000+i)+market.Price(number))})
		}
		m.lane(t, rand.New(rand.NewPCG(1, uint64(number))), lane)
	}
	return m
}

// part is what the blocks of a market come to.
func (m *memory) part() store.Part {
	p := store.Part{PartKey: store.PartKey{Source: 1, Token: 1, Stream: block.Trades}}
	for i := range m.refs {
		r := &m.refs[i]
		p.Blocks++
		p.Captures += int64(r.Captures)
		p.Changes += int64(r.Changes)
		p.Bytes += int64(r.Bytes)
		p.Refs += r.Sum()
	}
	return p
}

// TestCheckPart: each thing that may be wrong with a part is told once, of the block that it
// is wrong with, and of no other.
func TestCheckPart(t *testing.T) {
	t.Parallel()
	whole := lanes(t).part()
	for name, c := range map[string]struct {
		spoil func(m *memory)
		part  *store.Part // nil: what the blocks come to now
		want  []string    // the block's number, −1 for the part, and what is said
	}{
		"nothing":          {func(*memory) {}, &whole, nil},
		"a bit of a block": {func(m *memory) { m.data[2][9] ^= 1 }, &whole, []string{"2 checksum differs"}},
		"a shorter block":  {func(m *memory) { m.data[2] = m.data[2][:20] }, &whole, []string{"2 checksum differs"}},
		"one block for another": {func(m *memory) {
			m.data[2], m.refs[2].Bytes, m.refs[2].Checksum = m.data[0], m.refs[0].Bytes, m.refs[0].Checksum
		}, nil, []string{"2 row and header differ"}},
		"no block": {func(m *memory) {
			m.data[2] = []byte("no block")
			m.refs[2].Bytes, m.refs[2].Checksum = len(m.data[2]), store.Checksum(m.data[2])
		}, nil, []string{"2 archive damaged"}},
		"what was traded":               {func(m *memory) { m.refs[2].Traded++ }, nil, []string{"2 kinds or traded value"}},
		"its kinds":                     {func(m *memory) { m.refs[2].Kinds++ }, nil, []string{"2 kinds or traded value"}},
		"its last time":                 {func(m *memory) { m.refs[2].Last++ }, nil, []string{"2 row and header differ"}},
		"its key":                       {func(m *memory) { m.refs[2].Sequence++ }, nil, []string{"2 key does not match"}},
		"a row that only its sum knows": {func(m *memory) { m.refs[2].Traded++; m.refs[2].Traded-- }, changed(whole, func(p *store.Part) { p.Refs++ }), []string{"-1 rows of its blocks differ from their checksum"}},
		"a block missing from the middle": {func(m *memory) {
			m.refs = append(m.refs[:1:1], m.refs[2:]...)
			m.data = append(m.data[:1:1], m.data[2:]...)
		}, nil, []string{"1 a block before it is missing"}},
		"the first of all":                 {func(m *memory) { m.refs, m.data = m.refs[1:], m.data[1:] }, nil, []string{"0 a block before it is missing"}},
		"the last":                         {func(m *memory) { m.refs = m.refs[:len(m.refs)-1] }, &whole, []string{"-1 blocks with"}},
		"the captures that there were":     {func(*memory) {}, changed(whole, func(p *store.Part) { p.Captures++ }), []string{"-1 with 24 captures: expected"}},
		"the changes that there were":      {func(*memory) {}, changed(whole, func(p *store.Part) { p.Changes++ }), []string{"-1 blocks with"}},
		"the bytes that there were":        {func(*memory) {}, changed(whole, func(p *store.Part) { p.Bytes++ }), []string{"-1 blocks with"}},
		"two blocks, and each is told of":  {func(m *memory) { m.data[0][9] ^= 1; m.data[3][9] ^= 1 }, &whole, []string{"0 checksum differs", "3 checksum differs"}},
		"a key and a bit of the one block": {func(m *memory) { m.refs[1].Sequence++; m.data[1][9] ^= 1 }, nil, []string{"1 key does not match", "1 checksum differs"}},
	} {
		m := lanes(t)
		require.Greater(t, len(m.refs), 5)
		c.spoil(m)
		p := m.part()
		if c.part != nil {
			p = *c.part
		}
		var got []string
		for _, f := range scan.CheckPart(t.Context(), m, p, m.refs) {
			at := -1
			for i := range m.refs {
				if f.Ref == &m.refs[i] {
					at = i
				}
			}
			got = append(got, fmt.Sprint(at, " ", f.Err))
		}
		require.Len(t, got, len(c.want), "%s: %v", name, got)
		for i, want := range c.want {
			at, text, _ := strings.Cut(want, " ")
			require.True(t, strings.HasPrefix(got[i], at+" ") && strings.Contains(got[i], text), "%s: %q, want %q", name, got[i], want)
		}
	}
}

// TestDeriveHoldsBlocksAgainstTheirRows: what CheckPart finds wrong with a block ends
// Derive, and what it finds wrong with rows alone is left to the part.
func TestDeriveHoldsBlocksAgainstTheirRows(t *testing.T) {
	t.Parallel()
	m := lanes(t)
	d, err := scan.Derive(t.Context(), m, &m.row)
	require.NoError(t, err)
	require.Equal(t, m.refs, d.Refs)
	refs, flaws := d.CheckPart(m.part())
	require.Len(t, refs, len(m.refs))
	require.Empty(t, flaws)
	_, flaws = d.CheckPart(*changed(m.part(), func(p *store.Part) { p.Refs++ }))
	require.Len(t, flaws, 1)

	for name, spoil := range map[string]func(m *memory){
		"a bit of a block": func(m *memory) { m.data[2][9] ^= 1 },
		"what was traded":  func(m *memory) { m.refs[2].Traded++ },
		"its kinds":        func(m *memory) { m.refs[len(m.refs)-1].Kinds++ },
		"its last time":    func(m *memory) { m.refs[2].Last++ },
	} {
		m := lanes(t)
		spoil(m)
		_, err := scan.Derive(t.Context(), m, &m.row)
		require.ErrorIs(t, err, store.ErrDamaged, name)
	}
}

func changed(p store.Part, how func(*store.Part)) *store.Part {
	how(&p)
	return &p
}

// failing is a reader of which one block makes each question about it fail.
type failing struct {
	*memory
	at  store.BlockRef
	err error
}

func (f *failing) ReadBlocks(ctx context.Context, refs []store.BlockRef, each func(int, []byte) error) error {
	for _, r := range refs {
		if r == f.at {
			return f.err
		}
	}
	return f.memory.ReadBlocks(ctx, refs, each)
}

// TestOneThatCannotBeReadSaysNothingOfTheOthers, and that it could not be asked for is no
// damage.
func TestOneThatCannotBeReadSaysNothingOfTheOthers(t *testing.T) {
	t.Parallel()
	m := lanes(t)
	m.data[1][9] ^= 1
	broken := &failing{m, m.refs[3], fmt.Errorf("of the disk: %w", store.ErrDamaged)}
	flaws := scan.CheckPart(t.Context(), broken, m.part(), m.refs)
	require.Len(t, flaws, 2)
	require.Same(t, &m.refs[1], flaws[0].Ref)
	require.Same(t, &m.refs[3], flaws[1].Ref)
	require.Equal(t, broken.err, flaws[1].Err)
	require.NoError(t, scan.Unreachable(flaws))

	broken.err = fmt.Errorf("asked twice: %w", store.ErrUnreachable)
	flaws = scan.CheckPart(t.Context(), broken, m.part(), m.refs)
	require.Equal(t, broken.err, scan.Unreachable(flaws))

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	asked := 0
	scan.CheckPart(ended, gone{m, &asked}, m.part(), m.refs)
	require.Equal(t, 1, asked, "whoever has gone asks for no block by itself")
}

type gone struct {
	*memory
	asked *int
}

func (c gone) ReadBlocks(ctx context.Context, _ []store.BlockRef, _ func(int, []byte) error) error {
	*c.asked++
	return ctx.Err()
}

// round is a market of which tops are kept, with its row of them.
type round struct {
	*memory
	tops []store.Block
}

func (r *round) Tops(context.Context, []store.ID) (refs []store.BlockRef, err error) {
	for _, b := range r.tops {
		refs = append(refs, b.BlockRef)
	}
	return refs, nil
}

func (r *round) ReadBlocks(ctx context.Context, refs []store.BlockRef, each func(int, []byte) error) error {
	if len(refs) > 0 && refs[0].Stream == block.Tops {
		return each(0, r.tops[0].Data)
	}
	return r.memory.ReadBlocks(ctx, refs, each)
}

// TestCheckTops: tops that are not those of the captures are told, whatever their checksum
// says, and whichever part of their row is another.
func TestCheckTops(t *testing.T) {
	t.Parallel()
	made := func(ask market.Price) *round {
		m := pair()
		m.row.ID, m.row.Basis = 9, [32]byte{1}
		m.row.Market.Coin, m.row.Market.Type, m.row.Market.Start, m.row.Market.End = "BTC", "5m", 20, 100
		var all []market.Capture
		for i := range market.Instant(30) {
			c := book(10+3*i, 0, 4000+100*market.Price(i%5))
			c.Asks[0].Price = ask
			all = append(all, c)
		}
		m.put(t, 1, 0, all...)
		b, err := scan.DeriveTops(t.Context(), m, &m.row)
		require.NoError(t, err)
		require.Greater(t, b.Captures, 20)
		return &round{m, []store.Block{*b}}
	}
	other := made(4700).tops[0]
	for name, spoil := range map[string]func(r *round){
		"nothing": func(*round) {},
		"a bit":   func(r *round) { r.tops[0].Data[60] ^= 1 },
		"other tops": func(r *round) {
			r.tops[0].Data, r.tops[0].Bytes, r.tops[0].Checksum = other.Data, other.Bytes, other.Checksum
		},
		"two rows":          func(r *round) { r.tops = append(r.tops, r.tops[0]) },
		"of other captures": func(r *round) { r.tops[0].Sequence++ },
		"first":             func(r *round) { r.tops[0].First++ },
		"last":              func(r *round) { r.tops[0].Last++ },
		"how many":          func(r *round) { r.tops[0].Captures++ },
		"how long":          func(r *round) { r.tops[0].Bytes++ },
		"its checksum":      func(r *round) { r.tops[0].Checksum++ },
		"version":           func(r *round) { r.tops[0].Version++ },
		"traded":            func(r *round) { r.tops[0].Traded++ },
	} {
		r := made(4800)
		spoil(r)
		d, err := scan.Derive(t.Context(), r, &r.row)
		require.NoError(t, err)
		err = scan.CheckTops(t.Context(), r, &r.row, d.Tops)
		if name == "nothing" {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, store.ErrDamaged, name)
	}
	r := made(4800)
	d, err := scan.Derive(t.Context(), r, &r.row)
	require.NoError(t, err)
	r.tops = nil
	require.ErrorIs(t, scan.CheckTops(t.Context(), r, &r.row, d.Tops), scan.ErrNoTops)
	require.NoError(t, scan.CheckTops(t.Context(), r, &r.row, nil), "none belong to the market")
}
