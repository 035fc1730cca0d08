package store

import "github.com/ladderback/ladderback/market"

// Authority is the authority behind a claim. Of two claims about the same
// thing, the one of higher authority prevails.
type Authority uint8

// Authorities.
const (
	// FromCaptures: what a capture file says besides its captures.
	FromCaptures Authority = 1
	// FromList: a list of markets written by a collector.
	FromList Authority = 2
	// FromExchange: the exchange's own metadata, such as Gamma's.
	FromExchange Authority = 3
)

// SourceID identifies a source: a 63-bit hash of the file's SHA-256, the same
// in every archive.
type SourceID int64

// Source is one imported file.
type Source struct {
	ID         SourceID
	SHA256     [32]byte       // of the file's bytes as given
	Name       string         // as the user named it, for people
	Size       int64          // bytes as given
	Format     string         // "polymarket-ws", "gamma", …
	Authority  Authority      // of its statements about markets
	Licence    string         // empty: not said
	ImportedAt market.Instant // when its import began
	// Complete: everything readable in it is in the archive. A source whose
	// import was interrupted, or from which markets were removed, is
	// incomplete; importing the file again completes it.
	Complete bool
	// Removed is the number of its markets removed since it was last fully
	// imported. Such a source is incomplete but was not interrupted.
	Removed int64
	Counts  Counts
	// Problem says why the file could not be read to the end; empty: it was.
	Problem string
}

// Counts sums up what a source provided.
type Counts struct {
	Messages   int64            // messages or rows read
	Rejected   map[string]int64 // messages rejected, by reason
	Markets    int64            // markets it mentions
	Captures   int64            // captures stored
	Duplicates int64            // captures equal to an earlier one of the same source
	Changes    int64            // level changes stored
	Blocks     int64            // blocks stored
	Bytes      int64            // bytes of these blocks
}

// Interrupted reports whether the import began but did not finish.
func (s *Source) Interrupted() bool { return !s.Complete && s.Removed == 0 }

// SourceID returns the ID derived from the source's SHA256.
func (s Source) SourceID() SourceID { return sourceID(s.SHA256) }
