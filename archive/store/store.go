// Package store is the contract of an archive's storage: transactions, rows,
// queries, ids and kinds of failure. Package postgres and package sqlite implement
// it. What two stores must never decide differently (conditions, orders,
// checksums, which blocks are visible) is decided here.
package store

import (
	"context"
	"math"
	"math/bits"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/market"
)

// Kinds of failure of this package and of stores. Messages name the address,
// and the block or other thing requested.
var (
	ErrNotFound error = market.Errorf(market.CodeNotFound, "not found")
	ErrDamaged  error = market.Errorf(market.CodeFailed, "archive damaged")
	ErrLocked   error = market.Errorf(market.CodeUnavailable, "archive locked by another process")
	ErrReadOnly error = market.Errorf(market.CodeFailed, "archive is read-only")
	ErrFull     error = market.Errorf(market.CodeFailed, "no space left")
	ErrNewer    error = market.Errorf(market.CodeFailed, "archive is from a newer version")
	ErrOlder    error = market.Errorf(market.CodeFailed, "archive is from an older version")
	ErrNoStore  error = market.Errorf(market.CodeFailed, "no archive there")
	// ErrBlockVersion: a program of another version, older or newer, wrote the block.
	ErrBlockVersion error = market.Errorf(market.CodeFailed, "written by a program of another version")
	// ErrAgain: importing the file again completes it.
	ErrAgain error = market.Errorf(market.CodeFailed, "import it again")
	// ErrTwice: another recording of the same markets and time is in the archive.
	ErrTwice error = market.Errorf(market.CodeFailed, "another recorder has recorded the same")
	// ErrUnreachable: the archive does not respond, or the connection to it was
	// lost.
	ErrUnreachable error = market.Errorf(market.CodeUnavailable, "archive cannot be reached")
	// ErrChanged: a write changed what was being read; read it again.
	ErrChanged error = market.Errorf(market.CodeUnavailable, "archive changed while it was read")
	// ErrReplaced: the file that was opened as the archive has been replaced or
	// removed. The old file is no longer read; open the new one.
	ErrReplaced error = market.Errorf(market.CodeUnavailable, "archive file was replaced or removed")
	// ErrOverwritten: something wrote to the file behind the archive's back, such as
	// another archive copied over it. It is no longer read; close it and open it anew.
	ErrOverwritten error = market.Errorf(market.CodeUnavailable, "archive file was overwritten while it was open")
	// ErrClosed: Close has been called.
	ErrClosed error = market.Errorf(market.CodeUnavailable, "archive is closed")
	// ErrCapture: the capture violates the rules of MarketImport.Add.
	ErrCapture = block.ErrCapture
)

// Look returns what read gives of one snapshot of s, as View runs it.
func Look[T any](ctx context.Context, s Store, read func(Reader) (T, error)) (out T, err error) {
	err = s.View(ctx, func(r Reader) (err error) {
		out, err = read(r)
		return err
	})
	return out, err
}

// Store keeps rows and blocks. It makes no decisions: what rows mean, and which
// belong together, is decided in this package. Methods may be called
// concurrently.
type Store interface {
	// View runs read on one consistent snapshot: it shows all of a transaction
	// or none of it. If read returns an error of the Reader, View may run it
	// again from the start on a later snapshot. Rows returned by the Reader may
	// be shared with other callers and must not be modified.
	View(ctx context.Context, read func(Reader) error) error
	// Update runs write in one transaction, serialised after all others. If
	// write or the commit fails, nothing is kept. Once Update has returned nil,
	// the transaction survives a power failure. write is never run twice.
	Update(ctx context.Context, write func(Writer) error) error
	// BlockReader reads committed blocks, outside any snapshot: they never
	// change.
	BlockReader
	// Moment returns the current moment of the archive. It is cheap.
	Moment(ctx context.Context) (Moment, error)
	// Shrink returns space freed by deletions to the system.
	Shrink(ctx context.Context) error
	// Check runs the store's own integrity checks and describes what is wrong,
	// one problem per line.
	Check(ctx context.Context) ([]string, error)
	// Size returns the size of the store on disk in bytes.
	Size(ctx context.Context) (int64, error)
	// Address returns where the store is, for messages.
	Address() string
	// Close waits for calls in progress and makes later ones fail. A second
	// call does nothing.
	Close() error
}

// BlockReader reads blocks.
type BlockReader interface {
	// ReadBlocks passes the bytes of the referenced blocks to each, with the
	// index in refs, in any order, one call at a time. data is valid only
	// during the call. A missing block is ErrDamaged.
	ReadBlocks(ctx context.Context, refs []BlockRef, each func(i int, data []byte) error) error
}

