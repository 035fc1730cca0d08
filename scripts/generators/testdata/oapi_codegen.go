// Eleven calls with the client that oapi-codegen makes: go run . BASE KEY
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	"generated/api"
)

var calls int

// same returns what an answer was read into, which is what the server wrote, to the last digit.
func same[T any](got *T, body []byte, err error) *T {
	if err != nil || got == nil {
		log.Fatalf("%T: %v: %s", got, err, body)
	}
	calls++
	equal(got, body)
	return got
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

func main() {
	ctx := context.Background()
	c := must(api.NewClientWithResponses(os.Args[1], api.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+os.Args[2])
		return nil
	})))
	health, err := c.HealthWithResponse(ctx)
	same(health.JSON200, health.Body, err)
	usage, err := c.UsageWithResponse(ctx)
	same(usage.JSON200, usage.Body, err)
	tags, err := c.ListTagsWithResponse(ctx, nil)
	same(tags.JSON200, tags.Body, err)
	limit, sort := api.ListLimit(5), api.ListMarketsParamsSort("end_date")
	page, err := c.ListMarketsWithResponse(ctx, &api.ListMarketsParams{IncludeClosed: new(true), Search: new("btc"), Sort: &sort, Limit: &limit})
	slug := same(page.JSON200, page.Body, err).Data[0].Slug
	one, err := c.GetMarketWithResponse(ctx, slug, nil)
	market := same(one.JSON200, one.Body, err)
	start, end := market.StartDate.Format(time.RFC3339), market.EndDate.Format(time.RFC3339)
	prices, err := c.MarketsHistoryPricesWithResponse(ctx, slug, &api.MarketsHistoryPricesParams{StartTs: start, EndTs: end, Resolution: "5s"})
	if len(same(prices.JSON200, prices.Body, err).Data["Up"]) == 0 {
		log.Fatal("no prices")
	}
	books, err := c.MarketsHistoryBooksWithResponse(ctx, slug, &api.MarketsHistoryBooksParams{StartTs: start, EndTs: end, Resolution: "5s"})
	if len(same(books.JSON200, books.Body, err).Data["Up"]) == 0 {
		log.Fatal("no books")
	}
	reading, err := c.ParseWithResponse(ctx, api.ParseRequest{Prompt: prompt})
	same(reading.JSON200, reading.Body, err)
	slippage := api.SlippageLimit{}
	if err := slippage.FromSlippageLimit0(0.07); err != nil {
		log.Fatal(err)
	}
	request := api.BacktestRequest{Prompt: new(prompt), Options: &api.BacktestOptions{MaxSlippage: &slippage, Include: &[]api.Include{"fills"}}}
	backtest, err := c.BacktestWithResponse(ctx, request)
	report := same(backtest.JSON200, backtest.Body, err).Report
	started, err := c.StartRunWithResponse(ctx, nil, request)
	wait := "60s"
	run, err := c.GetRunWithResponse(ctx, same(started.JSON202, started.Body, err).Id, &api.GetRunParams{Wait: &wait})
	result := same(run.JSON200, run.Body, err).Result
	if a, b := must(json.Marshal(result.Report.Receipt)), must(json.Marshal(report.Receipt)); !bytes.Equal(a, b) {
		log.Fatalf("%s is not %s", a, b)
	}
	fmt.Printf("oapi-codegen: %d calls, nothing lost\n", calls)
}
