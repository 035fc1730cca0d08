package client_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/client"
)

// BenchmarkBooks reads a page of 200 books of 50 levels through the client, beside
// encoding/json into bare slices: go test ./client -bench Books -benchtime 2s
func BenchmarkBooks(b *testing.B) {
	levels := strings.TrimSuffix(strings.Repeat("[0.35,1200.5],", 25), ",")
	book := `{"t":"2026-04-01T00:00:00.250Z","bids":[` + levels + `],"asks":[` + levels + `]}`
	page := `{"market_id":"m","token_id":"t","token_label":"Up","resolution":"1s","data":[` +
		strings.TrimSuffix(strings.Repeat(book+",", 200), ",") + `],"metadata":{"count":200,"limit":200,"next_cursor":null}}`
	b.Run("client", func(b *testing.B) {
		c := client.New("http://any", "", client.WithHTTP(&http.Client{Transport: canned(page)}))
		for b.Loop() {
			n := 0
			for _, err := range c.TokenBooks(b.Context(), "t", client.Window{}) {
				require.NoError(b, err)
				n++
			}
			require.Equal(b, 200, n)
		}
	})
	b.Run("json", func(b *testing.B) {
		for b.Loop() {
			var p struct {
				Data []struct {
					T          string
					Bids, Asks [][]float64
				}
			}
			require.NoError(b, json.Unmarshal([]byte(page), &p))
		}
	})
}
