package exchange

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Load returns the rounds of a folder of real captures: markets.jsonl, and
// captures/<slug>.jsonl.gz. A token that nobody knows gets an id that is made up
// from the market's, and a round that nobody knows the winner of is won by Up.
func Load(dir string) ([]Round, error) {
	f, err := os.Open(filepath.Join(dir, "markets.jsonl"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []Round
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var m struct {
			Slug      string `json:"slug"`
			Condition string `json:"condition_id"`
			Coin      string `json:"coin"`
			Type      string `json:"market_type"`
			Start     int64  `json:"start"`
			End       int64  `json:"end"`
			Up        string `json:"up_token"`
			Down      string `json:"down_token"`
			Winner    string `json:"winner"`
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			return nil, err
		}
		r := Round{
			Slug: m.Slug, Condition: m.Condition, Coin: m.Coin, Type: m.Type, Tokens: [2]string{m.Up, m.Down},
			Start: time.Unix(m.Start, 0), End: time.Unix(m.End, 0),
			Messages: File(filepath.Join(dir, "captures", m.Slug+".jsonl.gz")),
		}
		if m.Winner == "down" {
			r.Winner = 1
		}
		for i, t := range r.Tokens {
			if t == "" {
				sum := sha256.Sum256([]byte{byte(i)})
				id := new(big.Int).SetBytes(append(sum[:1:1], []byte(m.Condition)[2:33]...))
				r.Tokens[i] = id.String()
			}
		}
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b Round) int { return a.Start.Compare(b.Start) })
	return out, nil
}
