package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/ladderback/ladderback/client"
)

// A backtest with its progress.
func ExampleClient_Backtest() {
	c, stop := connect() // client.New("http://127.0.0.1:8080", os.Getenv("LADDERBACK_API_KEY"))
	defer stop()
	body, err := c.Backtest(context.Background(),
		client.Request{Prompt: "Buy Up on BTC 5m under 45 cents, take profit at 60c, last 20 markets"},
		func(done, total int) { log.Printf("%d of %d rounds", done, total) })
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(body.Report.Trades), "trades,", body.Report.TotalPnL, "USD:", body.Report.Stats.Verdict)
	// Output: 19 trades, -383.60912 USD: not_enough_evidence
}

// The phrases of a prompt that is refused.
func ExampleError() {
	c, stop := connect()
	defer stop()
	_, err := c.Parse(context.Background(), "Buy Up on BTC 5m when bitcoin itself falls 2%")
	var refused *client.Error
	if !errors.As(err, &refused) {
		log.Fatal(err)
	}
	fmt.Println(refused.Code)
	for _, phrase := range refused.At {
		fmt.Printf("%d to %d: %q\n", phrase.Start, phrase.End, phrase.Text)
	}
	// Output:
	// unsupported_signal
	// 22 to 42: "bitcoin itself falls"
	// 43 to 45: "2%"
}

// All books of a round, by pages that are asked for when they are needed.
func ExampleClient_TokenBooks() {
	c, stop := connect()
	defer stop()
	ctx := context.Background()
	for m, err := range c.Markets(ctx, client.MarketQuery{IncludeClosed: true, ListQuery: client.ListQuery{Sort: "start_date", Order: "asc", PageSize: 5}}) {
		if err != nil {
			log.Fatal(err)
		}
		round, err := c.Market(ctx, m.Slug)
		if err != nil {
			log.Fatal(err)
		}
		books, levels := 0, 0
		for b, err := range c.TokenBooks(ctx, round.Tokens[0].ID, client.Window{Start: *m.StartDate, End: *m.EndDate, Resolution: "1m"}) {
			if err != nil {
				log.Fatal(err)
			}
			books++
			levels += len(b.Bids) + len(b.Asks)
		}
		fmt.Println(m.Slug, round.Tokens[0].Label, books, levels)
		break
	}
	// Output: btc-updown-5m-1775001900 Up 5 69
}
