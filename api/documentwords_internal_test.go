package api

import (
	"slices"

	"github.com/ladderback/ladderback/api/lists"
	"github.com/ladderback/ladderback/api/question"
	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/runs"
)

// descriptions say what a component, or a field of a type, is.
var descriptions = map[string]string{
	"Token":                           "An outcome of a market.",
	"Token.id":                        "Token id.",
	"Token.label":                     "Outcome label.",
	"MarketItem":                      "A market in a list.",
	"Recorded":                        "What the archive has of a market.",
	"Market":                          "A market by itself.",
	"Market.id":                       "The condition id, or the slug where the source has none.",
	"Market.description":              "Empty: none.",
	"Market.start_date":               "Start of the round, not of the listing.",
	"Market.closed_at":                "Only once the market is not open.",
	"Market.winning_token_id":         "Only when resolved with one winner.",
	"Market.winning_token_label":      "Only when resolved with one winner.",
	"runAnswer.words":                 "The result in sentences; only once there is one.",
	"sweepRunAnswer.words":            "The result in sentences; only once there is one.",
	"sharedAnswer.words":              "The result in sentences.",
	"Compared.words":                  "The comparison in sentences; the runs are A and B.",
	"MarketItem.recorded":             "Only with `recorded=true`.",
	"Recorded.coverage":               "Share of its time that lies within 30 s behind a capture.",
	"Recorded.winner":                 "Label of the token that won officially.",
	"archiveAnswer.rounds":            "What can be replayed, by coin and then by length; only with `rounds=true`.",
	"QueueRules":                      "The same strategy under the three rules by which orders that rest fill.",
	"QueueRule":                       "What one rule gives.",
	"QueueSide.fill_rate":             "Of the shares sent.",
	"QueueSide.filled_if_won":         "Fill rate of resting entries whose token won; null: there are none.",
	"QueueSide.filled_if_lost":        "Fill rate of resting entries whose token lost; null: there are none.",
	"QueueSide.equity_curve":          "Cumulative pnl after each trade, in order of closing.",
	"CurvePoint":                      "Cumulative pnl from a time on.",
	"RestingOrders":                   "The limit orders of a round that were accepted, under each rule.",
	"RestingOrder":                    "What became of one limit order.",
	"Life.order":                      "entry, exit, or then.N with N from 0.",
	"Life.ahead":                      "The queue before it as it came to rest; null: not shown, or it did not come to rest.",
	"Life.taken":                      "At its arrival.",
	"Life.filled":                     "With what it took.",
	"Life.end":                        "filled, cancelled, withdrawn (by an exit), replaced, cut or expired.",
	"QueueWear":                       "What one capture did to an order that rests.",
	"Wear.before":                     "The queue before the capture; null: not shown.",
	"Wear.ahead":                      "The queue behind the capture; null: not shown.",
	"Wear.offered":                    "Shares shown within the limit; null: without a size.",
	"Wear.below":                      "Shares traded beyond the limit.",
	"Wear.at":                         "Shares traded at the limit.",
	"Trade.exit_price":                "null: all shares were merged.",
	"ReportWords":                     "A report in sentences. They name options of the API, never flags of a terminal.",
	"SweepWords":                      "What a sweep found, in sentences; those that do not apply are empty.",
	"WarningWords":                    "A warning in words.",
	"Remedy":                          "Another replay that does without what is warned of.",
	"Remedy.options":                  "Options that take the place of those of the run.",
	"TriesRecord":                     "What was tried, by organization.",
	"TriesFamily":                     "The tries on rounds of one coin and length, of one side.",
	"TriesFamily.unfinished":          "Crashed, failed, cancelled, or still running.",
	"CountedTry":                      "A backtest or sweep that counts.",
	"Try.independent_tries":           "How many it counts for: of a sweep that is not over, all its variants.",
	"Try.done_at":                     "null: it crashed, failed, was cancelled, or still runs.",
	"TriesReset":                      "Tries that were taken out of the count.",
	"Lockbox":                         "Rounds that were held out; those that end at `from` or later.",
	"Tally":                           "Which try of its rounds something is; `tries_before` are independent ones.",
	"GapList":                         "What the sources of a market missed.",
	"Gap":                             "A period of a token that a source declared missing.",
	"Gap.from":                        "Inclusive.",
	"Gap.to":                          "Exclusive.",
	"Series":                          "A recurring question.",
	"Event":                           "Markets that are decided together.",
	"Series.recurrence":               "Length of its rounds, such as 5m.",
	"Metadata.count":                  "Items, or points over all tokens, on this page.",
	"Metadata.limit":                  "The limit asked for.",
	"Metadata.next_cursor":            "Opaque; null: the last page.",
	"PricePoint":                      "A token's price in a bucket.",
	"MetricsPoint":                    "A market's metrics in a bucket.",
	"metricsPoint.liquidity":          "USD resting in the market.",
	"metricsPoint.spread":             "Best ask − best bid of the first token.",
	"metricsPoint.volume":             "USD traded since the market's start.",
	"Book":                            "The last book in the bucket.",
	"bookPoint.bids":                  "Best first.",
	"bookPoint.asks":                  "Best first.",
	"Quote":                           "The last best bid and ask in the bucket.",
	"quotePoint.bid":                  "null: nobody bids.",
	"quotePoint.bid_size":             "null: no bid, or the source gives no size.",
	"quotePoint.ask":                  "null: nobody asks.",
	"quotePoint.ask_size":             "null: no ask, or the source gives no size.",
	"marketAnswer.tokens":             "Token id by label.",
	"marketAnswer.data":               "Points by label, in order of time; [] where a token has none.",
	"Usage":                           "How a key stands.",
	"usageRecord.plan":                "In lower case.",
	"usageRecord.reset_at":            "Unix seconds when the minute ends; null: no limits.",
	"usageLimits.requests_per_minute": "2147483647: no limit.",
	"usageLimits.requests_remaining":  "In this UTC minute.",
	"usageLimits.granularity_allowed": "Finest resolution.",
	"usageLimits.max_history_days":    "36500: no limit.",
	"ErrorBody":                       "Every error but a 422.",
	"Envelope.message":                "For people.",
	"Envelope.suggestion":             "Of a refused prompt: a whole prompt that can be read.",
	"Envelope.at":                     "Of a refused prompt: the phrases that the message is about.",
	"Envelope.spans":                  "Of a refused prompt: what was read all the same.",
	"Phrase.start":                    "In code points, inclusive.",
	"Phrase.end":                      "Exclusive.",
	"ValidationBody.detail":           "Every parameter that fails.",
	"ValidationBody.message":          "The same in words.",
	"Parse":                           "How the prompt was understood.",
	"Assumption.value":                "What was assumed.",
	"Trace.model":                     "The language model that was asked; absent when none was.",
	"Trace.differences":               "Fields that the model and the rules read differently; absent when there are none, or when one of them did not read the prompt.",
	"ModelTrace.prompt_version":       "Of the instructions that it was given.",
	"ModelTrace.prompt_hash":          "SHA-256 of the instructions.",
	"Leg.signal":                      "The instant that sent the order.",
	"Leg.as_of":                       "Time of the capture that the order met.",
	"Leg.levels":                      "[price, size] taken, best first.",
	"Trade.cost":                      "Paid, entry fee included.",
	"Trade.pnl":                       "proceeds − cost",
	"Trade.slippage":                  "USD; positive is worse.",
	"Trade.legs":                      "With `include: fills`.",
	"Options":                         "The options as applied.",
	"Report.baseline":                 "The same strategy entered by the clock; null without trades.",
	"Report.equity_curve":             "Cumulative pnl after each trade.",
	"Report.after":                    "With `include: after`.",
	"Report.sensitivity":              "With `include: sensitivity`.",
	"Report.win_rate":                 "Trades with pnl above 0 ÷ trades; 0 without trades.",
	"backtestAnswer.note":             "Present when the rules took over from the model.",
	"parseAnswer.note":                "Present when the rules took over from the model.",
}

