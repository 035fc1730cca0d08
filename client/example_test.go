package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/ladderback/ladderback/client"
)

// A backtest with its progress, and the phrases of a prompt that is refused.
func Example() {
	ctx := context.Background()
	c := client.New("http://127.0.0.1:8080", os.Getenv("LADDERBACK_API_KEY"))
	body, err := c.Backtest(ctx, client.Request{Prompt: "Buy Up on BTC 15m under 35 cents, take profit at 55c, last 200 markets"},
		func(done, total int) { fmt.Printf("\r%d of %d rounds", done, total) })
	var refused *client.Error
	if errors.As(err, &refused) {
		for _, phrase := range refused.At {
			fmt.Printf("%q: %s\n", phrase.Text, phrase.Message)
		}
		fmt.Println(refused.Suggestion)
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(body.Report.TotalPnL, body.Report.Stats.Verdict)
}

// All books of a token in a window, by pages that are asked for when they are needed.
func ExampleClient_TokenBooks() {
	c := client.New("http://127.0.0.1:8080", os.Getenv("LADDERBACK_API_KEY"))
	end := time.Now()
	for b, err := range c.TokenBooks(context.Background(), "7389…", client.Window{Start: end.Add(-time.Hour), End: end, Resolution: "1s"}) {
		if err != nil {
			log.Fatal(err)
		}
		if len(b.Asks) > 0 {
			fmt.Println(b.T, b.Asks[0].Price(), b.Asks[0].Size())
		}
	}
}