// Reader reads rows. In a query, a nil list of ids or names is ignored, while
// an empty one selects nothing. Elsewhere both select nothing.
type Reader interface {
	BlockReader // on the same snapshot
	PackIndex
	Markets(ctx context.Context, q MarketQuery) ([]MarketRow, error)
	// Listings returns the same with the slugs of their events and series.
	Listings(ctx context.Context, q MarketQuery) ([]Listing, error)
	// CountMarkets returns how many markets there are, listed or not.
	CountMarkets(ctx context.Context) (int64, error)
	// Tallies returns the tallies that q selects, of those stored, in any order.
	Tallies(ctx context.Context, q TallyQuery) ([]Tally, error)
	// Seal returns what was last stored with Changes.Seal; zero: nothing.
	Seal(ctx context.Context) (int64, error)
	// RoundKeys passes each up/down round of a coin and length that ends in [from, to]
	// to each, as the index has it that they are found by, in any order.
	RoundKeys(ctx context.Context, coin, length string, from, to market.Instant, each func(*RoundKey)) error
	// BoundsOf returns the joint bounds of the markets that a tally counts: of those
	// of one day, by their rows; of all days, by the tallies of single ones.
	BoundsOf(ctx context.Context, k TallyKey) (Bounds, error)
	// Longest returns up to limit markets with the longest silences
	// (Stats.Silence, open markets excluded) or gaps. Only markets with a
	// category are returned.
	Longest(ctx context.Context, s Stretch, limit int) ([]ID, error)
	// Days returns the stored days from one to another, inclusive, in order of category
	// and day.
	Days(ctx context.Context, from, to int64) ([]Day, error)
	// Placed returns the keys of the blocks of every token that has any.
	Placed(ctx context.Context) ([]ID, error)
	// PartsAfter returns up to limit parts after the given key, in key order.
	PartsAfter(ctx context.Context, after PartKey, limit int) ([]Part, error)
	Events(ctx context.Context, q GroupQuery) ([]EventRow, error)
	// Alone returns which events are of one market, by their rows.
	Alone(ctx context.Context) (IDs, error)
	Series(ctx context.Context, q GroupQuery) ([]SeriesRow, error)
	// Tokens returns the markets that have a token of that public id.
	Tokens(ctx context.Context, venueID string) ([]ID, error)
	// Tags returns the tags of everything in the category (empty: in any),
	// sorted, each once.
	Tags(ctx context.Context, c market.Category) ([]string, error)
	// Totals returns the totals of each group, events or series.
	Totals(ctx context.Context, g Group, ids []ID) (map[ID]Totals, error)
	// Watermarks returns the newest capture of each category as last stored.
	// The caller owns the map.
	Watermarks(ctx context.Context) (map[market.Category]market.Instant, error)
	// NewestCapture returns the latest MarketRow.Last of the category, or zero.
	NewestCapture(ctx context.Context, c market.Category) (market.Instant, error)
	// Sources returns the sources with these ids, or all when ids is nil, in
	// order of ImportedAt, then ID.
	Sources(ctx context.Context, ids []SourceID) ([]Source, error)
	// Claims returns the claims about these owners.
	Claims(ctx context.Context, k ClaimKind, owners []ID) ([]Claim, error)
	// ClaimsOf returns up to limit claims of one source after the given key, in
	// order of (kind, owner), without their documents.
	ClaimsOf(ctx context.Context, s SourceID, after ClaimKey, limit int) ([]ClaimKey, error)
	// Parts returns the parts of these owners.
	Parts(ctx context.Context, owners []ID) ([]Part, error)
	// Refs returns the blocks of tokens whose first capture lies in [from, to],
	// all streams, those of each token in order of (stream, first, sequence).
	Refs(ctx context.Context, tokens []ID, from, to market.Instant) ([]BlockRef, error)
	// Blocks returns the blocks of the visible parts of a market, in the order
	// of Refs within a token. A missing block is ErrDamaged. A store without a
	// faster way calls BlocksOf. The result must not be modified.
	Blocks(ctx context.Context, row *MarketRow) ([]BlockRef, error)
	// Tops returns the blocks of tops of markets, in any order: Token is the
	// market's ID. Only the key, Last, Captures, Bytes, Checksum and Version are
	// set.
	Tops(ctx context.Context, markets []ID) ([]BlockRef, error)
	// Places returns what Parts, Refs over all time and Tops return of the owners, tokens
	// and markets, each as there, and the tops with their bytes: in one question where
	// the store can.
	Places(ctx context.Context, owners, tokens, markets []ID) (*Places, error)
	// BlockTokens returns up to limit tokens that have blocks, in order, after
	// the given one. Markets with tops are among them.
	BlockTokens(ctx context.Context, after ID, limit int) ([]ID, error)
}