// components are the fields that are a component of plainComponents.
var components = map[string]string{
	"*.category":        "Category",
	"MarketItem.status": "Status", "Market.status": "Status", "Event.status": "Status",
	"marketAnswer.resolution": "Resolution", "tokenAnswer.resolution": "Resolution", "metricsAnswer.resolution": "Resolution",
}

// bounds are what a field's type does not say of it.
var bounds = map[string]object{
	"*.market_count":                 {{"minimum", 0}},
	"*.count":                        {{"minimum", 0}},
	"*.start":                        {{"minimum", 0}},
	"*.end":                          {{"minimum", 0}},
	"Metadata.limit":                 {{"minimum", 1}},
	"pricePoint.p":                   {{"minimum", 0}, {"maximum", 1}},
	"metricsPoint.liquidity":         {{"minimum", 0}},
	"metricsPoint.volume":            {{"minimum", 0}},
	"usageLimits.requests_remaining": {{"minimum", 0}},
	"usageLimits.max_history_days":   {{"minimum", 0}},
	"ValidationBody.detail":          {{"minItems", 1}},
	"Trade.side":                     {{"enum", []string{"up", "down"}}},
	"Block.values":                   {{"type", []string{"array", "null"}}},
	"Report.win_rate":                {{"minimum", 0}, {"maximum", 1}},
	"Report.sensitivity":             {{"minItems", 32}, {"maxItems", 32}},
	"Baseline.entry_seconds":         {{"minimum", 0}},
	"bookPoint.bids":                 {{"items", ref("schemas", "Level")}},
	"bookPoint.asks":                 {{"items", ref("schemas", "Level")}},
	"Funnel.*":                       {{"minimum", 0}},
	"Refusals.*":                     {{"minimum", 0}},
	"Baseline.markets_traded":        {{"minimum", 0}},
	"Options.latency_ms":             {{"minimum", 0}},
	"tagList.data":                   {{"uniqueItems", true}},
	"Trace.spans":                    {{"items", spanWords(true)}},
	"Trace.ignored":                  {{"items", spanWords(false)}},
	"health.status":                  {{"enum", []string{"ok", "ready"}}},
}

