package exchange

import (
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"time"

	"github.com/ladderback/ladderback/market"
)

// Synthetic returns n rounds of five minutes that follow one another from start
// on, with a few books a second of the token Up from three minutes before each.
func Synthetic(n int, start time.Time, seed uint64) []Round {
	var out []Round
	for i := range n {
		begin := start.Add(time.Duration(i) * 5 * time.Minute)
		r := Round{
			Slug:      fmt.Sprintf("btc-updown-5m-%d", begin.Unix()),
			Condition: fmt.Sprintf("0x%064x", begin.Unix()), Coin: "BTC", Type: "5m",
			Tokens: [2]string{fmt.Sprintf("7%d1", begin.Unix()), fmt.Sprintf("7%d2", begin.Unix())},
			Start:  begin, End: begin.Add(5 * time.Minute), Winner: i % 2,
		}
		r.Messages = r.walk(seed + uint64(i))
		out = append(out, r)
	}
	return out
}

// walk returns books around a price that moves at random.
func (r Round) walk(seed uint64) func() iter.Seq2[Message, error] {
	return func() iter.Seq2[Message, error] {
		return func(yield func(Message, error) bool) {
			rng := rand.New(rand.NewPCG(seed, 7))
			mid := 50
			for at := r.Start.Add(-3 * time.Minute); at.Before(r.End); at = at.Add(time.Duration(100+rng.IntN(400)) * time.Millisecond) {
				mid = min(max(mid+rng.IntN(3)-1, 5), 95)
				w := wireBook{Type: "book", Market: r.Condition, Asset: r.Tokens[0], Time: millis(at.Add(-20 * time.Millisecond))}
				for k := range 4 {
					size := market.Size(1+rng.IntN(500)) * market.SizeOne
					w.Bids = append(w.Bids, wireLevel{market.Price((mid - 4 + k) * 100).String(), size.String()})
					w.Asks = append(w.Asks, wireLevel{market.Price((mid + 4 - k) * 100).String(), size.String()})
				}
				data, _ := json.Marshal(w) // strings can be written
				// Microseconds, as real receive times have them.
				if !yield(Message{At: at.Add(time.Duration(1+rng.IntN(999)) * time.Microsecond), Data: data}, nil) {
					return
				}
			}
		}
	}
}
