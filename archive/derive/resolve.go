package derive

import (
	"cmp"
	"context"
	"slices"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// member is a market as its claims are found: by id, and by the names that
// sources which do not know the id call it.
type member struct {
	venue   market.Venue
	venueID string
	strong  bool         // some source names it by id
	names   []store.Name // by which claims without an id belong to it
	owners  []store.ID
	claims  []said // none: there is no such market any more
	// eventID and seriesID are the public ids of its event and series.
	eventID, seriesID string
}

// memberSet is the markets to derive anew.
type memberSet struct {
	members map[store.ID]*member
	old     map[store.ID]*store.MarketRow // rows as they were, if there were any
}

// parts returns the parts under the claims of all members, by owner.
func (s *memberSet) parts(ctx context.Context, r store.Reader) (map[store.ID][]store.Part, error) {
	var owners []store.ID
	for _, m := range s.members {
		owners = append(owners, m.owners...)
	}
	slices.Sort(owners)
	list, err := r.Parts(ctx, owners)
	if err != nil {
		return nil, err
	}
	out := map[store.ID][]store.Part{}
	for _, p := range list {
		out[p.Owner] = append(out[p.Owner], p)
	}
	return out, nil
}

// resolve finds which claims belong to which market. A claim that gives the
// venue's id belongs to the market of that id. One that gives a slug, or
// another id, only belongs to the market with an id that goes by this name
// (the first by public id, should there be several), and is a market by itself
// when there is none.
func (r *Refresh) resolve(ctx context.Context) (*memberSet, error) {
	set := &memberSet{members: map[store.ID]*member{}, old: map[store.ID]*store.MarketRow{}}
	weakClaims := map[store.Name][]said{} // of names looked up; nil: none
	relevant := map[store.Name]bool{}
	for _, n := range r.weak {
		relevant[n] = true
	}
	todo := r.markets
	for len(todo) > 0 || len(relevant) > len(weakClaims) {
		if err := r.loadStrong(ctx, set, todo); err != nil {
			return nil, err
		}
		for _, m := range set.members {
			for _, n := range m.names {
				relevant[n] = true
			}
		}
		rows, err := r.loadWeak(ctx, relevant, weakClaims)
		if err != nil {
			return nil, err
		}
		todo = map[store.ID]strongName{}
		for i := range rows {
			row := &rows[i]
			set.old[row.ID] = row
			if slices.Contains(row.Owners, row.ID) && set.members[row.ID] == nil {
				todo[row.ID] = strongName{row.Market.Venue, row.Market.VenueID}
			}
		}
	}
	set.attach(weakClaims)
	return set, nil
}

// loadStrong adds the markets of the given ids, with the claims that give them.
func (r *Refresh) loadStrong(ctx context.Context, set *memberSet, ids map[store.ID]strongName) error {
	if len(ids) == 0 {
		return nil
	}
	var list []store.ID
	for id, n := range ids {
		list = append(list, id)
		set.members[id] = &member{venue: n.venue, venueID: n.id, strong: true, owners: []store.ID{id}}
	}
	slices.Sort(list)
	claims, err := r.said(ctx, list)
	if err != nil {
		return err
	}
	for _, c := range claims {
		m := set.members[c.owner]
		m.claims = append(m.claims, c)
	}
	if err := r.loadRows(ctx, set, list); err != nil {
		return err
	}
	for _, id := range list {
		m := set.members[id]
		slices.SortFunc(m.claims, byWeight)
		var k market.Market
		k.Venue, k.VenueID = m.venue, m.venueID
		for _, c := range m.claims {
			fill(&k.Slug, c.doc.Slug)
			fill(&k.AltID, c.doc.AltID)
		}
		m.names = append(m.names, namesOf(&k)...)
	}
	return nil
}

// loadRows adds the rows of the given ids as they were, and the names that they give.
func (r *Refresh) loadRows(ctx context.Context, set *memberSet, ids []store.ID) error {
	var ask []store.ID
	for _, id := range ids {
		if row := r.have[id]; row != nil {
			set.was(row)
		} else {
			ask = append(ask, id)
		}
	}
	if len(ask) == 0 {
		return nil
	}
	rows, err := r.w.Markets(ctx, store.MarketQuery{IDs: ask, Unlisted: true, Damaged: true})
	for i := range rows {
		set.was(&rows[i])
	}
	return err
}

// was adds the row of a member as it was.
func (s *memberSet) was(row *store.MarketRow) {
	s.old[row.ID] = row
	if slices.Contains(row.Owners, row.ID) {
		s.members[row.ID].names = namesOf(&row.Market)
	}
}

// said returns what sources say of the owners of claims about markets.
func (r *Refresh) said(ctx context.Context, owners []store.ID) ([]said, error) {
	var out []said
	var ask []store.ID
	for _, id := range owners {
		if known, ok := r.known[id]; ok {
			out = append(out, known...)
		} else {
			ask = append(ask, id)
		}
	}
	claims, err := r.w.Claims(ctx, store.MarketClaim, ask)
	if err != nil {
		return nil, err
	}
	return readSaid(out, claims)
}

func namesOf(k *market.Market) []store.Name {
	out := []store.Name{{Venue: k.Venue, Text: k.VenueID}}
	for _, n := range []string{k.Slug, k.AltID} {
		if n != "" && n != k.VenueID {
			out = append(out, store.Name{Venue: k.Venue, Text: n})
		}
	}
	return out
}

// loadWeak looks up the claims of the names not looked up before, and returns
// the rows that go by those of them that have any, or were touched.
func (r *Refresh) loadWeak(ctx context.Context, names map[store.Name]bool, found map[store.Name][]said) ([]store.MarketRow, error) {
	owners := map[store.ID]store.Name{}
	var list []store.ID
	for n := range names {
		if _, ok := found[n]; !ok {
			found[n] = nil
			id := store.NameID(n.Venue, n.Text)
			owners[id] = n
			list = append(list, id)
		}
	}
	slices.Sort(list)
	claims, err := r.said(ctx, list)
	if err != nil {
		return nil, err
	}
	for _, c := range claims {
		n := owners[c.owner]
		found[n] = append(found[n], c)
	}
	var ask []store.Name
	for _, id := range list {
		n := owners[id]
		if _, touched := r.weak[id]; touched || len(found[n]) > 0 {
			ask = append(ask, n)
		}
	}
	if len(ask) == 0 {
		return nil, nil
	}
	return r.w.Markets(ctx, store.MarketQuery{Names: ask, Unlisted: true, Damaged: true})
}

// attach gives the claims of each name to the market that it belongs to.
func (s *memberSet) attach(weak map[store.Name][]said) {
	winner := map[store.Name]*member{}
	for _, m := range s.members {
		if len(m.claims) == 0 {
			continue
		}
		for _, n := range m.currentNames() {
			if w := winner[n]; w == nil || m.venueID < w.venueID {
				winner[n] = m
			}
		}
	}
	for n, claims := range weak {
		id := store.MarketID(n.Venue, n.Text)
		owner := store.NameID(n.Venue, n.Text)
		if m := winner[n]; m != nil {
			if len(claims) > 0 {
				m.claims = append(m.claims, claims...)
				m.owners = append(m.owners, owner)
			}
			if row := s.old[id]; row != nil && s.members[id] == nil {
				s.members[id] = &member{venue: n.Venue, venueID: n.Text}
			}
			continue
		}
		if row := s.old[id]; len(claims) > 0 || row != nil && s.members[id] == nil {
			s.members[id] = &member{venue: n.Venue, venueID: n.Text, owners: []store.ID{owner}, claims: claims}
		}
	}
	for _, m := range s.members {
		slices.SortFunc(m.claims, byWeight)
		slices.Sort(m.owners)
	}
}

// currentNames returns the names that the market's claims by id give it now.
func (m *member) currentNames() []store.Name {
	var k market.Market
	k.Venue, k.VenueID = m.venue, m.venueID
	for _, c := range m.claims {
		fill(&k.Slug, c.doc.Slug)
		fill(&k.AltID, c.doc.AltID)
	}
	return namesOf(&k)
}

// nameGroups finds the event and the series of each market: those that a source
// names, else, for an up/down round, those that go by the slug derived from it.
func (s *memberSet) nameGroups(ctx context.Context, r store.Reader) error {
	events, series := []store.ID{}, []store.ID{}
	for _, m := range s.members {
		for _, c := range m.claims {
			fill(&m.eventID, c.doc.EventID)
			fill(&m.seriesID, c.doc.SeriesID)
			if c.doc.SeriesID != "" {
				series = append(series, store.SeriesID(m.venue, c.doc.SeriesID))
			}
		}
		if m.eventID != "" {
			events = append(events, store.EventID(m.venue, m.eventID))
		}
	}
	// What no source says, but was derived from markets, does not count here.
	claimed, err := eventGroup.merge(ctx, r, events)
	if err != nil {
		return err
	}
	seriesOf := map[store.ID]string{}
	for id, e := range claimed {
		seriesOf[id] = e.SeriesID
		if e.SeriesID != "" {
			series = append(series, store.SeriesID(e.Venue, e.SeriesID))
		}
	}
	known, err := seriesGroup.merge(ctx, r, series)
	if err != nil {
		return err
	}
	slugOf := map[store.ID]string{}
	for id, k := range known {
		slugOf[id] = k.Slug
	}
	for _, m := range s.members {
		if m.seriesID == "" && m.eventID != "" {
			m.seriesID = seriesOf[store.EventID(m.venue, m.eventID)]
		}
		for i := range m.claims {
			c := &m.claims[i]
			c.seriesSlug = slugOf[store.SeriesID(m.venue, cmp.Or(c.doc.SeriesID, m.seriesID))]
		}
	}
	return s.nameRounds(ctx, r)
}

// nameRounds gives up/down rounds without an event or a series one by slug.
func (s *memberSet) nameRounds(ctx context.Context, r store.Reader) error {
	eventSlug, seriesSlug := map[*member]store.Name{}, map[*member]store.Name{}
	for _, m := range s.members {
		var k market.Market
		for _, c := range m.claims {
			fill(&k.Slug, c.doc.Slug)
		}
		fill(&k.Slug, m.venueID)
		rd, ok := roundOf(m.claims, &k)
		if !ok {
			continue
		}
		if m.eventID == "" {
			eventSlug[m] = store.Name{Venue: m.venue, Text: k.Slug}
		}
		if m.seriesID == "" {
			named, _ := roundNames(rd)
			seriesSlug[m] = store.Name{Venue: m.venue, Text: named.Slug}
		}
	}
	events, err := r.Events(ctx, store.GroupQuery{Slugs: uniqueNames(eventSlug)})
	if err != nil {
		return err
	}
	series, err := r.Series(ctx, store.GroupQuery{Slugs: uniqueNames(seriesSlug)})
	if err != nil {
		return err
	}
	claimed := map[store.Name]string{} // the first id by which a venue calls the slug
	note := func(into map[store.Name]string, n store.Name, id string) {
		if id != n.Text && (into[n] == "" || id < into[n]) {
			into[n] = id
		}
	}
	for _, e := range events {
		note(claimed, store.Name{Venue: e.Event.Venue, Text: e.Event.Slug}, e.Event.VenueID)
	}
	claimedSeries := map[store.Name]string{}
	for _, k := range series {
		note(claimedSeries, store.Name{Venue: k.Series.Venue, Text: k.Series.Slug}, k.Series.VenueID)
	}
	for m, n := range eventSlug {
		m.eventID = cmp.Or(claimed[n], n.Text)
	}
	for m, n := range seriesSlug {
		m.seriesID = cmp.Or(claimedSeries[n], n.Text)
	}
	return nil
}

func uniqueNames(of map[*member]store.Name) []store.Name {
	seen := map[store.Name]bool{}
	out := []store.Name{}
	for _, n := range of {
		if !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	return out
}
