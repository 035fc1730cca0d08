package table

import (
	"encoding/json"
	"io"

	"github.com/ladderback/ladderback/market"
)

// Trade is a trade as a document has it.
type Trade struct {
	T       market.Instant `json:"t"`
	TokenID string         `json:"token_id"`
	Label   string         `json:"label"`
	Side    *string        `json:"side"` // of the taker; nil: not known
	Price   json.Number    `json:"price"`
	Size    *json.Number   `json:"size"` // nil: not known
}

// TradeOf returns the trade of a capture of a token.
func TradeOf(c *market.Capture, of Token) Trade {
	t := Trade{T: c.Recv, TokenID: of.ID, Label: of.Label, Price: json.Number(c.Trade.Price.String())}
	if side := Aggressor(c.Trade.Side); side != "" {
		t.Side = &side
	}
	if c.Trade.Size != 0 {
		t.Size = new(json.Number(c.Trade.Size.String()))
	}
	return t
}

// WriteTrades writes the trades of a market as one JSON document on a line.
func WriteTrades(w io.Writer, marketID string, trades []Trade) error {
	var out struct {
		MarketID string  `json:"market_id"`
		Data     []Trade `json:"data"`
		Metadata struct {
			Count int `json:"count"`
		} `json:"metadata"`
	}
	out.MarketID, out.Data, out.Metadata.Count = marketID, trades, len(trades)
	if trades == nil {
		out.Data = []Trade{}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(&out)
}
