package store

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// The checksums of rows are computed only here, over the canonical encoding of
// a row: its fields in a fixed order, texts and lists prefixed with their
// length. A store keeps the sum with the row and calls Check after reading it.

// encoding is the canonical encoding of a row.
type encoding []byte

func (e *encoding) num(v ...int64) {
	for _, n := range v {
		*e = binary.AppendVarint(*e, n)
	}
}

func (e *encoding) text(v ...string) {
	for _, s := range v {
		e.num(int64(len(s)))
		*e = append(*e, s...)
	}
}

func (e *encoding) flag(v ...bool) {
	for _, b := range v {
		n := int64(0)
		if b {
			n = 1
		}
		e.num(n)
	}
}

func (e *encoding) ids(v []ID) {
	e.num(int64(len(v)))
	for _, id := range v {
		e.num(int64(id))
	}
}

// sum returns the first 63 bits of the SHA-256 of the encoding, and never zero,
// which means no checksum.
func (e *encoding) sum() int64 {
	h := sha256.Sum256(*e)
	return max(1, int64(binary.BigEndian.Uint64(h[:8])>>1))
}

// encodings are for rows to come: those of markets are summed up a few times each.
var encodings sync.Pool // of *encoding

// Sum returns the checksum of the row: of everything that View returns about a
// market.
func (row *MarketRow) Sum() int64 {
	e, _ := encodings.Get().(*encoding)
	if e == nil {
		e = new(encoding)
		*e = make(encoding, 0, 1024)
	}
	defer encodings.Put(e)
	*e = (*e)[:0]
	m, s := &row.Market, &row.Stats
	e.num(int64(row.ID), int64(row.Event), int64(row.Series))
	e.text(string(m.Venue), m.VenueID, m.AltID, m.Slug, m.Question, m.Description, string(m.Category), m.EventID, m.SeriesID, m.Coin, m.Type)
	e.num(int64(len(m.Tags)))
	e.text(m.Tags...)
	e.num(int64(m.Start), int64(m.End), int64(m.ClosedAt), int64(m.UpdatedAt), int64(m.Tick), int64(m.MinSize))
	e.flag(m.Closed, m.Mirrored, row.Undated, row.Disputed)
	e.num(int64(row.Status), int64(row.ClosedAt), int64(row.UpdatedAt))
	e.ids(row.Owners)
	e.num(int64(len(m.Tokens)))
	for i, t := range m.Tokens {
		e.text(t.VenueID, t.Label)
		e.num(int64(t.Outcome))
		e.flag(t.Derived)
		var keys []ID
		if i < len(row.Keys) {
			keys = row.Keys[i]
		}
		e.ids(keys)
	}
	e.num(int64(len(row.Gaps)))
	for _, g := range row.Gaps {
		e.num(int64(g.Token), int64(g.From), int64(g.To))
	}
	e.flag(m.Fees != nil, m.Payout != nil)
	if f := m.Fees; f != nil {
		e.num(f.Rate, int64(f.Exponent))
		e.flag(f.TakerOnly)
	}
	if p := m.Payout; p != nil {
		e.text(string(p.Basis))
		e.num(int64(len(p.Fractions)))
		for _, f := range p.Fractions {
			e.num(int64(f))
		}
	}
	e.num(s.Captures, int64(s.First), int64(s.Last), s.Coverage, int64(s.Silence), int64(s.PairLag))
	e.flag(s.Captured, s.TradesOnce)
	e.text(string(s.Content[:]), string(row.Basis[:]))
	return e.sum()
}

// SumAsRead is Sum of a row that is as it was read: its Checksum, if it has one.
func (row *MarketRow) SumAsRead() int64 {
	if row.Checksum != 0 {
		return row.Checksum
	}
	return row.Sum()
}

// Sum returns the checksum of the row of a part.
func (p *Part) Sum() int64 {
	var e encoding
	e.num(int64(p.Owner), int64(p.Source), int64(p.Token), int64(p.Stream))
	e.flag(p.Whole)
	e.num(p.Blocks, p.Captures, p.Changes, p.Bytes, int64(p.First), int64(p.Last), int64(p.Span), p.Refs)
	return e.sum()
}

// Sum returns the checksum of the row of a block; the bytes have one of their
// own. It is not kept with the block but added up in its part.
func (r *BlockRef) Sum() int64 {
	var e encoding
	e.num(int64(r.Token), int64(r.Stream), int64(r.First), r.Sequence, int64(r.Last), int64(r.Source), r.Position,
		int64(r.Captures), int64(r.Changes), int64(r.Kinds), r.Traded, int64(r.Bytes), int64(r.Checksum), int64(r.Anchor))
	e.flag(r.Keyframe)
	e.num(int64(r.Version))
	return e.sum()
}

// Sum returns the checksum of the row of a source.
func (s *Source) Sum() int64 {
	e := make(encoding, 0, 256)
	c := &s.Counts
	e.num(int64(s.ID))
	e.text(string(s.SHA256[:]), s.Name, s.Format, s.Licence, s.Problem)
	e.num(s.Size, int64(s.Authority), int64(s.ImportedAt), s.Removed)
	e.flag(s.Complete)
	e.num(c.Messages, c.Markets, c.Captures, c.Duplicates, c.Changes, c.Blocks, c.Bytes, int64(len(c.Rejected)))
	for _, reason := range slices.Sorted(maps.Keys(c.Rejected)) {
		e.text(reason)
		e.num(c.Rejected[reason])
	}
	return e.sum()
}

// Summed is a row that has a checksum.
type Summed interface{ Sum() int64 }

// Check compares a row with its stored checksum. A mismatch is ErrDamaged; what
// and args say which row it is.
func Check(row Summed, kept int64, what string, args ...any) error {
	if row.Sum() == kept {
		return nil
	}
	return fmt.Errorf("%s differs from its checksum: %w", fmt.Sprintf(what, args...), ErrDamaged)
}

// CheckMarkets compares rows with their stored checksums. The first mismatch is
// ErrDamaged; with damaged set, mismatching rows are marked instead.
func CheckMarkets(rows []MarketRow, kept []int64, damaged bool) error {
	for i := range rows {
		row := &rows[i]
		err := Check(row, kept[i], "market %s (%s)", row.Market.Slug, row.Market.VenueID)
		if err != nil && !damaged {
			return err
		}
		if row.Damaged = err != nil; !row.Damaged {
			row.Checksum = kept[i]
		}
	}
	return nil
}