// Writer reads and writes within one transaction.
type Writer interface {
	Reader
	// PutBlocks puts blocks into rows. One whose key is there already is kept.
	PutBlocks(ctx context.Context, blocks []Block) error
	// Apply makes the deletions of c, then stores its rows, each replacing the
	// row with the same key. Blocks are the exception: an existing block is
	// kept.
	Apply(ctx context.Context, c *Changes) error
}

// Changes is a set of rows to delete and to store.
type Changes struct {
	DropSources []SourceID
	DropClaims  []ClaimKey
	DropParts   []PartKey // with the blocks of the part
	DropMarkets []ID      // with their tokens, payouts, schedules, gaps and tops
	DropTops    []ID      // of markets
	DropEvents  []ID
	DropSeries  []ID
	DropPacks   []ID // that no block is in; the others stay
	DropDepots  []string

	Sources []Source
	Claims  []Claim
	Parts   []Part
	Blocks  []Block // tops too
	Depots  []Depot
	Packs   []Pack
	// Packed are blocks whose bytes a pack has from now on instead of their row. If
	// one of them is in a pack already, or is not as it is described here, the error
	// is ErrChanged.
	Packed []PackedRef
	// Unpacked are blocks whose bytes their row has from now on. Those that are gone
	// stay so.
	Unpacked   []Block
	Markets    []MarketRow
	Events     []EventRow
	Series     []SeriesRow
	Watermarks map[market.Category]market.Instant
	Tallies    []Tally // one without markets is deleted
	Days       []Day   // likewise
	// Seal is what Tallies.Seal gives; nil: what is stored stays.
	Seal *int64

	// Was holds current rows, as of the same transaction, of the markets in
	// Markets, so that a store need not read them again to find what differs.
	// Rows not in it may or may not exist; New: they do not.
	Was map[ID]*MarketRow
	New bool
}

// ClaimKind says what a claim is about.
type ClaimKind uint8

// Kinds of claim. The numbers are stored.
const (
	MarketClaim ClaimKind = 1
	EventClaim  ClaimKind = 2
	SeriesClaim ClaimKind = 3
)

// ClaimKey identifies a claim: its source, and its subject as the source named
// it.
type ClaimKey struct {
	Kind   ClaimKind
	Owner  ID
	Source SourceID
}

// Claim is what one source says about one series, event or market: a document
// that only package derive reads. It is handed to a store as plain JSON without
// newlines, and comes back so, or as of PackDoc.
type Claim struct {
	ClaimKey
	Doc []byte
}

// PartKey identifies the captures of one token and stream from one source.
type PartKey struct {
	Owner  ID // of the claim
	Source SourceID
	Token  ID // as blocks are keyed
	Stream block.Stream
}

// Part sums up the blocks of a PartKey.
type Part struct {
	PartKey
	// Whole: the source has no more of it, and its captures are visible.
	Whole       bool
	Blocks      int64
	Captures    int64
	Changes     int64
	Bytes       int64
	First, Last market.Instant
	Span        market.Span // of the block with the longest span
	Refs        int64       // sum of BlockRef.Sum of its blocks, modulo 2^64
}

// BlockRef is everything about a block except its bytes. Token, Stream, First
// and Sequence are its key.
type BlockRef struct {
	Token    ID // hash of the token's id as the block's source gave it
	Stream   block.Stream
	First    market.Instant
	Sequence int64

	Last     market.Instant
	Source   SourceID
	Position int64 // within its part: lane << 32 | number within the lane
	Captures int
	Changes  int
	Kinds    Kinds
	Traded   int64 // of trades: Σ price × size, in units of 1e-10 USD; −1: overflow
	Bytes    int
	Checksum uint32         // CRC-32 (Castagnoli) of the bytes
	Anchor   market.Instant // block.Header.Anchor
	Keyframe bool
	Version  uint8 // of the block's format
}

// Places is where captures are.
type Places struct {
	Parts []Part
	Refs  []BlockRef
	Tops  []Block
}

// Kinds is the set of what the captures of a block give: bit k for each
// market.Kind k, except that metrics have bit 8 for a liquidity and bit 9 for a
// volume.
type Kinds uint16

// KindsOf returns what a capture gives.
func KindsOf(c *market.Capture) Kinds {
	if c.Kind != market.KindMetric {
		return 1 << c.Kind
	}
	var k Kinds
	if c.Metric.Liquidity != market.NoMetric {
		k |= 1 << 8
	}
	if c.Metric.Volume != market.NoMetric {
		k |= 1 << 9
	}
	return k
}

// AddTraded adds the value traded by a capture to BlockRef.Traded.
func AddTraded(sum int64, c *market.Capture) int64 {
	if c.Kind != market.KindTrade || sum < 0 {
		return sum
	}
	hi, lo := bits.Mul64(uint64(c.Trade.Price), uint64(c.Trade.Size))
	lo, carry := bits.Add64(lo, uint64(sum), 0)
	if hi+carry > 0 || lo > math.MaxInt64 {
		return -1
	}
	return int64(lo)
}

