package archive

import (
	"context"
	"errors"

	"github.com/ladderback/ladderback/market"
)

// Begin starts, or takes up again, the import of one file. src says SHA256,
// Name, Size, Format, Authority and Licence; ImportedAt zero means now. The
// rest is filled in by the import.
//
// When the file has been imported before, Import.Complete is true and there is
// nothing to do; putting everything again would change nothing.
func (a *Archive) Begin(ctx context.Context, src Source) (*Import, error) {
	return nil, errors.ErrUnsupported
}

// Import takes in what one file says. Its methods may be called from several
// goroutines; a MarketImport belongs to one goroutine at a time. Imports of
// different files may run side by side.
//
// What was put becomes part of the archive in transactions of some megabytes.
// After an error, or when Finish was never called, what was committed stays and
// importing the file again completes it.
type Import struct{}

// Complete reports whether the file had been imported before, in whole.
func (i *Import) Complete() bool { return false }

// Source returns the source with the counts so far.
func (i *Import) Source() Source { return Source{} }

// Series puts what the file says of a series. Venue and VenueID or Slug are
// needed; what is not known stays zero.
func (i *Import) Series(ctx context.Context, s market.Series) error { return errors.ErrUnsupported }

// Event puts what the file says of an event. Venue and VenueID or Slug are
// needed; what is not known stays zero.
func (i *Import) Event(ctx context.Context, e market.Event) error { return errors.ErrUnsupported }

// Market begins what the file says of one market: m holds what it says itself
// and nothing else. Venue and one of VenueID, Slug and AltID are needed; every
// other field may stay zero and is then taken from other sources or derived:
//
//   - VenueID empty: the file does not know the condition id.
//   - Tokens: those the file knows, in any number and order. A token needs a
//     VenueID, or an Outcome, or a Label. Derived ids are not given here.
//   - Coin, Type, Start, End, Category, Question, SeriesID, EventID and Tags
//     need not be worked out from the slug or the series: the archive does it.
//   - Payout goes with Tokens, one fraction for each.
//
// Opening the same market again adds to what was said of it: a field that is
// not zero replaces what the file said before.
func (i *Import) Market(ctx context.Context, m market.Market) (*MarketImport, error) {
	return nil, errors.ErrUnsupported
}

// MarketImport takes in what one file says of one market.
type MarketImport struct{}

// Token returns the index, for Capture.Token, of the token that t describes
// (equal VenueID, else equal Outcome, else equal Label), which is added when
// the file had not named it before. An empty field of a token known already is
// filled in from t.
func (m *MarketImport) Token(t market.Token) int { return 0 }

// Payout records what the market paid, one fraction per token in the order of
// Token's indices, replacing what this file said before.
func (m *MarketImport) Payout(p market.Payout) {}

// Closed records that the source says the market is closed; at zero: it does
// not say when.
func (m *MarketImport) Closed(at market.Instant) {}

// Gap records a stretch that the file itself declares as missing.
func (m *MarketImport) Gap(token int, g market.Gap) {}

// Add takes in a capture. Captures are added in the order of the file: at one
// receive time that order counts (c.Ord is ignored). c.Token is an index that
// Token returned or that of Tokens given to Import.Market. A KindBook is the
// whole ladder, with Replace set. Levels stand best first, no price twice on a
// side. An error that wraps block.ErrCapture means that this capture cannot be
// kept; the import goes on without it. c and its slices are not kept.
func (m *MarketImport) Add(c *market.Capture) error { return errors.ErrUnsupported }

// Done says that the file has nothing more of this market. What was added
// becomes visible with the next transaction. A MarketImport that is never done
// leaves nothing visible.
func (m *MarketImport) Done(ctx context.Context) error { return errors.ErrUnsupported }

// End says how reading a file ended.
type End struct {
	Messages int64            // messages or rows read
	Rejected map[string]int64 // messages that were not taken, by reason
	Problem  string           // why it could not be read to its end; empty: it was
}

// Finish commits what is left, markets not yet done included, and marks the
// source complete. When it has returned nil everything is on disk.
func (i *Import) Finish(ctx context.Context, e End) (Source, error) {
	return Source{}, errors.ErrUnsupported
}

// Close ends the import. Without a Finish before it, what was committed stays
// and the source is not complete. It may be called after Finish.
func (i *Import) Close() error { return nil }
