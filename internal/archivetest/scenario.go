package archivetest

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// Message is one capture as a file has it.
type Message struct {
	Market  int            // index in Scenario.Markets
	Capture market.Capture // Token: index in the market's tokens
}

// Scenario is what one recorder saw: markets as it knows them, and messages in
// the order in which they arrived.
type Scenario struct {
	Markets  []market.Market
	Messages []Message
}

// Start is the start of the rounds of every Scenario.
const Start = 1_776_081_600 * market.Second

// NewScenario makes up a scenario of about n messages: an up/down round of
// which both tokens are captured, one of which a single token is, and a market
// of two teams whose books do not mirror each other. Receive times tie, repeat
// and go backwards, exchange times repeat within and across tokens, messages
// come twice.
func NewScenario(seed uint64, n int) *Scenario {
	rnd := rand.New(rand.NewPCG(seed, 1))
	s := &Scenario{Markets: []market.Market{
		{
			Venue: market.Polymarket, VenueID: "0xaa", Slug: fmt.Sprintf("btc-updown-5m-%d", Start/market.Second),
			Tokens: []market.Token{{VenueID: "71", Outcome: market.Up}, {VenueID: "72", Outcome: market.Down}},
		},
		{
			Venue: market.Polymarket, VenueID: "0xbb", Slug: fmt.Sprintf("eth-updown-15m-%d", Start/market.Second),
			Tokens: []market.Token{{VenueID: "81", Outcome: market.Down}},
		},
		{
			Venue: "polymarket-us", Slug: "hawks-bulls", Category: market.Sports,
			Tokens: []market.Token{{Label: "Hawks"}, {Label: "Bulls"}},
		},
	}}
	g := &generator{rnd: rnd, at: Start - 20*market.Second}
	for len(s.Messages) < n {
		s.Messages = append(s.Messages, g.message(s))
		if rnd.IntN(12) == 0 { // the same again
			m := s.Messages[len(s.Messages)-1-rnd.IntN(min(4, len(s.Messages)))]
			s.Messages = append(s.Messages, m)
		}
	}
	return s
}

type generator struct {
	rnd *rand.Rand
	at  market.Instant
}

func (g *generator) message(s *Scenario) Message {
	r := g.rnd
	switch r.IntN(10) {
	case 0: // a tie
	case 1:
		g.at -= market.Instant(r.IntN(3)) * market.Second
	default:
		g.at += market.Instant(r.IntN(3)) * market.Second / 2
	}
	m := Message{Market: r.IntN(len(s.Markets))}
	c := &m.Capture
	c.Token = r.IntN(len(s.Markets[m.Market].Tokens))
	c.Recv = g.at
	if r.IntN(5) > 0 {
		c.Exch = g.at - market.Instant(r.IntN(4))*market.Second/2
	}
	switch k := r.IntN(20); {
	case k < 9:
		c.Kind, c.Replace = market.KindBook, true
		c.Bids, c.Asks = g.side(market.Bid, false), g.side(market.Ask, false)
	case k < 13:
		c.Kind = market.KindChange
		c.Bids, c.Asks = g.side(market.Bid, true), g.side(market.Ask, true)
	case k < 15:
		c.Kind = market.KindQuote
		c.Quote = market.Quote{Bid: g.level(), Ask: g.level()}
		if r.IntN(4) == 0 {
			c.Quote.Ask = market.Level{Price: market.NoPrice}
		}
	case k < 17:
		c.Kind = market.KindTrade
		l := g.level()
		c.Trade = market.Trade{Price: l.Price, Size: l.Size, Side: market.Side(r.IntN(3))}
	case k < 18:
		c.Kind, c.Trade.Price = market.KindPrice, g.level().Price
	case k < 19:
		c.Kind = market.KindMetric
		c.Metric = market.Metric{Liquidity: market.Cash(r.IntN(1000)), Volume: market.NoMetric}
	default:
		c.Kind = market.KindReset
		c.Exch = 0
	}
	return m
}

func (g *generator) level() market.Level {
	return market.Level{Price: market.Price(1+g.rnd.IntN(99)) * 100, Size: market.Size(1+g.rnd.IntN(20)) * market.SizeOne / 2}
}

// side makes up a side of a ladder, or changes of one, best first.
func (g *generator) side(s market.Side, changes bool) []market.Level {
	var out []market.Level
	n := g.rnd.IntN(5)
	for range n {
		l := g.level()
		if changes && g.rnd.IntN(3) == 0 {
			l.Size = 0
		}
		if !slices.ContainsFunc(out, func(o market.Level) bool { return o.Price == l.Price }) {
			out = append(out, l)
		}
	}
	slices.SortFunc(out, func(a, b market.Level) int {
		if s == market.Bid {
			return int(b.Price - a.Price)
		}
		return int(a.Price - b.Price)
	})
	return out
}

// File is a part of a scenario that is imported at once.
type File struct {
	Name     string
	Messages []int // indices in Scenario.Messages
	Claims   []market.Market
	Payouts  map[int]market.Payout // by market of the scenario
	Authority
	Events []market.Event
	Series []market.Series
}

// Authority is archive.Authority; zero means FromCaptures.
type Authority = store.Authority

// Split cuts the scenario into up to n files at random, in any order. Messages
// of one receive time stay together; most stand in one file, some in several.
func (s *Scenario) Split(seed uint64, n int) []File {
	rnd := rand.New(rand.NewPCG(seed, 2))
	files := make([]File, 1+rnd.IntN(n))
	in := map[market.Instant][]int{}
	for i, m := range s.Messages {
		at := m.Capture.Recv
		if in[at] == nil {
			in[at] = []int{rnd.IntN(len(files))}
			for rnd.IntN(3) == 0 {
				in[at] = append(in[at], rnd.IntN(len(files)))
			}
			slices.Sort(in[at])
			in[at] = slices.Compact(in[at])
		}
		for _, f := range in[at] {
			files[f].Messages = append(files[f].Messages, i)
		}
	}
	for i := range files {
		files[i].Name = fmt.Sprintf("split-%d-%d-%d.jsonl", seed, n, i)
	}
	rnd.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	return files
}

// Whole returns the scenario as one file.
func (s *Scenario) Whole() File {
	f := File{Name: "whole.jsonl"}
	for i := range s.Messages {
		f.Messages = append(f.Messages, i)
	}
	return f
}

// Source returns what Archive.Begin is told of the file.
func (f *File) Source() store.Source {
	a := f.Authority
	if a == 0 {
		a = store.FromCaptures
	}
	content, err := json.Marshal(f)
	if err != nil {
		panic(err) // plain values
	}
	return store.Source{
		SHA256: sha256.Sum256(content), Name: f.Name, Size: int64(len(f.Name)),
		Format: "test", Authority: a, ImportedAt: Start,
	}
}
