package store

import (
	"context"
	"math"
	"math/bits"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/market"
)

// Errors that say what kind of failure an error of this package or of a store
// is. Messages name the address, and the block or the thing asked for.
var (
	ErrNotFound error = market.Errorf(market.CodeNotFound, "not found")
	ErrDamaged  error = market.Errorf(market.CodeFailed, "archive damaged")
	ErrLocked   error = market.Errorf(market.CodeUnavailable, "archive locked by another process")
	ErrReadOnly error = market.Errorf(market.CodeFailed, "archive is read-only")
	ErrFull     error = market.Errorf(market.CodeFailed, "no space left")
	ErrNewer    error = market.Errorf(market.CodeFailed, "archive is from a newer version")
	ErrOlder    error = market.Errorf(market.CodeFailed, "archive is from an older version")
	ErrNoStore  error = market.Errorf(market.CodeFailed, "no archive there")
	// ErrAgain: importing the file once more completes it.
	ErrAgain error = market.Errorf(market.CodeFailed, "import it again")
	// ErrUnreachable: the archive does not answer, or the connection to it broke.
	ErrUnreachable error = market.Errorf(market.CodeUnavailable, "archive cannot be reached")
	// ErrChanged: a write has changed what is being read; read it again.
	ErrChanged error = market.Errorf(market.CodeUnavailable, "archive changed while it was read")
	// ErrReplaced: another file stands where the archive was opened, or none. What
	// is open of the old one is not read any more; open the new one.
	ErrReplaced error = market.Errorf(market.CodeUnavailable, "archive file was replaced or removed")
	// ErrClosed: Close has been called.
	ErrClosed error = market.Errorf(market.CodeUnavailable, "archive is closed")
	// ErrCapture: the capture does not keep the rules of MarketImport.Add.
	ErrCapture = block.ErrCapture
)

// Store keeps rows and blocks. It decides nothing: what rows mean, and which
// belong together, is decided in this package. Methods may be called
// concurrently.
type Store interface {
	// View runs read on one consistent snapshot: everything of a transaction or
	// nothing of it. It may run read once more from its start, on a later snapshot,
	// when read has returned an error of the Reader. Rows that the Reader returns are
	// not to be changed: they may be other callers' too.
	View(ctx context.Context, read func(Reader) error) error
	// Update runs write in one transaction, after all others. When write or the
	// commit fails nothing of it stays. Once Update has returned nil, the
	// transaction survives a loss of power. write is not run twice.
	Update(ctx context.Context, write func(Writer) error) error
	// BlockReader reads committed blocks, outside any snapshot: they never
	// change.
	BlockReader
	// Moment returns the moment that the archive is at. It costs little.
	Moment(ctx context.Context) (Moment, error)
	// Shrink gives space that deletions left back to the system.
	Shrink(ctx context.Context) error
	// Check runs the checks that the store has for itself, and returns what is
	// wrong, in words, a line each.
	Check(ctx context.Context) ([]string, error)
	// Size returns the bytes that the store takes on disk.
	Size(ctx context.Context) (int64, error)
	// Address returns where the store is, for messages.
	Address() string
	// Close waits for calls that have begun, and makes others fail. A second
	// call does nothing.
	Close() error
}

// BlockReader reads blocks.
type BlockReader interface {
	// ReadBlocks hands the bytes of the referred blocks to each, with the index
	// in refs, in any order, one call at a time. data is valid during the call
	// only. A block that is not there is ErrDamaged.
	ReadBlocks(ctx context.Context, refs []BlockRef, each func(i int, data []byte) error) error
}

