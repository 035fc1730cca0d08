package api

import (
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/ladderback/ladderback/api/history"
	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/runs"
)

// entry says who may call a route.
type entry int

const (
	anybody   entry = iota // no key
	holders                // a live key, counted against its limits
	uncounted              // a live key, not counted
	runners                // a live key as bearer, of a plan with backtests
	readers                // a live key as bearer, of any plan
)

// parameter is a parameter of the path or the query, under its name in the document
// of the API.
type parameter struct{ component, name string }

// Parameters of routes.
var (
	idOrSlug      = parameter{"IdOrSlug", "id_or_slug"}
	tokenID       = parameter{"TokenId", "token_id"}
	inCategory    = parameter{"InCategory", "category"}
	cursorFrom    = parameter{"Cursor", "cursor"}
	includeClosed = parameter{"IncludeClosed", "include_closed"}
	excludeClosed = parameter{"ExcludeClosed", "include_closed"}
	historyParams = []parameter{{"StartTs", "start_ts"}, {"EndTs", "end_ts"}, {"BucketSize", "resolution"}, {"HistoryLimit", "limit"}, cursorFrom, inCategory}
	listParams    = []parameter{{"Search", "search"}, {"ListLimit", "limit"}, cursorFrom, {"TagFilter", "tags"}, {"TagsMatch", "tags_match"}, inCategory, {"StartDateMin", "start_date_min"}, {"StartDateMax", "start_date_max"}, {"EndDateMin", "end_date_min"}, {"EndDateMax", "end_date_max"}, {"Order", "order"}}
	anySort       = parameter{"Sort", "sort"}
	updatedSort   = parameter{"SeriesSort", "sort"}
	withRounds    = parameter{"WithRounds", "rounds"}
	withRecorded  = parameter{"WithRecorded", "recorded"}
	ofEventID     = parameter{"EventId", "event_id"}
	ofEventSlug   = parameter{"EventSlug", "event_slug"}
	ofSeriesID    = parameter{"SeriesId", "series_id"}
	ofSeriesSlug  = parameter{"SeriesSlug", "series_slug"}
)

// route is one operation: how it is reached, what it takes, who answers it, and the
// words of the API's document about it. The document and the router are both made
// from these.
type route struct {
	method, path string
	id           string // operationId of the document
	group        string // tag of the document
	summary      string
	description  string
	entry        entry
	bounded      bool // has a time limit; the others bound themselves
	params       []parameter
	handle       func(w http.ResponseWriter, r *http.Request) error
}

