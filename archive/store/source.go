package store

import "github.com/ladderback/ladderback/market"

// Authority says whose word a claim is. Of two claims about the same thing the
// one of higher authority counts.
type Authority uint8

// Authorities.
const (
	// FromCaptures: what a file of captures says beside its captures.
	FromCaptures Authority = 1
	// FromList: a list of markets that a collector wrote.
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
	Authority  Authority      // of what it says about markets
	Licence    string         // empty: not said
	ImportedAt market.Instant // when its import was begun
	// Complete: everything that could be read of it is in the archive. A source
	// whose import was interrupted, or of which markets were removed, is not:
	// importing the file again completes it.
	Complete bool
	// Removed is how many of its markets were removed since it was last imported
	// in whole. Such a source is not complete, and was not interrupted.
	Removed int64
	Counts  Counts
	// Problem says why the file could not be read to its end; empty: it was.
	Problem string
}

// Counts says what a source gave.
type Counts struct {
	Messages   int64            // messages or rows read
	Rejected   map[string]int64 // messages that were not taken, by reason
	Markets    int64            // markets it says something about
	Captures   int64            // captures stored
	Duplicates int64            // captures equal to one that it gave before
	Changes    int64            // level changes stored
	Blocks     int64            // blocks stored
	Bytes      int64            // bytes of these blocks
}

// Interrupted reports whether the import was begun and not finished.
func (s *Source) Interrupted() bool { return !s.Complete && s.Removed == 0 }

// SourceID returns the ID that a source of this SHA256 has.
func (s Source) SourceID() SourceID { return sourceID(s.SHA256) }