// spanWords returns the schema of a part of a prompt, which set a field or nothing.
func spanWords(set bool) object {
	o := object{{"type", "object"}, {"required", []string{"start", "end", "text"}}, {"properties", object{
		{"start", object{{"type", "integer"}, {"description", "In code points, inclusive."}, {"minimum", 0}}},
		{"end", object{{"type", "integer"}, {"description", "Exclusive."}, {"minimum", 0}}},
		{"text", object{{"type", "string"}}},
	}}}
	if set {
		o.put("required", []string{"start", "end", "text", "field"})
		o.put("properties", append(o.get("properties").(object), member{"field", object{{"type", "string"}, {"description", "Path of the field that it set."}}}))
	}
	return o
}

var number = object{{"type", "number"}, {"format", "double"}}

// optional is a value that may be left out or null, within bounds.
func optional(kind string, more ...member) object {
	o := object{{"type", []string{kind, "null"}}}
	if kind == "number" {
		o.put("format", "double")
	}
	return append(o, more...)
}

var noneWord = object{{"type", "string"}, {"enum", []string{"none"}}}

// described refers to a schema and says what its value is here.
func described(name, about string) object {
	return append(ref("schemas", name), member{"description", about})
}

// choice is a value of an enum, which may be left out or null.
func choice(name, about string) object {
	return append(orNull(ref("schemas", name)), member{"description", about})
}

// backtestOptions are those of every replay.
var backtestOptions = object{
	{"sampling", choice("Sampling", "Default recent.")},
	{"seed", optional("integer", member{"description", "Default 1."}, member{"minimum", int64(-1 << 63)}, member{"maximum", int64(1<<63 - 1)})},
	{"from", described("Moment", "End of the rounds at or after this.")},
	{"to", described("Moment", "End of the rounds before this.")},
	{"latency_ms", optional("integer", member{"description", "Default 250."}, member{"minimum", 0}, member{"maximum", int64(1_000_000_000_000)})},
	{"max_slippage", ref("schemas", "SlippageLimit")},
	{"stale_ms", optional("integer", member{"description", "0: off. Default 30000 for ladders, off for quotes and prices."}, member{"minimum", 0}, member{"maximum", int64(1_000_000_000_000)})},
	{"fees", choice("Fees", "Default venue.")},
	{"winners", choice("Winners", "Default official.")},
	{"min_coverage", optional("number", member{"description", "Share of a round that must lie within 30 s behind a capture for it to be sampled. Default 0."}, member{"minimum", 0}, member{"maximum", 1})},
}

