// The history of a market from Go: asks the server at $LADDERBACK_URL (default: this machine's)
// with the key in $LADDERBACK_API_KEY for the prices of a round, and prints how far each token
// went. With the name of a file, the books of the first token are written there as Parquet.
package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/ladderback/ladderback/client"
)

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 {
		log.Fatal("usage: history MARKET [BOOKS.parquet]")
	}
	base := cmp.Or(os.Getenv("LADDERBACK_URL"), "http://127.0.0.1:8080")
	c := client.New(base, os.Getenv("LADDERBACK_API_KEY"))
	if err := run(context.Background(), os.Stdout, c, os.Args[1], os.Args[2:]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer, c *client.Client, market string, books []string) error {
	m, err := c.Market(ctx, market)
	if err != nil {
		return err
	}
	w := client.Window{Start: *m.StartDate, End: *m.EndDate, Resolution: "1s"}
	low, high, last := map[string]float64{}, map[string]float64{}, map[string]float64{}
	for p, err := range client.Rows[client.PriceRow](ctx, c, client.MarketHistory(m.ID, "prices"), w) {
		if err != nil {
			return err // also where the answer is cut: what came so far is not all
		}
		if _, ok := last[p.TokenLabel]; !ok {
			low[p.TokenLabel] = p.P
		}
		low[p.TokenLabel], high[p.TokenLabel] = min(low[p.TokenLabel], p.P), max(high[p.TokenLabel], p.P)
		last[p.TokenLabel] = p.P
	}
	for _, t := range m.Tokens {
		fmt.Fprintf(out, "%s: %.4f to %.4f, at last %.4f\n", t.Label, low[t.Label], high[t.Label], last[t.Label])
	}
	for _, path := range books {
		if err := save(ctx, c, client.TokenHistory(m.Tokens[0].ID, "books"), w, path); err != nil {
			return err
		}
	}
	return nil
}

// save writes a whole window as Parquet.
func save(ctx context.Context, c *client.Client, h client.History, w client.Window, path string) (err error) {
	body, err := c.Bulk(ctx, h, w, client.Parquet)
	if err != nil {
		return err
	}
	defer body.Close()
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if _, err = io.Copy(f, body); err != nil {
		return cmp.Or(os.Remove(path), err)
	}
	return f.Close()
}