// Block is a block with its bytes.
type Block struct {
	BlockRef
	Data []byte
}

// Status is the stage a market or an event has reached.
type Status uint8

// States. The numbers are stored.
const (
	Open     Status = 0
	Closed   Status = 1 // closed, or past its end
	Resolved Status = 2 // closed, and the official payout is known
)

// String returns "open", "closed" or "resolved".
func (s Status) String() string {
	switch s {
	case Closed:
		return "closed"
	case Resolved:
		return "resolved"
	}
	return "open"
}

// MarketRow is a market as derived from all sources.
type MarketRow struct {
	ID ID
	// Market is the merged market. Closed, ClosedAt and UpdatedAt are as stated
	// by the sources; the fields below complete them.
	Market market.Market
	Event  ID // zero: none
	Series ID // zero: none
	// Owners are the owners of its claims and parts; they include ID itself
	// only if a source names the market by VenueID.
	Owners []ID
	// Keys are the keys of its tokens' blocks, one list per token.
	Keys [][]ID
	Gaps []market.TokenGap

	Status    Status
	ClosedAt  market.Instant // zero while it is open, or unknown
	UpdatedAt market.Instant
	Undated   bool // Start and End are those of its captures
	Disputed  bool // sources contradict each other on the payout

	Stats Stats
	// Basis is a hash of what Stats was computed from: blocks, tokens, bounds.
	// Zero without blocks.
	Basis [32]byte

	// Damaged: the row differs from its checksum. Such a row is returned only
	// with MarketQuery.Damaged.
	Damaged bool `json:"-"`
	// Checksum is the row's, which it agreed with when it was read from a store, whatever has become of
	// it since; zero: it was made, or differed.
	Checksum int64 `json:"-"`
	// Keeps is what lives as long as the row does; nil: nothing.
	Keeps any `json:"-"`
}

// Stats summarises the captures of a market. The zero value stands for a market
// without captures.
type Stats struct {
	Captures int64 // without duplicates, including those that the rule for mirrored pairs drops
	// All that follows except Content covers only the captures that rule keeps.
	First, Last market.Instant
	Captured    bool // at least one in [Start, End)
	// Coverage is the fraction of the round during which a value no older than
	// 30 s was known, in units of 1e-6.
	Coverage int64
	Silence  market.Span // the longest stretch of the round without a capture
	// PairLag is the longest time between captures of a mirrored pair with the
	// same exchange time. Zero when only one token was captured.
	PairLag market.Span
	// TradesOnce: no two trades of different tokens have the same exchange time
	// and size, so no trade can have been logged once for each token.
	TradesOnce bool
	Content    [32]byte // content hash; zero without captures
}

// EventRow is an event as derived from all sources.
type EventRow struct {
	ID        ID
	Event     market.Event
	Series    ID // zero: none
	Status    Status
	Markets   int64
	UpdatedAt market.Instant
}

// SeriesRow is a series as derived from all sources.
type SeriesRow struct {
	ID        ID
	Series    market.Series
	Markets   int64
	UpdatedAt market.Instant
}

// Group is what markets are totalled by.
type Group uint8

// Groups.
const (
	ByEvent Group = iota
	BySeries
)

// Stretch is a kind of period without captures.
type Stretch uint8

// Stretches.
const (
	Silences Stretch = iota // that captures leave
	Gaps                    // that sources declare
)

// Totals summarises the markets of a group.
type Totals struct {
	Markets, Open, Resolved int64
	Category                market.Category // the first in byte order
	Start, End              market.Instant  // earliest and latest known; zero: none
	UpdatedAt               market.Instant  // latest
}

// Add adds a listed market of the group.
func (t *Totals) Add(row *MarketRow) {
	if m := &row.Market; t.Markets == 0 {
		*t = Totals{Category: m.Category, Start: m.Start, End: m.End, UpdatedAt: row.UpdatedAt}
	} else {
		t.Category = min(t.Category, m.Category)
		if t.Start == 0 || m.Start != 0 && m.Start < t.Start {
			t.Start = m.Start
		}
		t.End, t.UpdatedAt = max(t.End, m.End), max(t.UpdatedAt, row.UpdatedAt)
	}
	t.Markets++
	switch row.Status {
	case Open:
		t.Open++
	case Resolved:
		t.Resolved++
	}
}

// Day counts the markets of a category that start on a UTC day. It is kept as a Tally
// is. Markets without a category or a start are in none.
type Day struct {
	Category market.Category
	Day      int64 // since 1970
	Markets  int
	Resolved int // with an official payout
	Captured int // with a capture in the market's time
	// Simulated counts those that no exchange made.
	Simulated int
	Captures  int64
	// Coverage is the sum of Stats.Coverage over the captured, in 1e-6.
	Coverage int64
}
