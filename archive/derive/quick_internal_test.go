package derive

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// TestQuick: what is read of a document quickly is what encoding/json reads of it, also of
// documents that are damaged, or that others wrote.
func TestQuick(t *testing.T) {
	t.Parallel()
	full := &MarketDoc{
		Authority: store.FromExchange, Venue: market.Polymarket, VenueID: "0x1", AltID: "12", Slug: "btc-updown-5m-1", Question: "Up or \"Down\"? \u00e9\n",
		Description: "none", Category: market.Crypto, EventID: "e", SeriesID: "s", Tags: []string{"5m", "btc"}, Start: 1, End: 1790810100000000, Closed: true,
		ClosedAt: -3, UpdatedAt: 4, Tokens: []TokenDoc{{ID: "1", Label: "Up", Outcome: market.Up, Key: 77}, {ID: "2", Label: "Down", Outcome: market.Down}},
		Mirrored: true, Tick: 100, MinSize: 5_000_000, Payout: &PayoutDoc{market.Official, []market.Cash{market.CashOne, 0}},
	}
	docs := [][]byte{Encode(full), Encode(&MarketDoc{})}
	for _, doc := range docs {
		var quick MarketDoc
		require.True(t, quick.quick(doc), "%s", doc)
	}
	gaps := *full
	gaps.Gaps, gaps.Fees = []GapDoc{{1, 2, 3}}, &FeesDoc{Rate: 1, Exponent: 2, TakerOnly: true}
	docs = append(docs, Encode(&gaps))
	for _, doc := range []string{
		``, `{`, `[]`, `null`, `{} `, `{}{}`, ` { "slug" : "a" , "start" : 7 } `, `{"slug":"a","slug":"b"}`, `{"Slug":"a"}`, `{"slug":null}`, `{"slug":7}`, `{"start":"7"}`,
		`{"start":1.0}`, `{"start":1e3}`, `{"start":-0}`, `{"start":01}`, `{"start":9223372036854775808}`, `{"authority":256}`, `{"authority":-1}`, `{"closed":"true"}`, `{"closed":truer}`,
		`{"tags":null}`, `{"tags":[]}`, `{"tags":["a"],"tags":[]}`, `{"tags":["a",]}`, `{"tags":[null]}`, `{"tokens":[{"id":"1"}],"tokens":[{"label":"a"}]}`, `{"tokens":[null]}`,
		`{"payout":null}`, `{"payout":{"basis":"official","fractions":null}}`, `{"payout":{"basis":"a"},"payout":{"fractions":[1]}}`, `{"more":{"slug":"a"}}`, `{"slug":"\ud800"}`, "{\"slug\":\"\xff\"}",
	} {
		docs = append(docs, []byte(doc))
	}
	rnd := rand.New(rand.NewPCG(2, 7))
	for _, doc := range docs[:3] {
		for range 3000 {
			other := []byte(string(doc))
			for range 1 + rnd.IntN(2) {
				from := rnd.IntN(len(other))
				switch rnd.IntN(3) {
				case 0: // another byte of it
					other[from] = doc[rnd.IntN(len(doc))]
				case 1:
					other = append(other[:from], other[min(len(other), from+1+rnd.IntN(9)):]...)
				default:
					other = append(other[:from:from], append([]byte(string(other[from:min(len(other), from+1+rnd.IntN(20))])), other[from:]...)...)
				}
				if len(other) == 0 {
					break
				}
			}
			docs = append(docs, other)
		}
	}
	quickly := 0
	for _, doc := range docs {
		var quick, slow MarketDoc
		if !quick.quick(doc) {
			continue
		}
		quickly++
		require.NoError(t, json.Unmarshal(doc, &slow), "%s", doc)
		require.Equal(t, slow, quick, "%s", doc)
	}
	require.Greater(t, quickly, 200)
	t.Logf("%d of %d read quickly", quickly, len(docs))
}
