// Eleven calls with the Go client that openapi-generator makes: go run . BASE KEY
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"

	"generated/api"
)

var calls int

// same returns what an answer was read into, which is what the server wrote, to the last digit.
func same[T any](got *T, answer *http.Response, err error) *T {
	if err != nil {
		log.Fatalf("%T: %v", got, err)
	}
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		log.Fatal(err)
	}
	calls++
	equal(got, body)
	return got
}

func main() {
	to := api.NewConfiguration()
	to.Servers = api.ServerConfigurations{{URL: os.Args[1]}}
	c := api.NewAPIClient(to)
	ctx := context.WithValue(context.Background(), api.ContextAccessToken, os.Args[2])
	same(c.OperationsAPI.Health(ctx).Execute())
	same(c.AccessAPI.Usage(ctx).Execute())
	same(c.DiscoveryAPI.ListTags(ctx).Execute())
	page := same(c.DiscoveryAPI.ListMarkets(ctx).IncludeClosed(true).Search("btc").Sort("end_date").Limit(5).Execute())
	market := same(c.DiscoveryAPI.GetMarket(ctx, page.Data[0].Slug).Execute())
	start, end := market.GetStartDate().Format(time.RFC3339), market.GetEndDate().Format(time.RFC3339)
	prices := same(c.HistoryAPI.MarketsHistoryPrices(ctx, market.Slug).StartTs(start).EndTs(end).Resolution("5s").Execute())
	books := same(c.HistoryAPI.MarketsHistoryBooks(ctx, market.Slug).StartTs(start).EndTs(end).Resolution("5s").Execute())
	if len(prices.Data["Up"]) == 0 || len(books.Data["Up"]) == 0 {
		log.Fatal("no history")
	}
	same(c.BacktestAPI.Parse(ctx).ParseRequest(*api.NewParseRequest(prompt)).Execute())
	slippage := api.Float64AsSlippageLimit(new(0.07))
	options := api.BacktestOptions{MaxSlippage: &slippage, Include: []api.Include{"fills"}}
	request := api.BacktestRequest{Prompt: *api.NewNullableString(new(prompt)), Options: *api.NewNullableBacktestOptions(&options)}
	answer := same(c.BacktestAPI.Backtest(ctx).BacktestRequest(request).Execute())
	started := same(c.RunsAPI.StartRun(ctx).BacktestRequest(request).Execute())
	run := same(c.RunsAPI.GetRun(ctx, started.Id).Wait("60s").Execute())
	result := run.GetResult()
	a, _ := json.Marshal(result.Report.Receipt)
	b, _ := json.Marshal(answer.Report.Receipt)
	if !bytes.Equal(a, b) {
		log.Fatalf("%s is not %s", a, b)
	}
	fmt.Printf("openapi-generator, Go: %d calls, nothing lost\n", calls)
}