// plainComponents are the schemas that no type stands for.
var plainComponents = map[string]object{
	"Category": {{"type", "string"}, {"description", "Part of the exchange."}, {"enum", []string{string(market.Crypto), string(market.Sports)}}},
	"Status": {{"type", "string"},
		{"description", "`resolved`: the official payout is known; `closed`: the source says closed, or the end has passed; else `open`."},
		{"enum", []string{"open", "closed", "resolved"}}},
	"Resolution": {{"type", "string"}, {"description", "Size of a bucket; `60s` is `1m`."}, {"enum", resolutionWords()}},
	"Level":      {{"type", "array"}, {"description", "[price, size]"}, {"items", append(number, member{"minimum", 0})}, {"minItems", 2}, {"maxItems", 2}},
	"Moment":     {{"description", "ISO 8601, or Unix seconds."}, {"oneOf", []object{optional("string"), number}}},
	"Slippage":   {{"description", "USD, or `none`."}, {"oneOf", []object{number, noneWord}}},
	"SlippageLimit": {{"description", "USD above the best ask at the signal that an entry pays at most, or `none`. Default 0.05."},
		{"oneOf", []object{optional("number", member{"minimum", 0}, member{"maximum", 1}), noneWord}}},
	"Vary": {{"description", "Such as `entry.0.threshold=0.25:0.45:0.05`, or an object."}, {"oneOf", []object{{{"type", "string"}}, ref("schemas", "VariedField"), ref("schemas", "VariedRange")}}},
	"VariedField": {{"type", "object"}, {"additionalProperties", false}, {"required", []string{"field", "values"}}, {"properties", object{
		{"field", fieldWords},
		{"values", object{{"type", "array"}, {"minItems", 1}, {"items", number}}},
	}}},
	"VariedRange": {{"type", "object"}, {"description", "Every value from one to the other, both included."}, {"additionalProperties", false}, {"required", []string{"field", "from", "to", "step"}}, {"properties", object{
		{"field", fieldWords}, {"from", number}, {"to", number}, {"step", append(number, member{"exclusiveMinimum", 0})},
	}}},
	"Reader": {{"type", "string"}, {"description", "Who reads the prompt: the language model where there is one, or the rules alone."},
		{"enum", []string{question.AutoParser, question.RulesParser}}},
	"Deflation": {{"type", "string"},
		{"description", "What luck gives the best of many: `null`, the scatter of variants without an edge and as many tries as are independent, or `2014`, the scatter of the variants with each a try."},
		{"enum", values(backtest.DeflateByNull, backtest.DeflateByScatter)}},
	"SweepRequestOptions": sweepOptionWords(),
	"BacktestOptions": {{"type", "object"}, {"additionalProperties", false}, {"properties", append(slices.Clone(backtestOptions), object{
		{"baseline", optional("boolean", member{"description", "Default true."})},
		{"include", optional("array", member{"items", ref("schemas", "Include")})},
	}...)}},
	"BacktestRequest": {{"type", "object"}, {"description", "Exactly one of `prompt` and `strategy` is given; the other is left out or null."}, {"additionalProperties", false}, {"properties", object{
		{"prompt", promptWords([]string{"string", "null"})},
		{"strategy", object{{"description", "The strategy as an object, instead of a prompt."}, {"oneOf", []object{ref("schemas", "Strategy"), {{"type", "null"}}}}}},
		{"sampleSize", sampleSizeWords}, {"budget", budgetWords}, {"options", orNull(ref("schemas", "BacktestOptions"))},
	}}},
	"SweepRequest": {{"type", "object"}, {"description", "Exactly one of `prompt` and `strategy` is given, the other left out or null; and what is varied."}, {"additionalProperties", false}, {"required", []string{"vary"}}, {"properties", object{
		{"prompt", promptWords([]string{"string", "null"})},
		{"strategy", object{{"description", "The strategy as an object, instead of a prompt."}, {"oneOf", []object{ref("schemas", "Strategy"), {{"type", "null"}}}}}},
		{"sampleSize", sampleSizeWords}, {"budget", budgetWords},
		{"vary", object{{"type", "array"}, {"minItems", 1}, {"description", "Numbers of the strategy, by their path in the object, and their values: `FIELD=FROM:TO:STEP` with both ends, `FIELD=VALUE,VALUE`, or an object. One object of fields, each with a list of values or `{from, to, step}`, is read too."},
			{"items", ref("schemas", "Vary")}}},
		{"block_hours", blockHoursWords}, {"also_tried", alsoTriedWords},
		{"options", orNull(ref("schemas", "SweepRequestOptions"))},
	}}},
	"ParseRequest": {{"type", "object"}, {"additionalProperties", false}, {"required", []string{"prompt"}}, {"properties", object{
		{"prompt", promptWords("string")}, {"sampleSize", sampleSizeWords}, {"budget", budgetWords},
		{"parser", choice("Reader", "Default auto.")},
	}}},
}

