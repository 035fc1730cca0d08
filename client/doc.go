// Package client asks a Ladderback server: markets, history of prices and order books,
// backtests, sweeps. Lists and history are iterators that ask for the next page when it
// is needed:
//
//	c := client.New("http://127.0.0.1:8080", os.Getenv("LADDERBACK_API_KEY"))
//	for m, err := range c.Markets(ctx, client.MarketQuery{Search: "btc", IncludeClosed: true}) {
//		…
//	}
//	run, err := c.Backtest(ctx, client.Request{Prompt: "Buy Up on BTC 15m under 35 cents"}, nil)
//
// Fields that a newer server adds are ignored; a route that an older one lacks is an
// Error of status 404 that names it.
package client
