package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"testing"
	"time"

	"github.com/ladderback/ladderback/client"
	"github.com/ladderback/ladderback/internal/servertest"
)

// TestMain starts the server of the examples, over simulated rounds.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	s, stop, err := servertest.Run(context.Background(), dir, 24, servertest.Options{})
	if err != nil {
		log.Fatal(err)
	}
	_ = os.Setenv("LADDERBACK_URL", s.Base)
	_ = os.Setenv("LADDERBACK_API_KEY", s.Key)
	code := m.Run()
	err = errors.Join(stop(), os.RemoveAll(dir))
	if err != nil {
		log.Fatal(err)
	}
	os.Exit(code)
}

// A backtest with its progress.
func Example() {
	c := client.New(os.Getenv("LADDERBACK_URL"), os.Getenv("LADDERBACK_API_KEY"))
	whole := false
	body, err := c.Backtest(context.Background(), client.Request{Prompt: "Buy Up on BTC 5m under 45 cents, take profit at 60c, last 20 markets"},
		func(done, total int) { whole = done == total })
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(body.Report.MarketsFound, "rounds,", len(body.Report.Trades), "trades:", body.Report.Stats.Verdict)
	fmt.Println("told of all:", whole)
	// Output:
	// 20 rounds, 19 trades: not_enough_evidence
	// told of all: true
}

// The phrases of a prompt that is refused, and what is wrong with each.
func ExampleClient_Parse() {
	c := client.New(os.Getenv("LADDERBACK_URL"), os.Getenv("LADDERBACK_API_KEY"))
	_, err := c.Parse(context.Background(), "Buy Up on BTC 5m when bitcoin itself falls 2%")
	var refused *client.Error
	if errors.As(err, &refused) {
		fmt.Println(refused.Code)
		for _, phrase := range refused.At {
			fmt.Printf("%q\n", phrase.Text)
		}
	}
	// Output:
	// unsupported_signal
	// "bitcoin itself falls"
	// "2%"
}

// All books of a token in a window, by pages that are asked for when they are needed.
func ExampleClient_TokenBooks() {
	c, ctx := client.New(os.Getenv("LADDERBACK_URL"), os.Getenv("LADDERBACK_API_KEY")), context.Background()
	for m, err := range c.Markets(ctx, client.MarketQuery{ListQuery: client.ListQuery{Sort: "start_date", Order: "asc"}, IncludeClosed: true}) {
		if err != nil {
			log.Fatal(err)
		}
		end := m.StartDate.Add(3 * time.Second)
		for b, err := range c.TokenBooks(ctx, m.Tokens[0].ID, client.Window{Start: *m.StartDate, End: end, Resolution: "1s"}) {
			if err != nil {
				log.Fatal(err)
			}
			fmt.Println(b.T.Format(time.RFC3339), len(b.Bids), len(b.Asks))
		}
		break
	}
	// Output:
	// 2026-04-01T00:05:00Z 8 6
	// 2026-04-01T00:05:01Z 8 5
	// 2026-04-01T00:05:02Z 8 5
}

// A kept run: its name makes it one run however often it is asked for.
func ExampleRuns_Start() {
	c, ctx := client.New(os.Getenv("LADDERBACK_URL"), os.Getenv("LADDERBACK_API_KEY")), context.Background()
	q := client.Request{Prompt: "Buy Up on BTC 5m under 45 cents, take profit at 60c, last 20 markets"}
	run, err := c.Backtests().Start(ctx, q, "first try")
	if err != nil {
		log.Fatal(err)
	}
	again, err := c.Backtests().Start(ctx, q, "first try")
	if err != nil {
		log.Fatal(err)
	}
	done, err := c.Backtests().Wait(ctx, run.ID, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(run.ID == again.ID, done.State)
	// Output: true done
}