// sweepOptionWords are the options of a backtest that sweeps take, and their own.
func sweepOptionWords() object {
	options := slices.Clone(backtestOptions)
	return object{{"type", "object"}, {"additionalProperties", false}, {"properties", append(options,
		member{"block_hours", blockHoursWords}, member{"also_tried", alsoTriedWords},
		member{"deflation", choice("Deflation", "Default `null`.")},
	)}}
}

func promptWords(types any) object {
	return object{{"type", types}, {"description", "A strategy in English."}, {"minLength", 1}, {"maxLength", 2000}}
}

var (
	sampleSizeWords = optional("integer", member{"description", "Wins over what the prompt or strategy says."}, member{"minimum", 1}, member{"maximum", 10_000})
	fieldWords      = object{{"type", "string"}, {"minLength", 1}, {"description", "Such as `entry.0.threshold`, `exit.take_profit`, `budget_per_trade`."}}
	blockHoursWords = optional("integer", member{"description", "Length of a block of the walk-forward. 0, the default: a tenth of the time that the sample spans."}, member{"minimum", 0}, member{"maximum", 8760})
	alsoTriedWords  = optional("integer", member{"description", "Variants of the idea tried before: the best is deflated for them too. Default 0."}, member{"minimum", 0}, member{"maximum", 1_000_000_000})
	budgetWords     = optional("number", member{"description", "USD per trade; wins over what the prompt or strategy says."}, member{"exclusiveMinimum", 0}, member{"maximum", 1_000_000})
)