func join(lists ...[]parameter) []parameter {
	var out []parameter
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

// routeTable lists the operations in the order of the document.
func (s *Server) routeTable() []route {
	const (
		discovery, tagHistory, backtests, account, operations = "Discovery", "History", "Backtest", "Access", "Operations"

		paging = " Pages are sorted by `sort` and `order`; send `metadata.next_cursor` as `cursor` for the next page."
		carry  = " Values are carried forward: a bucket holds the last value captured at or before it, from the first capture on." +
			" `Accept: application/x-ndjson`, `text/csv` or `application/vnd.apache.parquet` streams the whole window; `limit` and `cursor` are refused then."
		mean = " Prices in a bucket coarser than 250ms are averages over it, rounded half to even at 6 decimals."
		last = " A bucket holds the last book within it, levels best first."
		top  = " A bucket holds the last best bid and ask within it; null where a side is empty, and for the size where the source gives none." +
			" Markets whose source gives prices without sizes have no books, but quotes. Part of the same data points as books."
	)
	table := []route{
		{http.MethodGet, "/v1/series", "listSeries", discovery, "List series",
			"Series are the recurring questions that events belong to, such as “Bitcoin Up or Down 5m”. Dates select series with at least one matching market." + paging,
			holders, true, join(listParams, []parameter{updatedSort}), s.lists.Series},
		{http.MethodGet, "/v1/events", "listEvents", discovery, "List events",
			"An event groups markets that resolve together; an up/down round is an event with one market. Closed events are included unless `include_closed=false`." + paging,
			holders, true, join(listParams, []parameter{anySort, ofSeriesID, ofSeriesSlug, includeClosed}), s.lists.Events},
		{http.MethodGet, "/v1/markets", "listMarkets", discovery, "List markets",
			"Lists only open markets unless `include_closed=true`; in an archive of past rounds few are open. `recorded=true` adds what the archive has of each." + paging,
			holders, true, join(listParams, []parameter{anySort, ofEventID, ofEventSlug, ofSeriesSlug, excludeClosed, withRecorded}), s.lists.Markets},
		{http.MethodGet, "/v1/markets/{id_or_slug}", "getMarket", discovery, "Get a market",
			"The market with its tokens, dates and, once it is resolved, its winner.",
			holders, true, []parameter{idOrSlug, inCategory}, named(s.lists.Market)},
		{http.MethodGet, "/v1/markets/{id_or_slug}/gaps", "getGaps", discovery, "Gaps of a market",
			"The periods [from, to) that a source declared missing, by token, in order of `from`: a recorder that was cut off, level changes that contradict the best prices beside them. Silence is no gap. Within one, history carries the last value forward, and a backtest fills nothing.",
			holders, true, []parameter{idOrSlug, inCategory}, named(s.lists.Gaps)},
		{http.MethodGet, "/v1/tags", "listTags", discovery, "List tags",
			"Every tag in use, in lower case and sorted. Lists are filtered by them with `tags`.",
			holders, true, []parameter{inCategory}, s.lists.Tags},
		{http.MethodGet, "/v1/archive", "getArchive", discovery, "What the archive has",
			"By category: the newest capture, markets, how many are resolved and captured, and the same by the UTC day of their start, with the mean coverage of those captured. `rounds=true` adds what there is to replay, by coin and length.",
			holders, true, []parameter{inCategory, withRounds}, s.getArchive},
	}
	for _, h := range []struct {
		route                          history.Route
		id, path, summary, description string
	}{
		{history.MarketPrices, "marketsHistoryPrices", "/v1/markets/{id_or_slug}/prices", "Prices of every token of a market", "One series of prices for each token, by label." + mean},
		{history.MarketBooks, "marketsHistoryBooks", "/v1/markets/{id_or_slug}/books", "Order books of every token of a market", "One series of order books for each token, by label." + last},
		{history.MarketMetrics, "marketsHistoryMetrics", "/v1/markets/{id_or_slug}/metrics", "Metrics of a market", "Liquidity in USD resting in the market, spread of the first token and volume in USD since the market's start; averages over the bucket."},
		{history.TokenPrices, "tokenHistoryPrices", "/v1/tokens/{token_id}/prices", "Prices of one token", "One series of prices; cheaper than the market's route if you know the token id." + mean},
		{history.TokenBooks, "tokenHistoryBooks", "/v1/tokens/{token_id}/books", "Order books of one token", "One series of order books." + last},
		{history.MarketQuotes, "marketsHistoryQuotes", "/v1/markets/{id_or_slug}/quotes", "Best bid and ask of every token of a market", "One series for each token, by label." + top},
		{history.TokenQuotes, "tokenHistoryQuotes", "/v1/tokens/{token_id}/quotes", "Best bid and ask of one token", "One series." + top},
	} {
		first := idOrSlug
		if h.route.Parameter() == tokenID.name {
			first = tokenID
		}
		table = append(table, route{http.MethodGet, h.path, h.id, tagHistory, h.summary, h.description + carry,
			holders, false, join([]parameter{first}, historyParams), s.historyOf(h.route)})
	}
	table = append(table, s.runRoutes()...)
	return append(table,
		route{http.MethodGet, "/v1/usage", "usage", account, "Plan and limits of the key",
			"The key's plan and what remains of its limits. The request does not count against them, and is answered even when they are used up.",
			uncounted, false, nil, s.usage},
		route{http.MethodPost, "/v1/ai/backtest", "backtest", backtests, "Replay a strategy over resolved markets",
			"Reads a strategy in plain English, or takes it as an object, replays it over resolved up/down rounds and fills it against the captured books. " +
				"Needs plan Pro or above and `Authorization: Bearer`; `X-API-Key` is not accepted here. `Accept: text/event-stream` reports progress.",
			runners, false, nil, s.backtest},
		route{http.MethodPost, "/v1/ai/parse", "parse", backtests, "Read a prompt without replaying it",
			"What each part of the sentence became, what was assumed, and which words set nothing. Needs `Authorization: Bearer`. Every plan has the rules; the language model, where there is one, plans with backtests.",
			readers, false, nil, s.parse},
		route{http.MethodGet, "/v1/ai/conditions", "conditions", backtests, "List the types of condition",
			"What a strategy's entry can compare (`data`), and what its orders can (`orders`), with units, bounds and comparators.",
			holders, false, nil, s.conditions},
		route{http.MethodGet, "/v1/ai/calibration", "calibration", backtests, "Hold prices against outcomes",
			"Of every round of a coin and length, not only where a strategy would trade: how often Up came true by price and time left, with 95% bands clustered by the ends of rounds, " +
				"Brier and log scores and Murphy's decomposition. Prices are those captured by the time. Needs plan Pro or above and `Authorization: Bearer`.",
			runners, false, []parameter{{"CalibrationCoin", "coin"}, {"CalibrationType", "market_type"}, {"CalibrationFrom", "from"}, {"CalibrationTo", "to"},
				{"CalibrationWinners", "winners"}, {"CalibrationLast", "last"}, {"CalibrationBands", "bands"}, {"CalibrationTimes", "times"}}, s.calibration},
		route{http.MethodGet, "/v1/ai/tries", "tries", backtests, "What was tried on which rounds",
			"Every backtest and sweep of the key's organization is a try on rounds of its coin and length; equal ones count once. By coin, length and side how many there were, the newest 100, resets with their reasons, and lockboxes of rounds held out. " +
				"Sweeps are deflated for the tries before them (`options.tries_before`). Read only: `ladderback tries --organization` opens, closes and resets. Needs `Authorization: Bearer`.",
			readers, true, []parameter{{"TriesCoin", "coin"}, {"TriesType", "market_type"}}, s.tries},
		route{http.MethodGet, "/v1/health", "health", operations, "Is the server up?",
			"Answers while the process is alive; no key needed.", anybody, false, nil, alive},
		route{http.MethodGet, "/healthz", "healthz", operations, "Is the server up?",
			"Same as `/v1/health`, at the path that orchestrators expect.", anybody, false, nil, alive},
		route{http.MethodGet, "/readyz", "readyz", operations, "Does the archive answer?",
			"503 while the archive cannot be read; the message says why.", anybody, false, nil, s.ready},
	)
}

// Parameters of runs.
var (
	runID    = parameter{"RunId", "id"}
	runLists = []parameter{{"RunSearch", "search"}, {"ListLimit", "limit"}, cursorFrom, {"RunCoin", "coin"}, {"RunMarketType", "market_type"}, {"RunVerdict", "verdict"}, {"RunState", "state"}}
)

// runRoute is an operation on runs of one kind, at a path below theirs.
type runRoute struct {
	method, path, id, summary, description string
	params                                 []parameter
	handle                                 func(w http.ResponseWriter, r *http.Request, d *runs.Scheduler) error
}

// sweepRoutes lists the operations on sweeps.
func (s *Server) sweepRoutes() []runRoute {
	id := parameter{"SweepId", "id"}
	lists := []parameter{{"RunSearch", "search"}, {"ListLimit", "limit"}, cursorFrom, {"RunCoin", "coin"}, {"RunMarketType", "market_type"}, {"SweepVerdict", "verdict"}, {"RunState", "state"}}
	return []runRoute{
		{http.MethodPost, "", "startSweep", "Start a sweep",
			"Replays a strategy with every combination of the values in `vary` and judges the best of them. Answers at once; the work is done behind it. `Idempotency-Key` and `dry_run` are those of a kept backtest. A plan bounds markets × variants (403).",
			[]parameter{{"IdempotencyKey", "Idempotency-Key"}, {"DryRun", "dry_run"}}, s.startSweep},
		{http.MethodGet, "", "listSweeps", "List sweeps",
			"The sweeps of the key's organization, newest first, with their headline numbers and without variants.", lists, s.listSweeps},
		{http.MethodGet, "/{id}", "getSweep", "Get a sweep",
			"How far the sweep is and, once it is done, `result`: what `ladderback sweep --json` writes. `wait=20s` answers when it is over, or after that time.",
			[]parameter{id, {"RunWait", "wait"}}, s.getRun},
		{http.MethodDelete, "/{id}", "forgetSweep", "Forget a sweep", "Removes the sweep and its result for good.", []parameter{id}, s.forgetRun},
		{http.MethodGet, "/{id}/events", "sweepEvents", "Follow a sweep",
			"Server-sent events, as of a kept backtest; `done` and `total` count rounds.",
			[]parameter{id, {"RunResult", "result"}, {"LastEventId", "Last-Event-ID"}}, s.runEvents},
		{http.MethodPost, "/{id}/cancel", "cancelSweep", "Cancel a sweep", "Ends a sweep that waits or is at work; one that is over stays as it is.", []parameter{id}, s.cancelRun},
		{http.MethodPost, "/{id}/retry", "retrySweep", "Try a failed sweep again", "Goes on from what is done of it. Only a sweep that failed can be tried again (409).", []parameter{id}, s.retryRun},
	}
}

// runRoutes lists the operations on runs.
func (s *Server) runRoutes() []route {
	const group = "Runs"
	table := []runRoute{
		{http.MethodPost, "", "startRun", "Start a backtest that is kept",
			"Takes the body of a backtest and answers at once; the work is done behind it. With an `Idempotency-Key` the same request, sent again, finds the run that it made; with another body it is refused (409). `dry_run=true` says how much work it would be, by estimate, and starts nothing. A run whose result an earlier run of the same strategy, options and data has is answered with it (`cached`).",
			[]parameter{{"IdempotencyKey", "Idempotency-Key"}, {"DryRun", "dry_run"}}, s.startRun},
		{http.MethodGet, "", "listRuns", "List runs",
			"The runs of the key's organization, newest first, with their headline numbers and without trades.", runLists, s.listRuns},
		{http.MethodGet, "/{id}", "getRun", "Get a run",
			"How far the run is and, once it is done, `result`: the body of a backtest, byte for byte. `wait=20s` answers when it is over, or after that time. `Accept: text/html` gives a run that is done as one page that needs nothing else.",
			[]parameter{runID, {"RunWait", "wait"}}, s.getRun},
		{http.MethodDelete, "/{id}", "forgetRun", "Forget a run", "Removes the run, its result and its link for good.", []parameter{runID}, s.forgetRun},
		{http.MethodGet, "/{id}/events", "runEvents", "Follow a run",
			"Server-sent events: `state`, `progress` (`phase`, `done`, `total`; rounds), then `result`. A client that comes back with `Last-Event-ID` sees what follows.",
			[]parameter{runID, {"RunResult", "result"}, {"LastEventId", "Last-Event-ID"}}, s.runEvents},
		{http.MethodPost, "/{id}/cancel", "cancelRun", "Cancel a run", "Ends a run that waits or is at work; one that is over stays as it is.", []parameter{runID}, s.cancelRun},
		{http.MethodPost, "/{id}/retry", "retryRun", "Try a failed run again", "Goes on from what is done of it; a run whose markets have changed begins anew. Only a run that failed can be tried again (409).", []parameter{runID}, s.retryRun},
		{http.MethodGet, "/{id}/trades/{n}", "explainTrade", "Work a trade of a run through",
			"The captures around its signal, the ladders that its orders met, the levels taken, the fees, and how it was settled.",
			[]parameter{runID, {"TradeNumber", "n"}}, s.explainTrade},
		{http.MethodGet, "/{id}/compare/{other}", "compareRuns", "Compare two runs",
			"Whether the other run is better than this one, paired by round, and which trades differ and in what.",
			[]parameter{runID, {"OtherRunId", "other"}}, s.compareRuns},
		{http.MethodPost, "/{id}/share", "shareRun", "Make a link to a run",
			"Whoever has the link can read the result without a key. Its token is shown once; a link made before leads nowhere from then on.", []parameter{runID}, s.shareRun},
		{http.MethodDelete, "/{id}/share", "unshareRun", "Withdraw the link to a run", "The link leads nowhere from then on.", []parameter{runID}, s.unshareRun},
	}
	var out []route
	for _, of := range []struct {
		path  string
		kind  runs.Kind
		table []runRoute
	}{{runsPath, runs.Backtest, table}, {sweepsPath, runs.Sweep, s.sweepRoutes()}} {
		for _, t := range of.table {
			waits := strings.HasPrefix(t.id, "get") || strings.HasSuffix(t.id, "Events")
			out = append(out, route{t.method, of.path + t.path, t.id, group, t.summary, t.description, runners, !waits, t.params, s.withKind(of.kind, t.handle)})
		}
	}
	link, nth := parameter{"ShareToken", "token"}, parameter{"TradeNumber", "n"}
	return append(out,
		route{http.MethodGet, "/v1/shared/{token}", "getShared", group, "Read a shared run",
			"The result of a run whose link was handed on. No key needed.", anybody, true, []parameter{link}, s.withScheduler(s.getShared)},
		route{http.MethodGet, "/v1/shared/{token}/trades/{n}", "getSharedTrade", group, "Work a trade of a shared run through",
			"As for the run itself. No key needed.", anybody, true, []parameter{link, nth}, s.withScheduler(s.sharedTrade)},
		route{http.MethodGet, "/v1/shared/{token}/trades/{n}/books", "getSharedBooks", group, "Order books around a trade of a shared run",
			"The books of the token that the trade bought, from ten seconds before its signal to ten seconds after its end. No key needed.", anybody, false,
			join([]parameter{link, nth}, historyParams[:4]), s.withScheduler(s.sharedBooks)})
}

// named gives a handler the market that the path names.
func named(f func(w http.ResponseWriter, r *http.Request, id string) error) func(w http.ResponseWriter, r *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error { return f(w, r, pathParam(r, idOrSlug.name)) }
}

// historyOf answers a history route.
func (s *Server) historyOf(route history.Route) func(w http.ResponseWriter, r *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		return s.history.Answer(w, r, route, pathParam(r, route.Parameter()), holderOf(r.Context()))
	}
}

// alive answers that the server is up.
func alive(w http.ResponseWriter, _ *http.Request) error {
	wire.WriteJSON(w, http.StatusOK, health{"ok"})
	return nil
}

// health is the answer of the routes for operations.
type health struct {
	Status string `json:"status"`
}

// register adds the route to the router, behind what lets requests in.
func (s *Server) register(to chi.Router, r route) {
	known := make([]string, len(r.params))
	for i, p := range r.params {
		known[i] = p.name
	}
	var in []func(http.Handler) http.Handler
	switch r.entry {
	case holders:
		in = append(in, s.authenticated(false, false))
	case uncounted:
		in = append(in, s.authenticated(true, false))
	case runners:
		in = append(in, s.authenticated(false, true), s.canBacktest)
	case readers:
		in = append(in, s.authenticated(false, true))
	}
	if r.bounded {
		in = append(in, s.bounded)
	}
	to.With(in...).Method(r.method, r.path, s.handle(func(w http.ResponseWriter, req *http.Request) error {
		wire.TellIgnored(w, req, known)
		return r.handle(w, req)
	}))
}
