package simulate

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/ladderback/ladderback/market"
)

// Config says what to simulate. The zero value of a field takes its default.
type Config struct {
	// Seed decides everything that is random. Zero is a seed like any other.
	Seed uint64
	// Markets is how many decided rounds there are altogether, spread evenly over
	// the pairs of Coins and Types; the first pairs get one more where they do
	// not divide. Default 200.
	Markets int
	// Coins are tickers in upper case; default BTC. Types are lengths of rounds,
	// "5m", "15m", "1h" and the like; default 15m.
	Coins, Types []string
	// Pairs replaces Markets, Coins and Types when it is not empty.
	Pairs []Pair
	// Open adds to each pair a round that is not over yet.
	Open bool
	// Levels is the maximum number of levels per side of a ladder: 1 to 98,
	// default 50.
	Levels int
	// Rate is how many ladder captures a second there are on average: 0.01 to
	// 20, default 1.
	Rate float64
	// Fair makes the fair value a martingale that is never outside the quotes.
	Fair bool
}

// Pair is a coin and a round length, with the number of decided rounds.
type Pair struct {
	Coin, Type string
	Rounds     int
}

const (
	defaultMarkets = 200
	defaultLevels  = 50
	maxLevels      = 98
	maxMarkets     = 1_000_000
	minRate        = 0.01
	maxRate        = 20
)

// firstStart is the earliest start of a simulated round: after the day from
// which the latest schedule of fees holds.
const firstStart = market.Instant(1_775_001_600) * market.Second // 2026-04-01T00:00:00Z

// Demo is the content of the demo archive: 240 rounds of BTC 15m, 40 of every
// other pair of BTC, ETH and SOL with 5m, 15m and 1h, and one open round per
// pair.
func Demo() Config {
	c := Config{Seed: 1, Open: true}
	for _, coin := range []string{"BTC", "ETH", "SOL"} {
		for _, typ := range []string{"5m", "15m", "1h"} {
			n := 40
			if coin == "BTC" && typ == "15m" {
				n = 240
			}
			c.Pairs = append(c.Pairs, Pair{coin, typ, n})
		}
	}
	return c
}

// withDefaults returns c with Pairs and every default filled in, or what is
// wrong with it.
func (c Config) withDefaults() (Config, error) {
	if c.Levels == 0 {
		c.Levels = defaultLevels
	}
	if c.Rate == 0 {
		c.Rate = 1
	}
	switch {
	case c.Levels < 1 || c.Levels > maxLevels:
		return c, fmt.Errorf("simulate: %d ladder levels: expected 1 to %d", c.Levels, maxLevels)
	case math.IsNaN(c.Rate) || c.Rate < minRate || c.Rate > maxRate:
		return c, fmt.Errorf("simulate: rate of %v books per second: expected %v to %v", c.Rate, minRate, maxRate)
	}
	if len(c.Pairs) == 0 {
		if err := c.spread(); err != nil {
			return c, err
		}
	}
	c.Markets, c.Coins, c.Types = 0, nil, nil
	pairs, seen := make([]Pair, len(c.Pairs)), map[string]bool{}
	for i, p := range c.Pairs {
		p, err := p.checked()
		if err != nil {
			return c, err
		}
		name := p.Coin + " " + p.Type
		if seen[name] {
			return c, fmt.Errorf("simulate: %s is listed twice", name)
		}
		pairs[i], seen[name] = p, true
		c.Markets += p.Rounds
	}
	c.Pairs = pairs
	if c.Markets == 0 && !c.Open {
		return c, errors.New("simulate: no rounds requested")
	}
	return c, nil
}

// checked returns p in its one spelling, or what is wrong with it.
func (p Pair) checked() (Pair, error) {
	typ, span, ok := market.ParseLength(p.Type)
	switch {
	case !isTicker(p.Coin):
		return p, fmt.Errorf("simulate: coin %q: expected a ticker such as BTC", p.Coin)
	case !ok || span < market.Minute:
		return p, fmt.Errorf("simulate: length of rounds %q: expected a length such as 5m, 15m or 1h", p.Type)
	case p.Rounds < 0 || p.Rounds > maxMarkets:
		return p, fmt.Errorf("simulate: %d rounds of %s %s: expected 0 to %d", p.Rounds, p.Coin, p.Type, maxMarkets)
	}
	return Pair{strings.ToUpper(p.Coin), typ, p.Rounds}, nil
}

// spread makes Pairs of Markets, Coins and Types.
func (c *Config) spread() error {
	if c.Markets == 0 {
		c.Markets = defaultMarkets
	}
	if c.Markets < 0 || c.Markets > maxMarkets {
		return fmt.Errorf("simulate: %d markets: expected 1 to %d", c.Markets, maxMarkets)
	}
	if len(c.Coins) == 0 {
		c.Coins = []string{"BTC"}
	}
	if len(c.Types) == 0 {
		c.Types = []string{"15m"}
	}
	n := len(c.Coins) * len(c.Types)
	for _, coin := range c.Coins {
		for _, typ := range c.Types {
			k := len(c.Pairs)
			rounds := c.Markets / n
			if k < c.Markets%n {
				rounds++
			}
			c.Pairs = append(c.Pairs, Pair{coin, typ, rounds})
		}
	}
	return nil
}

func isTicker(s string) bool {
	if s == "" || len(s) > 10 {
		return false
	}
	for _, c := range []byte(strings.ToUpper(s)) {
		if (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}