// parameterWords are parameters without their name and place.
var parameterWords = map[string]object{
	"IdOrSlug":     {{"required", true}, {"description", "Market id, slug, Gamma's number, or `<scope>:market:<id>`."}, {"schema", idWords}, {"example", exampleSlug}},
	"TokenId":      {{"required", true}, {"description", "Token id, as a market's `tokens` give it."}, {"schema", idWords}, {"example", exampleToken}},
	"StartTs":      {{"description", "Inclusive. ISO 8601 or Unix seconds."}, {"required", true}, {"schema", object{{"type", "string"}, {"minLength", 1}}}, {"example", exampleStart}},
	"EndTs":        {{"description", "Exclusive. ISO 8601 or Unix seconds."}, {"required", true}, {"schema", object{{"type", "string"}, {"minLength", 1}}}, {"example", exampleEnd}},
	"BucketSize":   {{"description", "Size of a bucket."}, {"required", true}, {"schema", ref("schemas", "Resolution")}, {"example", "1m"}},
	"HistoryLimit": {{"description", "Points on a page, over all tokens."}, {"schema", object{{"type", "integer"}, {"minimum", 1}, {"maximum", 200}, {"default", 100}}}},
	"Cursor":       {{"description", "`metadata.next_cursor` of the page before, with the same parameters."}, {"schema", object{{"type", "string"}}}},
	"InCategory":   {{"description", "Pins one category; left out: all."}, {"schema", ref("schemas", "Category")}},
	"ListLimit":    {{"description", "Items on a page."}, {"schema", object{{"type", "integer"}, {"minimum", 1}, {"maximum", 1000}, {"default", 100}}}},
	"Search":       {{"description", "Text in the title, question or slug, in upper or lower case. Empty: none."}, {"schema", object{{"type", "string"}, {"maxLength", 200}}}},
	"TagFilter":    {{"description", "Repeated or comma-separated; at most 50."}, {"schema", object{{"type", "array"}, {"maxItems", lists.MaxTags}, {"items", object{{"type", "string"}}}}}, {"style", "form"}, {"explode", true}},
	"TagsMatch":    {{"description", "Whether all of the tags are needed, or any."}, {"schema", object{{"type", "string"}, {"enum", []string{"all", "any"}}, {"default", "all"}}}},
	"StartDateMin": dateWords, "StartDateMax": dateWords, "EndDateMin": dateWords, "EndDateMax": dateWords,
	"Sort":               {{"description", "What the list is sorted by."}, {"schema", object{{"type", "string"}, {"enum", []string{"updated_at", "start_date", "end_date"}}, {"default", "updated_at"}}}},
	"SeriesSort":         {{"description", "What the list is sorted by."}, {"schema", object{{"type", "string"}, {"enum", []string{"updated_at"}}, {"default", "updated_at"}}}},
	"Order":              {{"description", "Direction of the order; ties are by id."}, {"schema", object{{"type", "string"}, {"enum", []string{"asc", "desc"}}, {"default", "desc"}}}},
	"EventId":            {{"description", "Only markets of this event."}, {"schema", nameWords}},
	"EventSlug":          {{"description", "Only markets of this event."}, {"schema", nameWords}},
	"SeriesId":           {{"description", "Only events of this series."}, {"schema", nameWords}},
	"SeriesSlug":         {{"description", "Only what belongs to this series."}, {"schema", nameWords}},
	"WithRounds":         {{"description", "Also, by coin and length, the rounds that can be replayed."}, {"schema", object{{"type", "boolean"}, {"default", false}}}},
	"WithRecorded":       {{"description", "Also what the archive has of each: captures, coverage, the official winner."}, {"schema", object{{"type", "boolean"}, {"default", false}}}},
	"IncludeClosed":      {{"description", "Also those that are not open."}, {"schema", object{{"type", "boolean"}, {"default", true}}}},
	"RunId":              {{"required", true}, {"description", "Id of a run."}, {"schema", idWords}},
	"OtherRunId":         {{"required", true}, {"description", "Id of the run that it is compared with."}, {"schema", idWords}},
	"TradeNumber":        {{"required", true}, {"description", "Number of a trade from 1, or its market's slug or id."}, {"schema", idWords}},
	"ShareToken":         {{"required", true}, {"description", "What the link was made of."}, {"schema", idWords}},
	"RunSearch":          {{"description", "Text in the prompt, in upper or lower case. Empty: none."}, {"schema", object{{"type", "string"}, {"maxLength", 200}}}},
	"CalibrationCoin":    {{"required", true}, {"description", "Whose rounds are looked at; ANY: all coins'."}, {"schema", object{{"type", "string"}, {"enum", calibrationCoins()}}}, {"example", "BTC"}},
	"CalibrationType":    {{"required", true}, {"description", "Length of the rounds."}, {"schema", object{{"type", "string"}, {"minLength", 1}, {"maxLength", 20}}}, {"example", "5m"}},
	"CalibrationFrom":    {{"description", "Only rounds that end at or after this; ISO 8601 or Unix seconds."}, {"schema", object{{"type", "string"}}}},
	"CalibrationTo":      {{"description", "Only rounds that end before this; ISO 8601 or Unix seconds."}, {"schema", object{{"type", "string"}}}},
	"CalibrationWinners": {{"description", "Which payouts count."}, {"schema", object{{"type", "string"}, {"enum", []string{"official", "inferred"}}, {"default", "official"}}}},
	"CalibrationLast":    {{"description", "So many rounds, the newest; left out: 1,000, or as many as the plan allows."}, {"schema", object{{"type", "integer"}, {"minimum", 1}, {"maximum", backtest.MaxCalibrated}}}},
	"CalibrationBands":   {{"description", "Bands of prices."}, {"schema", object{{"type", "integer"}, {"minimum", 1}, {"maximum", backtest.MaxCalibrationBands}, {"default", 5}}}},
	"CalibrationTimes":   {{"description", "Times in a round, evenly spread."}, {"schema", object{{"type", "integer"}, {"minimum", 1}, {"maximum", backtest.MaxCalibrationBands}, {"default", 5}}}},
	"TriesCoin":          {{"description", "Only tries on rounds of this coin; with `market_type`."}, {"schema", object{{"type", "string"}, {"maxLength", 20}}}, {"example", "BTC"}},
	"TriesType":          {{"description", "Only tries on rounds of this length; with `coin`."}, {"schema", object{{"type", "string"}, {"maxLength", 20}}}, {"example", "5m"}},
	"RunCoin":            {{"description", "Only runs over this coin."}, {"schema", object{{"type", "string"}, {"maxLength", 20}}}},
	"RunMarketType":      {{"description", "Only runs over rounds of this length."}, {"schema", object{{"type", "string"}, {"maxLength", 20}}}},
	"RunVerdict":         {{"description", "Only runs with this verdict."}, {"schema", object{{"type", "string"}, {"enum", verdicts}}}},
	"SweepId":            {{"required", true}, {"description", "Id of a sweep."}, {"schema", idWords}},
	"SweepVerdict":       {{"description", "Only sweeps with this verdict."}, {"schema", object{{"type", "string"}, {"enum", sweepVerdicts}}}},
	"RunState":           {{"description", "Only runs in this state."}, {"schema", object{{"type", "string"}, {"enum", values(runs.States()...)}}}},
	"RunWait":            {{"description", "How long to wait for the end of the run, at most 60s."}, {"schema", object{{"type", "string"}, {"pattern", "^[0-9]{1,4}(s|ms)?$"}}}, {"example", "20s"}},
	"RunResult":          {{"description", "Whether the last event holds a link to the run, or the body."}, {"schema", object{{"type", "string"}, {"enum", []string{"link", "body"}}, {"default", "link"}}}},
	"LastEventId":        {{"description", "The id of the last event that was seen."}, {"schema", object{{"type", "string"}}}},
	"DryRun":             {{"description", "Only say how much work the run would be."}, {"schema", object{{"type", "boolean"}, {"default", false}}}},
	"IdempotencyKey":     {{"description", "The client's name for this request."}, {"schema", object{{"type", "string"}, {"maxLength", maxIdempotency}}}},
	"ExcludeClosed":      {{"description", "Also those that are not open."}, {"schema", object{{"type", "boolean"}, {"default", false}}}},
}