// Reader reads rows. In a query a list of ids or names that is nil does not
// select; an empty one selects nothing. Elsewhere both select nothing.
type Reader interface {
	BlockReader // on the same snapshot
	Markets(ctx context.Context, q MarketQuery) ([]MarketRow, error)
	// Listings returns the same with the slugs of their events and series. A
	// store that has no shorter way calls ListingsOf.
	Listings(ctx context.Context, q MarketQuery) ([]Listing, error)
	// CountMarkets returns how many markets there are, listed or not.
	CountMarkets(ctx context.Context) (int64, error)
	// Tallies returns what was put with Changes.Tallies.
	Tallies(ctx context.Context) ([]Tally, error)
	// Found returns the universe of the up/down rounds of a coin and length, or of
	// any where they are empty, whatever their ends, as rounds are found.
	Found(ctx context.Context, coin, typ string) (Universe, error)
	// BoundsOf returns the bounds of all markets of a kind.
	BoundsOf(ctx context.Context, k Kind) (Bounds, error)
	// Longest returns the markets, up to limit, that have the longest silences
	// (Stats.Silence, open ones left out) or gaps. They have a category.
	Longest(ctx context.Context, s Stretch, limit int) ([]ID, error)
	// Placed returns the keys of the blocks of every token that has any.
	Placed(ctx context.Context) ([]ID, error)
	// PartsAfter returns up to limit parts, in order of their keys, behind the
	// one given.
	PartsAfter(ctx context.Context, after PartKey, limit int) ([]Part, error)
	Events(ctx context.Context, q GroupQuery) ([]EventRow, error)
	Series(ctx context.Context, q GroupQuery) ([]SeriesRow, error)
	// Tokens returns the markets that have a token of that public id.
	Tokens(ctx context.Context, venueID string) ([]ID, error)
	// Tags returns the tags of everything in the category (empty: in any),
	// sorted, each once.
	Tags(ctx context.Context, c market.Category) ([]string, error)
	// Totals sums up the markets of each group, events or series.
	Totals(ctx context.Context, g Group, ids []ID) (map[ID]Totals, error)
	// Watermarks returns the newest capture of each category as last put. The map
	// is the caller's.
	Watermarks(ctx context.Context) (map[market.Category]market.Instant, error)
	// NewestCapture returns the latest MarketRow.Last of the category; zero when
	// there is none.
	NewestCapture(ctx context.Context, c market.Category) (market.Instant, error)
	// Sources returns the sources with these ids, or all when ids is nil, in
	// order of ImportedAt, then ID.
	Sources(ctx context.Context, ids []SourceID) ([]Source, error)
	// Claims returns the claims about these owners.
	Claims(ctx context.Context, k ClaimKind, owners []ID) ([]Claim, error)
	// ClaimsOf returns up to limit claims of one source without their
	// documents, in order of (kind, owner), behind the one given.
	ClaimsOf(ctx context.Context, s SourceID, after ClaimKey, limit int) ([]ClaimKey, error)
	// Parts returns the parts of these owners.
	Parts(ctx context.Context, owners []ID) ([]Part, error)
	// Refs returns the blocks of tokens whose first capture lies in [from, to],
	// all streams, those of each token in order of (stream, first, sequence).
	Refs(ctx context.Context, tokens []ID, from, to market.Instant) ([]BlockRef, error)
	// Blocks returns the blocks that the visible parts of a market name, in the
	// order of Refs within a token, and checks that none is missing: else it is
	// ErrDamaged. A store that has no shorter way calls BlocksOf. They are not to
	// be changed.
	Blocks(ctx context.Context, row *MarketRow) ([]BlockRef, error)
	// BlockTokens returns up to limit tokens that have blocks, in order, behind
	// the one given.
	BlockTokens(ctx context.Context, after ID, limit int) ([]ID, error)
}

// Writer reads and writes within one transaction.
type Writer interface {
	Reader
	// Apply deletes what c names, then puts its rows, each replacing the row of
	// the same key. Blocks are the exception: one that is there already stays.
	Apply(ctx context.Context, c *Changes) error
}

// Changes is a set of rows to delete and to put.
type Changes struct {
	DropSources []SourceID
	DropClaims  []ClaimKey
	DropParts   []PartKey // with the blocks of the part
	DropMarkets []ID      // with their tokens, payouts, schedules and gaps
	DropEvents  []ID
	DropSeries  []ID

	Sources    []Source
	Claims     []Claim
	Parts      []Part
	Blocks     []Block
	Markets    []MarketRow
	Events     []EventRow
	Series     []SeriesRow
	Watermarks map[market.Category]market.Instant
	Tallies    []Tally // without markets: to be dropped

	// Was are rows as they are in the store now, in the same transaction, of
	// those in Markets: a store need not read them again to tell what differs.
	// Rows that are not in it may be there or not.
	Was map[ID]*MarketRow
}

// ClaimKind says what a claim is about.
type ClaimKind uint8

// Kinds of claim. The numbers are stored.
const (
	MarketClaim ClaimKind = 1
	EventClaim  ClaimKind = 2
	SeriesClaim ClaimKind = 3
)

