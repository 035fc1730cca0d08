package ingest

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// captured collects the tokens that files of captures name, to say at the end
// of which no metadata tells the outcome.
type captured struct {
	mu      sync.Mutex
	markets map[store.Name]*capturedMarket
}

type capturedMarket struct {
	shown  string     // name for people
	tokens []store.ID // hashes of tokenKey: there may be 100,000 markets
}

func newCaptured() *captured { return &captured{markets: map[store.Name]*capturedMarket{}} }

func (c *captured) add(name store.Name, shown, token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.markets[name]
	if m == nil && len(c.markets) == maxCaptured {
		return
	}
	if m == nil {
		m = &capturedMarket{shown: shown}
		c.markets[name] = m
	}
	if !m.has(token) {
		m.tokens = append(m.tokens, store.NameID("", token))
	}
}

func (m *capturedMarket) has(token string) bool {
	return slices.Contains(m.tokens, store.NameID("", token))
}

// maxCaptured is how many markets are looked after.
const maxCaptured = 100_000

// tokenKey is what a token is known by: its id, else the name of its outcome.
func tokenKey(t market.Token) string {
	if t.VenueID != "" && !t.Derived {
		return t.VenueID
	}
	return "\x00" + strings.ToLower(t.Label)
}

// askFor is how many markets are looked up at a time.
const askFor = 256

// undescribed returns the names of the markets of which the archive cannot
// place any captured token, sorted.
func (c *captured) undescribed(ctx context.Context, a *archive.Archive) ([]string, error) {
	left := map[store.Name]bool{}
	names := make([]store.Name, 0, len(c.markets))
	for n := range c.markets {
		names = append(names, n)
		left[n] = true
	}
	for part := range slices.Chunk(names, askFor) {
		found, err := a.Markets(ctx, store.MarketQuery{Names: part})
		if err != nil {
			return nil, err
		}
		for i := range found {
			m := &found[i].Market
			for _, text := range []string{m.VenueID, m.Slug, m.AltID} {
				n := store.Name{Venue: m.Venue, Text: text}
				if left[n] && slices.ContainsFunc(m.Tokens, func(t market.Token) bool {
					return c.markets[n].has(t.VenueID) || c.markets[n].has("\x00"+strings.ToLower(t.Label))
				}) {
					delete(left, n)
				}
			}
		}
	}
	var out []string
	for n := range left {
		out = append(out, c.markets[n].shown)
	}
	slices.Sort(out)
	return out, nil
}