var (
	idWords   = object{{"type", "string"}, {"minLength", 1}, {"maxLength", 200}}
	nameWords = object{{"type", "string"}, {"maxLength", 200}}
	dateWords = object{{"description", "Inclusive; ISO 8601 or Unix seconds."}, {"schema", object{{"type", "string"}}}}
)

var headerComponents = object{
	{"RequestId", object{{"description", "The id that the log has too."}, {"required", true}, {"schema", object{{"type", "string"}}}}},
	{"RateLimit", object{{"description", "Requests per UTC minute; absent where the key has no limits."}, {"schema", object{{"type", "integer"}}}}},
	{"RateLimitRemaining", object{{"description", "Left in this minute."}, {"schema", object{{"type", "integer"}, {"minimum", 0}}}}},
	{"RateLimitReset", object{{"description", "Unix seconds when the minute ends."}, {"schema", object{{"type", "integer"}}}}},
	{"RetryAfter", object{{"description", "Whole seconds."}, {"schema", object{{"type", "integer"}, {"minimum", 1}}}}},
	{"ETag", object{{"description", "Changes when the answer does."}, {"schema", object{{"type", "string"}}}}},
	{"CacheControl", object{{"description", "Whether the answer may be kept."}, {"schema", object{{"type", "string"}}}}},
	{"Location", object{{"description", "Where the run is."}, {"required", true}, {"schema", object{{"type", "string"}}}}},
	{"Allow", object{{"description", "Methods of the route."}, {"schema", object{{"type", "string"}}}}},
	{"Ignored", object{{"description", "Parameters of the request that the route does not know and has ignored; absent: none."}, {"schema", object{{"type", "string"}}}}},
}

