package derive

import (
	"context"
	"slices"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// Forecast is what a market will be once one source's claim is added, provided
// the other sources' claims stay as they are.
type Forecast struct {
	source store.SourceID
	owner  store.ID
	others []said
	// Start and End bound the round. Dated is false while they depend on captures.
	Start, End market.Instant
	Dated      bool
	// Undated: nothing is known of either; both are those of the captures.
	Undated bool
}

// ForeseeUndated returns what a market will be of which no source knows when it takes
// place, if no other source says anything of its tokens.
func ForeseeUndated(source store.SourceID, owner store.ID) *Forecast {
	return &Forecast{source: source, owner: owner, Undated: true}
}

// Foresee looks up what the other sources say about the market that doc
// describes, doc being the source's claim about the owner.
func Foresee(ctx context.Context, r store.Reader, source store.SourceID, owner store.ID, doc *MarketDoc) (*Forecast, error) {
	owners := []store.ID{doc.Owner()}
	for _, n := range doc.Names() {
		owners = append(owners, store.NameID(n.Venue, n.Text))
	}
	rows, err := r.Markets(ctx, store.MarketQuery{Names: doc.Names(), Unlisted: true, Damaged: true})
	if err != nil {
		return nil, err
	}
	if staysUndated(rows, doc) {
		return ForeseeUndated(source, owner), nil
	}
	f := &Forecast{source: source, owner: owner}
	for i := range rows {
		owners = append(owners, rows[i].Owners...)
	}
	slices.Sort(owners)
	claims, err := r.Claims(ctx, store.MarketClaim, slices.Compact(owners))
	if err != nil {
		return nil, err
	}
	claims = slices.DeleteFunc(claims, func(c store.Claim) bool { return c.Source == source })
	if f.others, err = readSaid(nil, claims); err != nil {
		return nil, err
	}
	now := f.merge(doc)
	f.Start, f.End, f.Dated = now.market.Start, now.market.End, !now.noStart && !now.undated
	return f, nil
}

// staysUndated reports whether markets of whose time nothing is known so far, or none,
// stay so with what doc says: the other sources need not be asked then.
func staysUndated(rows []store.MarketRow, doc *MarketDoc) bool {
	for i := range rows {
		if !rows[i].Undated {
			return false
		}
	}
	return !doc.SaysWhen()
}

// SaysWhen reports whether the document says of itself when the market takes place: by
// its times, or as a round by its names.
func (d *MarketDoc) SaysWhen() bool {
	_, round := roundOf([]said{{doc: d}}, &market.Market{})
	return d.Start != 0 || d.End != 0 || round
}

func (f *Forecast) merge(doc *MarketDoc) *merged {
	id, _ := doc.ownName()
	for _, o := range f.others {
		if o.doc.VenueID != "" && doc.VenueID == "" {
			id = o.doc.VenueID
		}
	}
	return mergeClaims(doc.Venue, id, append(slices.Clone(f.others), said{source: f.source, owner: f.owner, doc: doc}))
}

// Place returns the market index of a token of the claim; false: it will have
// none.
func (f *Forecast) Place(doc *MarketDoc, token int) (int, bool) {
	at, ok := f.merge(doc).place[tokenOf{f.source, f.owner, token}]
	return at, ok
}