// ClaimKey names a claim: what it is about, as the source named it, and whose
// it is.
type ClaimKey struct {
	Kind   ClaimKind
	Owner  ID
	Source SourceID
}

// Claim is what one source says of one series, event or market: a document that
// only package derive reads.
type Claim struct {
	ClaimKey
	Doc []byte
}

// PartKey names the captures of one token and stream that one source gave.
type PartKey struct {
	Owner  ID // of the claim
	Source SourceID
	Token  ID // as blocks are keyed
	Stream block.Stream
}

// Part sums up the blocks of a PartKey.
type Part struct {
	PartKey
	// Whole: the source has nothing more of it, and its captures are visible.
	Whole       bool
	Blocks      int64
	Captures    int64
	Changes     int64
	Bytes       int64
	First, Last market.Instant
	Span        market.Span // of the block that spans most
	Refs        int64       // sum of BlockRef.Sum of its blocks, modulo 2^64
}

// BlockRef says all of a block but its bytes. Token, Stream, First and Sequence
// are its key.
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
	Traded   int64 // of trades: Σ price × size, in units of 1e-10 USD; −1: more than fits
	Bytes    int
	Checksum uint32         // CRC-32 (Castagnoli) of the bytes
	Anchor   market.Instant // block.Header.Anchor
	Keyframe bool
	Version  uint8 // of the block's format
}

// Kinds is a set of what the captures of a block give: of each market.Kind k the
// bit k, but of metrics bit 8 for a liquidity and bit 9 for a volume.
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

// AddTraded adds what a capture traded to BlockRef.Traded.
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

// Status says how far a market, or an event, has come.
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

// MarketRow is a market as all sources together give it.
type MarketRow struct {
	ID ID
	// Market is the merged market. Closed, ClosedAt and UpdatedAt are the word
	// of the sources; what they leave open is in the fields below.
	Market market.Market
	Event  ID // zero: none
	Series ID // zero: none
	// Owners are the owners of its claims and parts; ID itself is among them
	// only when a source names the market by VenueID.
	Owners []ID
	// Keys are the keys of its tokens' blocks, one list per token.
	Keys [][]ID
	Gaps []market.TokenGap

	Status    Status
	ClosedAt  market.Instant // zero while it is open, or when not known
	UpdatedAt market.Instant
	Undated   bool // Start and End are those of its captures
	Disputed  bool // sources contradict each other on the payout

	Stats Stats
	// Basis is a hash of what Stats was made from: blocks, tokens, bounds. Zero
	// without blocks.
	Basis [32]byte

	// Damaged: the row differs from its checksum. Only MarketQuery.Damaged lets
	// such a row through.
	Damaged bool `json:"-"`
}

// Stats sums up the captures of a market. The zero value is that of a market
// without captures.
type Stats struct {
	Captures int64 // equal ones once, with those that the rule for mirrored pairs leaves out
	// What follows, but for Content, is of the captures that rule lets count.
	First, Last market.Instant
	Captured    bool // at least one in [Start, End)
	// Coverage is the share of the round for which a value was known that was
	// not older than 30 s, in units of 1e-6.
	Coverage int64
	Silence  market.Span // the longest stretch of the round without a capture
	// PairLag is the longest time between the captures of one exchange time of a
	// mirrored pair. Zero when only one token was captured.
	PairLag market.Span
	// TradesOnce: no two trades of different tokens have the same exchange time
	// and size, so that none can be the other, logged for both.
	TradesOnce bool
	Content    [32]byte // content hash; zero without captures
}

// EventRow is an event as all sources together give it.
type EventRow struct {
	ID        ID
	Event     market.Event
	Series    ID // zero: none
	Status    Status
	Markets   int64
	UpdatedAt market.Instant
}

// SeriesRow is a series as all sources together give it.
type SeriesRow struct {
	ID        ID
	Series    market.Series
	Markets   int64
	UpdatedAt market.Instant
}

// Group says what markets are summed up by.
type Group uint8

// Groups.
const (
	ByEvent Group = iota
	BySeries
)

// Stretch is a stretch of time without captures.
type Stretch uint8

// Stretches.
const (
	Silences Stretch = iota // that captures leave
	Gaps                    // that sources declare
)

// Totals sums up the markets of a group.
type Totals struct {
	Markets, Open, Resolved int64
	Category                market.Category // the first in byte order
	Start, End              market.Instant  // earliest and latest known; zero: none
	UpdatedAt               market.Instant  // latest
}