// responseComponents returns the answers that are errors.
func responseComponents() object {
	limits := []string{"X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"}
	out := object{}
	for _, r := range []struct {
		name, description string
		headers           []string
		example           wire.Envelope
	}{
		{"BadRequest", "A timestamp, limit or cursor is not valid", limits, wire.Envelope{Error: market.CodeBadRequest, Message: "limit too large. Requested: 500, Maximum: 200"}},
		{"Refused", "The body is not valid, or the prompt cannot be read as a strategy (`unsupported_signal`: it depends on the price of an asset or on a percentage)", limits,
			wire.Envelope{Error: market.CodeUnsupportedSignal, Message: "\"45%\": percentages cannot be used, prices are dollars of the token; write 0.45 instead of 45%",
				Suggestion: "Buy BTC 5m Up below 0.45", At: []market.Phrase{{Start: 20, End: 23, Text: "45%", Message: "\"45%\": percentages cannot be used, prices are dollars of the token; write 0.45 instead of 45%"}}}},
		{"Unauthorized", "The key is missing, invalid or revoked", limits[:1], wire.Envelope{Error: market.CodeUnauthorized, Message: "API key missing, invalid or expired"}},
		{"Forbidden", "The plan does not allow the data point, the resolution or the dates, or is not configured on the server", limits,
			wire.Envelope{Error: market.CodeForbidden, Message: "start_ts 2026-01-01T00:00:00Z is outside the history window of 3 days"}},
		{"PlanRequired", "The plan has no backtests (`plan_required`), or not over so many markets (`forbidden`)", limits,
			wire.Envelope{Error: market.CodePlanRequired, Message: "backtests need plan Pro or above; this key is on plan Starter"}},
		{"NotFound", "No such market, token, run or trade", limits, wire.Envelope{Error: market.CodeNotFound, Message: "market not found: nope"}},
		{"MethodNotAllowed", "The route has other methods", append(limits[:4:4], "Allow"), wire.Envelope{Error: market.CodeMethodNotAllowed, Message: "method PUT is not allowed"}},
		{"Conflict", "The `Idempotency-Key` was used with another body, or the run is not done", limits, wire.Envelope{Error: market.CodeConflict, Message: "the run is not done"}},
		{"TooLarge", "The body is over 64 KiB", limits, wire.Envelope{Error: market.CodePayloadTooLarge, Message: "body too large: at most 65536 bytes"}},
		{"RateLimited", "A limit of the key is used up, or too many backtests run", append(limits[:4:4], "Retry-After"),
			wire.Envelope{Error: market.CodeRateLimited, Message: "rate limit exceeded: 60 requests per minute on plan Starter; try again in 12 s"}},
		{"Internal", "An unexpected failure; the log has it under the request's id", limits, wire.Envelope{Error: market.CodeInternal, Message: "internal error; request id 1f2e3d4c5b6a7988"}},
		{"Unavailable", "The archive does not answer", append(limits[:4:4], "Retry-After"), wire.Envelope{Error: market.CodeUnavailable, Message: "the archive is not available at the moment"}},
	} {
		headers := headersOf(r.headers...)
		if r.name == "Unauthorized" {
			headers.put("WWW-Authenticate", object{{"description", "`Bearer`"}, {"schema", object{{"type", "string"}, {"const", "Bearer"}}}})
		}
		out.put(r.name, object{{"description", r.description}, {"headers", headers}, {"content", object{{"application/json", object{
			{"schema", ref("schemas", "ErrorBody")}, {"example", r.example},
		}}}}})
	}
	items := wire.Details{{Loc: []any{"query", "limit"}, Msg: "Input should be a valid integer, unable to parse string as an integer", Type: "int_parsing"}}
	out.put("Invalid", object{{"description", "Parameters that are not valid, all at once"}, {"headers", headersOf(limits...)}, {"content", object{{"application/json", object{
		{"schema", ref("schemas", "ValidationError")}, {"example", wire.ValidationBody{Detail: items, Message: items.Error()}},
	}}}}})
	return out
}
