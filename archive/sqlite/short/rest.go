package short

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// What of a market no query selects by is kept in one column: flags of what there
// is, then that, in order. The numbers of the flags are stored.
const (
	restByName  = 1 << iota // the owners include that of the name VenueID,
	restByID                // ID,
	restBySlug              // that of the name Slug,
	restOwners              // others: their number, 8 bytes each
	restOnce                // Stats.TradesOnce
	restMirror              // Market.Mirrored
	restNumbers             // varints, a flag each

	restTexts  = restNumbers << 6 // behind their length, a flag each
	restTags   = restTexts << 3   // their number, each behind its length
	restHashes = restTags << 1    // 32 bytes, a flag each
	restEnd    = restHashes << 2
)

// rest is what the column holds beside the owners.
type rest struct {
	numbers [6]int64
	texts   [3]string
	tags    []string
	hashes  [2][32]byte
}

func restOf(row *store.MarketRow) rest {
	m, s := &row.Market, &row.Stats
	return rest{
		numbers: [6]int64{int64(row.ClosedAt), int64(m.ClosedAt), int64(m.UpdatedAt), int64(m.Tick), int64(m.MinSize), int64(s.PairLag)},
		texts:   [3]string{m.Description, m.EventID, m.SeriesID},
		tags:    m.Tags,
		hashes:  [2][32]byte{s.Content, row.Basis},
	}
}

func (r *rest) into(row *store.MarketRow) {
	m, s, n := &row.Market, &row.Stats, &r.numbers
	row.ClosedAt, m.ClosedAt, m.UpdatedAt = market.Instant(n[0]), market.Instant(n[1]), market.Instant(n[2])
	m.Tick, m.MinSize, s.PairLag = market.Price(n[3]), market.Size(n[4]), market.Span(n[5])
	m.Description, m.EventID, m.SeriesID = r.texts[0], r.texts[1], r.texts[2]
	m.Tags = r.tags
	s.Content, row.Basis = r.hashes[0], r.hashes[1]
}

// Rest returns the column of a row.
func Rest(row *store.MarketRow) []byte {
	r := restOf(row)
	flags, named := ownerFlags(row)
	b := make([]byte, 0, 128)
	if !named {
		flags = restOwners
		b = append(binary.AppendUvarint(b, uint64(len(row.Owners))), IDs(row.Owners)...)
	}
	if row.Stats.TradesOnce {
		flags |= restOnce
	}
	if row.Market.Mirrored {
		flags |= restMirror
	}
	for i, v := range r.numbers {
		if v != 0 {
			flags |= restNumbers << i
			b = binary.AppendVarint(b, v)
		}
	}
	for i, v := range r.texts {
		if v != "" {
			flags |= restTexts << i
			b = appendText(b, v)
		}
	}
	if len(r.tags) > 0 {
		flags |= restTags
		b = binary.AppendUvarint(b, uint64(len(r.tags)))
		for _, tag := range r.tags {
			b = appendText(b, tag)
		}
	}
	for i := range r.hashes {
		if h := &r.hashes[i]; *h != [32]byte{} {
			flags |= restHashes << i
			b = append(b, h[:]...)
		}
	}
	return append(binary.AppendUvarint(make([]byte, 0, 3+len(b)), uint64(flags)), b...)
}

func appendText(b []byte, v string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(v))), v...)
}

// ReadRest is the reverse of packRest. The row has its id, venue, VenueID and
// slug.
func ReadRest(b []byte, row *store.MarketRow) error {
	var r rest
	in := &restReader{b: b}
	flags := in.size()
	if row.Owners = ownersOf(row, flags); flags&restOwners != 0 {
		row.Owners = ReadIDs(in.bytes(8 * in.size()))
	}
	row.Stats.TradesOnce, row.Market.Mirrored = flags&restOnce != 0, flags&restMirror != 0
	for i := range r.numbers {
		if flags&(restNumbers<<i) != 0 {
			r.numbers[i] = in.num()
		}
	}
	for i := range r.texts {
		if flags&(restTexts<<i) != 0 {
			r.texts[i] = in.text()
		}
	}
	if flags&restTags != 0 {
		for n := in.size(); n > 0 && !in.bad; n-- {
			r.tags = append(r.tags, in.text())
		}
	}
	for i := range r.hashes {
		if flags&(restHashes<<i) != 0 {
			copy(r.hashes[i][:], in.bytes(32))
		}
	}
	if in.bad || len(in.b) > 0 || flags >= restEnd {
		return fmt.Errorf("row of market %s: %w", row.Market.VenueID, store.ErrDamaged)
	}
	r.into(row)
	return nil
}

// ownerFlags returns which of the owners that most markets have a row has; false:
// it has others.
func ownerFlags(row *store.MarketRow) (flags int, named bool) {
	if len(row.Owners) > 3 {
		return 0, false
	}
	for _, flag := range []int{restByName, restByID, restBySlug} {
		if id, ok := ownerOf(row, flag); ok && slices.Contains(row.Owners, id) {
			flags |= flag
		}
	}
	return flags, slices.Equal(ownersOf(row, flags), row.Owners)
}

// ownerOf returns the owner that a flag stands for; false: none, or the same as
// another one.
func ownerOf(row *store.MarketRow, flag int) (store.ID, bool) {
	m := &row.Market
	switch flag {
	case restByName:
		return store.NameID(m.Venue, m.VenueID), true
	case restByID:
		return row.ID, true
	}
	return store.NameID(m.Venue, m.Slug), m.Slug != "" && m.Slug != m.VenueID
}

func ownersOf(row *store.MarketRow, flags int) (ids []store.ID) {
	for _, flag := range []int{restByName, restByID, restBySlug} {
		if flags&flag != 0 {
			id, _ := ownerOf(row, flag)
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// restReader reads what packRest has written.
type restReader struct {
	b   []byte
	bad bool
}

func (r *restReader) num() int64 {
	v, n := binary.Varint(r.b)
	r.skip(n)
	return v
}

// size reads a number that is not negative and not large.
func (r *restReader) size() int {
	v, n := binary.Uvarint(r.b)
	if v > maxText {
		v, n = 0, 0
	}
	r.skip(n)
	return int(v)
}

func (r *restReader) skip(n int) {
	if n <= 0 {
		r.bad, r.b = true, nil
		return
	}
	r.b = r.b[n:]
}

func (r *restReader) bytes(n int) []byte {
	if n > len(r.b) {
		r.bad, r.b = true, nil
		return nil
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

func (r *restReader) text() string { return string(r.bytes(r.size())) }

// maxText bounds the length of a text: a damaged row asks for no more memory.
const maxText = 64 << 20
