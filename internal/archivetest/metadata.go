package archivetest

import (
	"fmt"
	"math/rand/v2"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// Metadata makes up files of metadata about the markets of a scenario, and about
// others: some by id, some by slug, some that contradict each other.
func Metadata(s *Scenario, seed uint64, n int) []File {
	rnd := rand.New(rand.NewPCG(seed, 3))
	var files []File
	for i := range n {
		f := File{Name: fmt.Sprintf("claims-%d-%d.json", seed, i), Authority: store.Authority(1 + rnd.IntN(3))}
		for range 1 + rnd.IntN(3) {
			f.Claims = append(f.Claims, claim(s, rnd, i))
		}
		if rnd.IntN(2) == 0 {
			f.Series = append(f.Series, market.Series{
				Venue: market.Polymarket, VenueID: fmt.Sprint(10 + rnd.IntN(2)), Slug: "btc-up-or-down-5m",
				Title: fmt.Sprint("Series ", i), Tags: []string{"Crypto", fmt.Sprint("from ", i)},
			})
		}
		if rnd.IntN(2) == 0 {
			f.Events = append(f.Events, market.Event{
				Venue: market.Polymarket, VenueID: fmt.Sprint(20 + rnd.IntN(2)), Slug: s.Markets[rnd.IntN(2)].Slug,
				Title: fmt.Sprint("Event ", i), SeriesID: []string{"", "10", "11"}[rnd.IntN(3)],
			})
		}
		files = append(files, f)
	}
	return files
}

// claim makes up what the i-th source says about a market of the scenario.
func claim(s *Scenario, rnd *rand.Rand, i int) market.Market {
	of := s.Markets[rnd.IntN(len(s.Markets))]
	pick := func(p int) bool { return rnd.IntN(p) == 0 }
	m := claimedIdentity(rnd, &of)
	if pick(3) {
		m.AltID = fmt.Sprint(500 + rnd.IntN(3))
	}
	if pick(2) {
		m.Question = fmt.Sprint("Question ", i)
	}
	if pick(3) {
		m.EventID, m.SeriesID = fmt.Sprint(20+rnd.IntN(2)), []string{"", "10"}[rnd.IntN(2)]
	}
	if pick(3) {
		m.Start, m.End = Start+market.Instant(rnd.IntN(3))*market.Second, Start+market.Instant(5+rnd.IntN(30))*market.Second
	}
	if pick(4) {
		m.UpdatedAt = Start + market.Instant(rnd.IntN(100))*market.Second
	}
	if pick(4) {
		m.Tags = []string{fmt.Sprint("tag ", rnd.IntN(3)), "Sports"}
	}
	if pick(5) {
		m.Closed, m.ClosedAt = true, Start+market.Instant(rnd.IntN(60))*market.Second
	}
	m.Tokens = tokens(rnd, &of)
	if len(m.Tokens) > 0 && pick(2) {
		p := &market.Payout{
			Basis:     []market.Basis{market.Official, market.Inferred}[rnd.IntN(2)],
			Fractions: make([]market.Cash, len(m.Tokens)),
		}
		p.Fractions[rnd.IntN(len(p.Fractions))] = market.CashOne
		m.Payout = p
	}
	return m
}

// claimedIdentity makes up what a source goes by: the id of a market, its slug,
// both, or the id of another market.
func claimedIdentity(rnd *rand.Rand, of *market.Market) market.Market {
	m := market.Market{Venue: of.Venue, Slug: of.Slug}
	pick := func(p int) bool { return rnd.IntN(p) == 0 }
	if of.VenueID != "" && !pick(3) {
		m.VenueID = of.VenueID
		if pick(3) {
			m.Slug = ""
		}
		if pick(8) { // another market that goes by the same slug
			m.VenueID = "0x" + fmt.Sprint(rnd.IntN(3))
		}
	}
	if of.VenueID == "" && pick(2) { // the id of the market known by slug
		m.VenueID = fmt.Sprint("0xc", rnd.IntN(2))
	}
	return m
}

// tokens makes up what a source knows of the tokens of a market.
func tokens(rnd *rand.Rand, of *market.Market) []market.Token {
	var out []market.Token
	for k := range 2 {
		t := market.Token{Label: []string{"Hawks", "Bulls"}[k]}
		if of.VenueID != "" {
			t = market.Token{Outcome: []market.Outcome{market.Up, market.Down}[k], VenueID: []string{"71", "72"}[k]}
			if of.VenueID == "0xbb" {
				t.VenueID = []string{"82", "81"}[k]
			}
		} else {
			t.VenueID = []string{"91", "92"}[k]
		}
		switch rnd.IntN(5) {
		case 0:
			t.VenueID = ""
		case 1: // an id whose outcome the source does not know
			t.Outcome, t.Label = market.OutcomeOther, ""
		case 2:
			continue
		}
		out = append(out, t)
	}
	if len(out) == 2 && rnd.IntN(2) == 0 {
		out[0], out[1] = out[1], out[0]
	}
	return out
}
