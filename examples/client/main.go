// The first report from Go: asks the server at $LADDERBACK_URL (default: this machine's) with
// the key in $LADDERBACK_API_KEY for a backtest of a prompt, and prints what came of it.
package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/ladderback/ladderback/client"
)

func main() {
	base := cmp.Or(os.Getenv("LADDERBACK_URL"), "http://127.0.0.1:8080")
	c := client.New(base, os.Getenv("LADDERBACK_API_KEY"))
	body, err := c.Backtest(context.Background(), client.Request{Prompt: strings.Join(os.Args[1:], " ")}, nil)
	if err != nil {
		log.Fatal(err)
	}
	r := body.Report
	fmt.Printf("%d trades in %d markets: %.2f USD, %s\n", len(r.Trades), r.MarketsFound, r.TotalPnL.Float(), r.Stats.Verdict)
}
