package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/ladderback/ladderback/api/lists"
	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/calibration"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/replay/sweep"
	"github.com/ladderback/ladderback/report/words"
	"github.com/ladderback/ladderback/runs"
	"github.com/ladderback/ladderback/strategy"
	"github.com/ladderback/ladderback/tries"
)

// The document of the API is made here, from the table of routes and from the types
// that answers are written from, and kept as openapi.json.

// object is a JSON object whose members stay in order.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSON writes the members in order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o.wide() {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := backtest.CompactJSON(m.name)
		if err != nil {
			return nil, err
		}
		value, err := backtest.CompactJSON(m.value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// wide says of an integer how wide it is: else generators take an int32, which seeds and
// sizes of archives do not fit into.
func (o object) wide() object {
	for i, m := range o {
		if m.name == "type" && o.get("format") == nil && strings.Contains(fmt.Sprint(m.value), "integer") {
			return slices.Insert(slices.Clone(o), i+1, member{"format", "int64"})
		}
	}
	return o
}

// put sets a member, behind the others when it is new.
func (o *object) put(name string, value any) {
	for i := range *o {
		if (*o)[i].name == name {
			(*o)[i].value = value
			return
		}
	}
	*o = append(*o, member{name, value})
}

func (o object) get(name string) any {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

func ref(kind, name string) object { return object{{"$ref", "#/components/" + kind + "/" + name}} }

// schemas are the components that the document refers to, in the order in which
// they were met.
type schemas struct{ all object }

// written are the types that write themselves as JSON.
var written = map[reflect.Type]object{
	reflect.TypeFor[market.Instant]():     {{"type", "string"}, {"format", "date-time"}},
	reflect.TypeFor[stats.Decimal]():      {{"type", "number"}, {"format", "double"}},
	reflect.TypeFor[strategy.Number]():    {{"type", "number"}, {"format", "double"}},
	reflect.TypeFor[stats.Interval]():     {{"type", "array"}, {"description", "[low, high], 95 %; null below the trades and ends that a verdict needs."}, {"items", object{{"type", "number"}, {"format", "double"}}}, {"minItems", 2}, {"maxItems", 2}},
	reflect.TypeFor[replay.Slippage]():    ref("schemas", "Slippage"),
	reflect.TypeFor[replay.Share]():       {{"type", "number"}, {"format", "double"}, {"minimum", 0}, {"maximum", 1}},
	reflect.TypeFor[replay.Stale]():       {{"type", "integer"}, {"minimum", 0}},
	reflect.TypeFor[json.RawMessage]():    {},
	reflect.TypeFor[strategy.Token]():     {{"type", []string{"string", "null"}}},
	reflect.TypeFor[historyPoint]():       {},
	reflect.TypeFor[strategy.Strategy]():  ref("schemas", "Strategy"),
	reflect.TypeFor[strategy.Condition](): ref("schemas", "Condition"),
}

// enums are the values of types that are words, with what the type is.
var enums = map[reflect.Type]struct {
	name, description string
	values            []string
}{
	reflect.TypeFor[fills.Kind]():            {"Fill", "What an order was filled against.", values(fills.BookLadder, fills.BestQuote, fills.LastPrice, fills.Settlement, fills.Resting, fills.Merge)},
	reflect.TypeFor[replay.ExitReason]():     {"", "", values(replay.TakeProfit, replay.StopLoss, replay.Expiry, replay.EndOfWindow, replay.ByOrder, replay.Merged)},
	reflect.TypeFor[replay.Action]():         {"", "", values(replay.Buy, replay.Sell, replay.Settle, replay.Merge)},
	reflect.TypeFor[replay.Sampling]():       {"Sampling", "Newest rounds, or a seeded choice.", values(replay.Recent, replay.Random)},
	reflect.TypeFor[replay.Fees]():           {"Fees", "Those of the venue, or none.", values(replay.FeesVenue, replay.FeesNone)},
	reflect.TypeFor[replay.Winners]():        {"Winners", "Official payouts alone, or inferred ones too.", values(replay.WinnersOfficial, replay.WinnersInferred)},
	reflect.TypeFor[backtest.Include]():      {"Include", "What a report has beyond the rest.", values(backtest.Includes()...)},
	reflect.TypeFor[runs.State]():            {"", "How far a run is.", values(runs.States()...)},
	reflect.TypeFor[backtest.Pass]():         {"", "", values("", backtest.PassStrategy, backtest.PassBaseline)},
	reflect.TypeFor[strategy.Source]():       {"", "", values(strategy.SourceLLM, strategy.SourceRules)},
	reflect.TypeFor[backtest.SweepVerdict](): {"", "", values(backtest.SweepNotEnough, backtest.SweepNoGain, backtest.SweepLuck, backtest.SweepUnproven, backtest.SweepEdge)},
	reflect.TypeFor[stats.Verdict]():         {"", "", values(stats.NotEnough, stats.Positive, stats.Negative, stats.NoEdge)},
	reflect.TypeFor[calibration.Verdict]():   {"", "", values(calibration.NotEnough, calibration.Calibrated, calibration.Off)},
	reflect.TypeFor[backtest.Code](): {"", "", values(backtest.InferredWinners, backtest.NoExit, backtest.FewTrades, backtest.WeakFills, backtest.Overlap,
		backtest.LowCoverage, backtest.PartialEntries, backtest.Defaults, backtest.SimulatedData, backtest.NoFeeSchedule, backtest.EntryUnderStop,
		backtest.RestingFills, backtest.OnePath, backtest.OrderLimit, backtest.NoTradesHeard)},
	reflect.TypeFor[market.Code](): {"ErrorCode", "Stable code for machines.", values(market.CodeBadRequest, market.CodeUnsupportedSignal, market.CodeUnauthorized, market.CodeForbidden,
		market.CodePlanRequired, market.CodeNotFound, market.CodeConflict, market.CodeMethodNotAllowed, market.CodePayloadTooLarge,
		market.CodeRateLimited, market.CodeInternal, market.CodeUnavailable)},
}

func values[T ~string](of ...T) []string {
	out := make([]string, len(of))
	for i, v := range of {
		out[i] = string(v)
	}
	return out
}

// names are the components that types become; other structs stand where they are
// used.
var names = map[reflect.Type]string{
	reflect.TypeFor[lists.Token]():                  "Token",
	reflect.TypeFor[lists.MarketItem]():             "MarketItem",
	reflect.TypeFor[lists.Recorded]():               "Recorded",
	reflect.TypeFor[lists.Market]():                 "Market",
	reflect.TypeFor[tries.Record]():                 "TriesRecord",
	reflect.TypeFor[tries.Family]():                 "TriesFamily",
	reflect.TypeFor[tries.Try]():                    "CountedTry",
	reflect.TypeFor[tries.Reset]():                  "TriesReset",
	reflect.TypeFor[tries.Lockbox]():                "Lockbox",
	reflect.TypeFor[backtest.Tally]():               "Tally",
	reflect.TypeFor[lists.GapList]():                "GapList",
	reflect.TypeFor[lists.Gap]():                    "Gap",
	reflect.TypeFor[lists.Series]():                 "Series",
	reflect.TypeFor[lists.Event]():                  "Event",
	reflect.TypeFor[lists.Metadata]():               "Metadata",
	reflect.TypeFor[lists.Page[lists.MarketItem]](): "MarketItemList",
	reflect.TypeFor[lists.Page[lists.Series]]():     "SeriesList",
	reflect.TypeFor[lists.Page[lists.Event]]():      "EventList",
	reflect.TypeFor[tagList]():                      "TagList",
	reflect.TypeFor[pricePoint]():                   "PricePoint",
	reflect.TypeFor[metricsPoint]():                 "MetricsPoint",
	reflect.TypeFor[bookPoint]():                    "Book",
	reflect.TypeFor[quotePoint]():                   "Quote",
	reflect.TypeFor[marketAnswer[quotePoint]]():     "MarketQuotes",
	reflect.TypeFor[tokenAnswer[quotePoint]]():      "TokenQuotes",
	reflect.TypeFor[marketAnswer[pricePoint]]():     "MarketPrices",
	reflect.TypeFor[marketAnswer[bookPoint]]():      "MarketBooks",
	reflect.TypeFor[metricsAnswer]():                "MarketMetrics",
	reflect.TypeFor[tokenAnswer[pricePoint]]():      "TokenPrices",
	reflect.TypeFor[tokenAnswer[bookPoint]]():       "TokenBooks",
	reflect.TypeFor[usageRecord]():                  "Usage",
	reflect.TypeFor[wire.Envelope]():                "ErrorBody",
	reflect.TypeFor[wire.ValidationBody]():          "ValidationError",
	reflect.TypeFor[health]():                       "Health",
	reflect.TypeFor[strategy.Trace]():               "Parse",
	reflect.TypeFor[backtest.Leg]():                 "Leg",
	reflect.TypeFor[backtest.Trade]():               "Trade",
	reflect.TypeFor[stats.Stats]():                  "Stats",
	reflect.TypeFor[backtest.Options]():             "Options",
	reflect.TypeFor[backtest.Report]():              "Report",
	reflect.TypeFor[backtestAnswer]():               "Backtest",
	reflect.TypeFor[parseAnswer]():                  "Parsed",
	reflect.TypeFor[conditionList]():                "ConditionList",
	reflect.TypeFor[archiveAnswer]():                "Archive",
	reflect.TypeFor[runRecord]():                    "Run",
	reflect.TypeFor[estimateRecord]():               "Estimate",
	reflect.TypeFor[lists.Page[runRecord]]():        "RunList",
	reflect.TypeFor[runAnswer]():                    "RunWithResult",
	reflect.TypeFor[runs.Headline]():                "Headline",
	reflect.TypeFor[sweepRecord]():                  "SweepRun",
	reflect.TypeFor[lists.Page[sweepRecord]]():      "SweepList",
	reflect.TypeFor[sweepRunAnswer]():               "SweepWithResult",
	reflect.TypeFor[runs.SweepHeadline]():           "SweepHeadline",
	reflect.TypeFor[sweepAnswer]():                  "SweepResult",
	reflect.TypeFor[backtest.Sweep]():               "Sweep",
	reflect.TypeFor[backtest.SweepOptions]():        "SweepOptions",
	reflect.TypeFor[backtest.SweepRow]():            "SweepVariant",
	reflect.TypeFor[backtest.SweepAxis]():           "SweepAxis",
	reflect.TypeFor[shareRecord]():                  "Share",
	reflect.TypeFor[sharedAnswer]():                 "SharedRun",
	reflect.TypeFor[backtest.Explanation]():         "Explanation",
	reflect.TypeFor[backtest.QueueReport]():         "QueueRules",
	reflect.TypeFor[backtest.QueueSide]():           "QueueRule",
	reflect.TypeFor[backtest.CurvePoint]():          "CurvePoint",
	reflect.TypeFor[backtest.Lives]():               "RestingOrders",
	reflect.TypeFor[backtest.Life]():                "RestingOrder",
	reflect.TypeFor[backtest.Wear]():                "QueueWear",
	reflect.TypeFor[backtest.Look]():                "Look",
	reflect.TypeFor[backtest.SettlementView]():      "Settlement",
	reflect.TypeFor[backtest.Baseline]():            "Baseline",
	reflect.TypeFor[sweep.Best]():                   "SweepBest",
	reflect.TypeFor[sweep.WalkForward]():            "WalkForward",
	reflect.TypeFor[words.Compared]():               "Comparison",
	reflect.TypeFor[words.Report]():                 "ReportWords",
	reflect.TypeFor[words.Sweep]():                  "SweepWords",
	reflect.TypeFor[words.Remark]():                 "WarningWords",
	reflect.TypeFor[words.Remedy]():                 "Remedy",
	reflect.TypeFor[archiveCategory]():              "Holding",
	reflect.TypeFor[archiveDay]():                   "HoldingOfDay",
	reflect.TypeFor[backtest.Holding]():             "Rounds",
	reflect.TypeFor[backtest.Group]():               "Group",
	reflect.TypeFor[backtest.Warning]():             "Warning",
	reflect.TypeFor[strategy.ConditionType]():       "Quantity",
	reflect.TypeFor[strategy.Assumption]():          "Assumption",
	reflect.TypeFor[market.Phrase]():                "Phrase",
	reflect.TypeFor[market.Offered]():               "Offer",
	reflect.TypeFor[backtest.Calibration]():         "Calibration",
	reflect.TypeFor[backtest.CalibrationOptions]():  "CalibrationOptions",
	reflect.TypeFor[calibration.Time]():             "CalibrationTime",
	reflect.TypeFor[backtest.CalibrationCell]():     "CalibrationCell",
	reflect.TypeFor[backtest.CalibrationScores]():   "CalibrationScores",
}

// nullable are fields that hold a number or stats.None.
var nullable = []string{"Trade.exit_price"}

// Answers that are not written from a value of one type, as their types.
type (
	historyPoint struct{}
	level        [2]stats.Decimal
	pricePoint   struct {
		T market.Instant `json:"t"`
		P stats.Decimal  `json:"p"`
	}
	metricsPoint struct {
		T         market.Instant `json:"t"`
		Liquidity stats.Decimal  `json:"liquidity"`
		Spread    stats.Decimal  `json:"spread"`
		Volume    stats.Decimal  `json:"volume"`
	}
	bookPoint struct {
		T    market.Instant `json:"t"`
		Bids []level        `json:"bids"`
		Asks []level        `json:"asks"`
	}
	quotePoint struct {
		T       market.Instant `json:"t"`
		Bid     *stats.Decimal `json:"bid"`
		BidSize *stats.Decimal `json:"bid_size"`
		Ask     *stats.Decimal `json:"ask"`
		AskSize *stats.Decimal `json:"ask_size"`
	}
	marketAnswer[P any] struct {
		MarketID   string            `json:"market_id"`
		Resolution string            `json:"resolution"`
		Tokens     map[string]string `json:"tokens"`
		Data       map[string][]P    `json:"data"`
		Metadata   lists.Metadata    `json:"metadata"`
	}
	tokenAnswer[P any] struct {
		MarketID   string         `json:"market_id"`
		TokenID    string         `json:"token_id"`
		TokenLabel string         `json:"token_label"`
		Resolution string         `json:"resolution"`
		Data       []P            `json:"data"`
		Metadata   lists.Metadata `json:"metadata"`
	}
	metricsAnswer struct {
		MarketID   string         `json:"market_id"`
		Resolution string         `json:"resolution"`
		Data       []metricsPoint `json:"data"`
		Metadata   lists.Metadata `json:"metadata"`
	}
	tagList struct {
		Count int      `json:"count"`
		Data  []string `json:"data"`
	}
	conditionList struct {
		Count  int                      `json:"count"`
		Data   []strategy.ConditionType `json:"data"`
		Orders []strategy.ConditionType `json:"orders"`
	}
	// backtest.Body, of which either route writes a part.
	backtestAnswer struct {
		Prompt   string            `json:"prompt"`
		Strategy strategy.Strategy `json:"strategy"`
		Source   strategy.Source   `json:"source"`
		Note     string            `json:"note,omitempty"`
		Parse    *strategy.Trace   `json:"parse,omitempty"`
		Report   backtest.Report   `json:"report"`
	}
	// runDetail and sharedRun, whose result is a backtestAnswer.
	runAnswer struct {
		runRecord
		Result *backtestAnswer `json:"result"`
		Words  *words.Report   `json:"words,omitempty"`
	}
	// sweepDetail, whose result is a sweepAnswer; and backtest.SweepBody.
	sweepRunAnswer struct {
		sweepRecord
		Result *sweepAnswer `json:"result"`
		Words  *words.Sweep `json:"words,omitempty"`
	}
	sweepAnswer struct {
		Prompt   string            `json:"prompt"`
		Strategy strategy.Strategy `json:"strategy"`
		Source   strategy.Source   `json:"source"`
		Note     string            `json:"note,omitempty"`
		Parse    *strategy.Trace   `json:"parse,omitempty"`
		Sweep    backtest.Sweep    `json:"sweep"`
	}
	sharedAnswer struct {
		CreatedAt market.Instant `json:"created_at"`
		Result    backtestAnswer `json:"result"`
		Words     *words.Report  `json:"words,omitempty"`
	}
	parseAnswer struct {
		Prompt   string            `json:"prompt"`
		Strategy strategy.Strategy `json:"strategy"`
		Source   strategy.Source   `json:"source"`
		Note     string            `json:"note,omitempty"`
		Parse    strategy.Trace    `json:"parse"`
	}
)

// of returns the schema of a type.
func (s *schemas) of(t reflect.Type) object {
	if o, ok := written[t]; ok {
		switch t {
		case reflect.TypeFor[strategy.Strategy]():
			s.strategy()
		case reflect.TypeFor[replay.Slippage]():
			s.named("Slippage")
		}
		return slices.Clone(o)
	}
	if e, ok := enums[t]; ok {
		o := object{{"type", "string"}, {"enum", e.values}}
		if e.name == "" {
			return o
		}
		s.all.put(e.name, append(object{{"description", e.description}}, o...))
		return ref("schemas", e.name)
	}
	name := names[t]
	if name != "" && s.all.get(name) != nil {
		return ref("schemas", name)
	}
	o := s.plain(t)
	if name == "" {
		return o
	}
	if about := descriptions[name]; about != "" {
		o.put("description", about)
	}
	s.all.put(name, o)
	return ref("schemas", name)
}

func (s *schemas) plain(t reflect.Type) object {
	switch t.Kind() {
	case reflect.Pointer:
		return orNull(s.of(t.Elem()))
	case reflect.Struct:
		if strings.HasPrefix(t.Name(), "Maybe[") {
			return orNull(s.of(t.Field(1).Type.Elem()))
		}
		o := object{{"type", "object"}, {"required", []string{}}, {"properties", object{}}} // open to fields to come
		s.fields(t, &o)
		return o
	case reflect.Slice:
		return object{{"type", "array"}, {"items", s.of(t.Elem())}}
	case reflect.Array:
		return object{{"type", "array"}, {"items", s.of(t.Elem())}, {"minItems", t.Len()}, {"maxItems", t.Len()}}
	case reflect.Map:
		return object{{"type", "object"}, {"additionalProperties", s.of(t.Elem())}}
	case reflect.String:
		return object{{"type", "string"}}
	case reflect.Bool:
		return object{{"type", "boolean"}}
	case reflect.Interface:
		return object{{"anyOf", []object{{{"type", "string"}}, {{"type", "integer"}}}}}
	case reflect.Int, reflect.Int64:
		return object{{"type", "integer"}}
	}
	panic("api: no schema for " + t.String())
}

// fields adds the members of a struct, embedded ones where they stand.
func (s *schemas) fields(t reflect.Type, o *object) {
	for f := range t.Fields() {
		tag, optional, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && tag == "":
			s.fields(f.Type, o)
			continue
		case tag == "-" || tag == "" || !f.IsExported():
			continue
		}
		if optional == "" {
			o.put("required", append(o.get("required").([]string), tag))
		}
		of := f.Type
		if optional != "" && of.Kind() == reflect.Pointer { // absent rather than null
			of = of.Elem()
		}
		value := s.of(of)
		where := t.Name() + "." + tag
		if i := strings.IndexByte(where, '['); i >= 0 { // of a generic type
			where = where[:i] + "." + tag
		}
		for _, key := range []string{"*." + tag, t.Name() + ".*", where} {
			if of, ok := components[key]; ok {
				value = s.named(of)
			}
			switch kind := value.get("type"); {
			case strings.HasSuffix(key, ".*") && kind != "integer", strings.HasPrefix(key, "*.") && kind == "string" && bounds[key] != nil:
				continue // bounds are of numbers
			}
			for _, more := range bounds[key] {
				value.put(more.name, more.value)
			}
		}
		if slices.Contains(nullable, where) {
			value = orNull(value)
		}
		if about := descriptions[where]; about != "" {
			value.put("description", about)
		}
		properties := o.get("properties").(object)
		properties.put(tag, value)
		o.put("properties", properties)
	}
}

// named returns a reference to a component that is no type of its own.
func (s *schemas) named(name string) object {
	s.all.put(name, plainComponents[name])
	return ref("schemas", name)
}

// orNull allows null too.
func orNull(o object) object {
	switch t := o.get("type").(type) {
	case string:
		o = slices.Clone(o)
		o.put("type", []string{t, "null"})
		return o
	case []string:
		return o
	}
	if o.get("$ref") == nil { // open: null is in it
		return o
	}
	return object{{"oneOf", []object{o, {{"type", "null"}}}}}
}

// strategy adds the schema of a strategy, which package strategy keeps: its parts,
// and what may be null in it, as components of their own.
func (s *schemas) strategy() {
	if s.all.get("Strategy") != nil {
		return
	}
	text, err := os.ReadFile("../strategy/schema.json")
	if err != nil {
		panic(err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	document := ordered(d).(object)
	nullable := map[string]bool{}
	defs := document.get("$defs").(object)
	for _, one := range defs {
		_, nullable[one.name] = one.value.(object).get("type").([]any)
	}
	for _, one := range defs {
		s.all.put(strategyDefs[one.name], s.part(one.value.(object).without("type"), nullable))
	}
	document = document.without("$defs", "$schema", "$id", "title", "type")
	s.all.put("Strategy", s.part(document, nullable))
}

// strategyDefs are the components that the parts of a strategy's schema become.
var strategyDefs = map[string]string{"condition": "Condition", "order_condition": "OrderCondition", "order": "LimitOrder", "then": "ThenOrder"}

// part returns the schema of an object of a strategy; nullable are the parts that may
// be null where they are referred to.
func (s *schemas) part(o object, nullable map[string]bool) object {
	properties := o.get("properties").(object)
	for i, p := range properties {
		properties[i].value = s.value(p.name, p.value.(object), nullable)
	}
	return append(object{{"type", "object"}}, o...)
}

// value is part of what stands in a strategy under a name.
func (s *schemas) value(name string, o object, nullable map[string]bool) object {
	if to, ok := o.get("$ref").(string); ok {
		part := strings.TrimPrefix(to, "#/$defs/")
		if o = ref("schemas", strategyDefs[part]); nullable[part] {
			return orNull(o)
		}
		return o
	}
	if items, ok := o.get("items").(object); ok {
		o.put("items", s.value(name, items, nullable))
	}
	types, isNullable := o.get("type").([]any)
	kind := o.get("type")
	if isNullable {
		kind = types[0]
	}
	switch {
	case kind == "number":
		o.put("format", "double")
	case kind == "object" && isNullable:
		component := strings.ToUpper(name[:1]) + name[1:]
		s.all.put(component, s.part(o.without("type"), nullable))
		return orNull(ref("schemas", component))
	case kind == "object":
		return s.part(o.without("type"), nullable)
	}
	return o
}

// without returns the object without some members.
func (o object) without(names ...string) object {
	return slices.DeleteFunc(slices.Clone(o), func(m member) bool { return slices.Contains(names, m.name) })
}

// ordered reads a JSON value, whose objects keep their order.
func ordered(d *json.Decoder) any {
	token := must(d.Token())
	switch token {
	case json.Delim('{'):
		o := object{}
		for d.More() {
			name := must(d.Token()).(string)
			o = append(o, member{name, ordered(d)})
		}
		must(d.Token())
		return o
	case json.Delim('['):
		list := []any{}
		for d.More() {
			list = append(list, ordered(d))
		}
		must(d.Token())
		return list
	}
	return token
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// bodies are the bodies of requests: their component and their examples.
var bodies = map[string]struct {
	component string
	examples  object
}{
	"backtest": {"BacktestRequest", object{
		{"prompt", object{{"value", object{{"prompt", "Buy BTC 5m Up when price is below 0.4, take profit at 0.6"}, {"sampleSize", 5}, {"budget", 100}}}}},
		{"strategy", object{{"value", object{
			{"strategy", object{
				{"market", object{{"coin", "BTC"}, {"market_type", "5m"}}}, {"side", "up"},
				{"entry", []object{{{"type", "price"}, {"token", "up"}, {"comparator", "lt"}, {"threshold", 0.4}, {"within_seconds", nil}}}},
				{"exit", object{{"take_profit", 0.6}, {"stop_loss", nil}, {"hold_to_expiry", true}}},
				{"budget_per_trade", 100}, {"sample_size", 5},
			}},
			{"options", object{{"latency_ms", 1000}, {"include", []string{"fills"}}}},
		}}}},
	}},
	"startRun": {"BacktestRequest", object{
		{"prompt", object{{"value", object{{"prompt", "Buy BTC 5m Up when price is below 0.4, take profit at 0.6"}, {"sampleSize", 5}}}}},
	}},
	"startSweep": {"SweepRequest", object{
		{"prompt", object{{"value", object{
			{"prompt", "Buy BTC 5m Up when price is below 0.4, take profit at 0.6"}, {"sampleSize", 5},
			{"vary", []any{"entry.0.threshold=0.35:0.4:0.05", object{{"field", "exit.take_profit"}, {"values", []any{0.55, 0.6}}}}},
		}}}},
	}},
	"parse": {"ParseRequest", object{
		{"prompt", object{{"value", object{{"prompt", "Buy BTC 5m Up when price is below 0.4, take profit at 0.6"}}}}},
	}},
}

// answers are the types of the 200s.
var answers = map[string]reflect.Type{
	"listSeries":            reflect.TypeFor[lists.Page[lists.Series]](),
	"listEvents":            reflect.TypeFor[lists.Page[lists.Event]](),
	"listMarkets":           reflect.TypeFor[lists.Page[lists.MarketItem]](),
	"getMarket":             reflect.TypeFor[lists.Market](),
	"getGaps":               reflect.TypeFor[lists.GapList](),
	"listTags":              reflect.TypeFor[tagList](),
	"getArchive":            reflect.TypeFor[archiveAnswer](),
	"marketsHistoryPrices":  reflect.TypeFor[marketAnswer[pricePoint]](),
	"marketsHistoryBooks":   reflect.TypeFor[marketAnswer[bookPoint]](),
	"marketsHistoryMetrics": reflect.TypeFor[metricsAnswer](),
	"tokenHistoryPrices":    reflect.TypeFor[tokenAnswer[pricePoint]](),
	"tokenHistoryBooks":     reflect.TypeFor[tokenAnswer[bookPoint]](),
	"marketsHistoryQuotes":  reflect.TypeFor[marketAnswer[quotePoint]](),
	"tokenHistoryQuotes":    reflect.TypeFor[tokenAnswer[quotePoint]](),
	"usage":                 reflect.TypeFor[usageRecord](),
	"backtest":              reflect.TypeFor[backtestAnswer](),
	"parse":                 reflect.TypeFor[parseAnswer](),
	"conditions":            reflect.TypeFor[conditionList](),
	"calibration":           reflect.TypeFor[backtest.Calibration](),
	"tries":                 reflect.TypeFor[tries.Record](),
	"startRun":              reflect.TypeFor[runRecord](),
	"listRuns":              reflect.TypeFor[lists.Page[runRecord]](),
	"getRun":                reflect.TypeFor[runAnswer](),
	"forgetRun":             nil,
	"runEvents":             nil,
	"cancelRun":             reflect.TypeFor[runRecord](),
	"explainTrade":          reflect.TypeFor[backtest.Explanation](),
	"compareRuns":           reflect.TypeFor[words.Compared](),
	"shareRun":              reflect.TypeFor[shareRecord](),
	"unshareRun":            nil,
	"startSweep":            reflect.TypeFor[sweepRecord](),
	"listSweeps":            reflect.TypeFor[lists.Page[sweepRecord]](),
	"getSweep":              reflect.TypeFor[sweepRunAnswer](),
	"forgetSweep":           nil,
	"sweepEvents":           nil,
	"cancelSweep":           reflect.TypeFor[sweepRecord](),
	"retryRun":              reflect.TypeFor[runRecord](),
	"retrySweep":            reflect.TypeFor[sweepRecord](),
	"getShared":             reflect.TypeFor[sharedAnswer](),
	"getSharedTrade":        reflect.TypeFor[backtest.Explanation](),
	"getSharedBooks":        reflect.TypeFor[tokenAnswer[bookPoint]](),
	"health":                reflect.TypeFor[health](),
	"healthz":               reflect.TypeFor[health](),
	"readyz":                reflect.TypeFor[health](),
}

// statuses are those of success that are not 200.
var statuses = map[string]int{
	"startRun": http.StatusAccepted, "startSweep": http.StatusAccepted, "retryRun": http.StatusAccepted, "retrySweep": http.StatusAccepted, "forgetSweep": http.StatusNoContent, "shareRun": http.StatusCreated, "forgetRun": http.StatusNoContent, "unshareRun": http.StatusNoContent,
}

// Operation is what a test needs of an operation to ask for its example.
type Operation struct{ ID, Method, Path, Body string }

// Operations lists the operations of the document.
func Operations(s *Server) []Operation {
	var out []Operation
	for _, r := range s.routeTable() {
		o := Operation{ID: r.id, Method: r.method, Path: r.path}
		o.Path = strings.NewReplacer("{id_or_slug}", exampleSlug, "{token_id}", exampleToken).Replace(o.Path)
		if r.group == "History" {
			o.Path += "?start_ts=" + exampleStart + "&end_ts=" + exampleEnd + "&resolution=1m&limit=2"
		}
		if r.id == "calibration" {
			o.Path += "?coin=BTC&market_type=5m&bands=2&times=2"
		}
		if b, ok := bodies[r.id]; ok {
			o.Body = string(must(backtest.CompactJSON(b.examples[0].value.(object).get("value"))))
		}
		out = append(out, o)
	}
	return out
}

// BuildDocument makes the document; example returns an answer to each operation.
func BuildDocument(s *Server, example func(Operation) json.RawMessage) []byte {
	all := &schemas{}
	paths := object{}
	for i, r := range s.routeTable() {
		op := object{{"tags", []string{r.group}}, {"operationId", r.id}, {"summary", r.summary}, {"description", r.description}}
		switch r.entry {
		case anybody:
			op.put("security", []object{})
		case runners, readers:
			op.put("security", []object{{{"bearer", []string{}}}})
		}
		if len(r.params) > 0 {
			var refs []object
			for _, p := range r.params {
				refs = append(refs, ref("parameters", p.component))
			}
			op.put("parameters", refs)
		}
		if b, ok := bodies[r.id]; ok {
			all.named(b.component)
			op.put("requestBody", object{{"required", true}, {"content", object{{"application/json", object{
				{"schema", ref("schemas", b.component)}, {"examples", b.examples},
			}}}}})
		}
		op.put("responses", responsesOf(all, r, example(Operations(s)[i])))
		path, _ := paths.get(r.path).(object)
		path.put(strings.ToLower(r.method), op)
		paths.put(r.path, path)
	}
	for _, name := range []string{"Category", "Status", "Resolution", "Level", "Deflation", "Reader", "BacktestOptions", "SweepRequestOptions", "Moment", "SlippageLimit", "Vary", "VariedField", "VariedRange"} {
		all.named(name)
	}
	all.of(reflect.TypeFor[wire.Envelope]())
	all.of(reflect.TypeFor[wire.ValidationBody]())
	document := object{
		{"openapi", "3.1.0"},
		{"info", object{
			{"title", "Ladderback"}, {"version", "0.1.0"},
			{"summary", "Historical prediction-market data and backtests of up/down strategies."},
			{"description", "Read-only history of an exchange's crypto and sports prediction markets: discovery, prices, metrics and order books in uniform buckets, and backtests in plain English over the same archive. Times are UTC."},
			{"license", object{{"name", "Apache 2.0"}, {"identifier", "Apache-2.0"}}},
		}},
		{"servers", []object{{{"url", "/"}}}},
		{"security", []object{{{"apiKey", []string{}}}, {{"bearer", []string{}}}}},
		{"tags", []object{{{"name", "Discovery"}}, {{"name", "History"}}, {{"name", "Backtest"}}, {{"name", "Runs"}}, {{"name", "Access"}}, {{"name", "Operations"}}}},
		{"paths", paths},
		{"components", object{
			{"securitySchemes", object{
				{"apiKey", object{{"type", "apiKey"}, {"in", "header"}, {"name", "X-API-Key"}}},
				{"bearer", object{{"type", "http"}, {"scheme", "bearer"}, {"description", "An API key."}}},
			}},
			{"parameters", parameterComponents(s)},
			{"headers", headerComponents},
			{"responses", responseComponents()},
			{"schemas", all.all},
		}},
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(document); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// responsesOf returns the answers of an operation by status.
func responsesOf(all *schemas, r route, example json.RawMessage) object {
	headers := headersOf("X-Request-Id")
	if r.entry != anybody {
		headers = headersOf("X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")
	}
	if len(r.params) > 0 {
		headers.put(wire.IgnoredHeader, ref("headers", "Ignored"))
	}
	content := object{}
	if answer := answers[r.id]; answer != nil {
		content.put("application/json", object{{"schema", all.of(answer)}, {"example", example}})
	}
	if r.id == "runEvents" || r.id == "sweepEvents" {
		content.put("text/event-stream", object{{"example", "id: done\nevent: state\ndata: {\"id\":\"run_3fq5z6y7k2m4n6p2r2t4v6x2za\",\"state\":\"done\"}\n\n"}, {"schema", object{{"description",
			"`state` ({id, state}), `progress` ({phase, done, total}), then `result` ({location}, or the body with `result=body`), or `error` with the envelope. A comment at least every 15 s."}}}})
	}
	isHistory := r.group == "History"
	if isHistory {
		headers.put("ETag", ref("headers", "ETag"))
		headers.put("Cache-Control", ref("headers", "CacheControl"))
		rows := "One row a line. Prices: t, token_id, label, p; metrics: t, liquidity, spread, volume; books: t, token_id, label, side, level, price, size."
		content.put("application/x-ndjson", object{{"schema", object{{"type", "string"}, {"description", rows}}}})
		content.put("text/csv", object{{"schema", object{{"type", "string"}, {"description", "The same rows with a header line."}}}})
		content.put("application/vnd.apache.parquet", object{{"schema", object{{"type", "string"}, {"description", "The same rows."}, {"contentMediaType", "application/vnd.apache.parquet"}}}})
	}
	if r.id == "backtest" {
		content.put("text/event-stream", object{{"schema", object{{"type", "string"}, {"description",
			"With `Accept: text/event-stream`: `progress` events ({done, total}), then `result` with the body, or `error` with the envelope."}}}})
	}
	if r.id == "getRun" {
		content.put("text/html", object{{"schema", object{{"type", "string"}, {"description",
			"With `Accept: text/html`, of a run that is done: one page that needs nothing else."}}}})
	}
	ok := object{{"description", "OK"}, {"headers", headers}}
	if len(content) > 0 {
		ok.put("content", content)
	}
	if r.id == "startRun" || r.id == "startSweep" || strings.HasPrefix(r.id, "retry") {
		headers.put("Location", ref("headers", "Location"))
	}
	if r.id == "listMarkets" {
		ok.put("links", object{{"market", object{{"operationId", "getMarket"}, {"parameters", object{{"path.id_or_slug", "$response.body#/data/0/id"}}}}}})
	}
	if r.id == "getMarket" {
		links := object{}
		for _, to := range [][4]string{
			{"prices", "marketsHistoryPrices", "id_or_slug", "id"}, {"books", "marketsHistoryBooks", "id_or_slug", "id"},
			{"metrics", "marketsHistoryMetrics", "id_or_slug", "id"},
			{"tokenPrices", "tokenHistoryPrices", "token_id", "tokens/0/id"}, {"tokenBooks", "tokenHistoryBooks", "token_id", "tokens/0/id"},
			{"quotes", "marketsHistoryQuotes", "id_or_slug", "id"}, {"tokenQuotes", "tokenHistoryQuotes", "token_id", "tokens/0/id"},
		} {
			links.put(to[0], object{{"operationId", to[1]}, {"parameters", object{
				{"path." + to[2], "$response.body#/" + to[3]}, {"query.start_ts", "$response.body#/start_date"}, {"query.end_ts", "$response.body#/end_date"},
			}}})
		}
		ok.put("links", links)
	}
	status := cmp.Or(statuses[r.id], http.StatusOK)
	out := object{{strconv.Itoa(status), ok}}
	if r.id == "startRun" || r.id == "startSweep" {
		// A range: generators take the least status for the only answer, which is to be the run.
		out.put("2XX", object{{"description", "200, with `dry_run=true`"}, {"headers", headersOf("X-Request-Id")}, {"content", object{{"application/json", object{
			{"schema", all.of(reflect.TypeFor[estimateRecord]())}, {"example", object{{"markets", 5}, {"replays", 10}, {"blocks", 10}, {"seconds", 0.004}}},
		}}}}})
	}
	if isHistory {
		out.put("304", object{{"description", "Not modified (`If-None-Match`)"}, {"headers", headers}})
	}
	keyed, run, body := r.entry != anybody, r.entry == runners, r.method == http.MethodPost && bodies[r.id].component != ""
	conflicts := strings.HasPrefix(r.id, "retry") || r.id == "startRun" || r.id == "startSweep" || r.id == "shareRun" || r.id == "explainTrade" || r.id == "getSharedTrade" || r.id == "compareRuns"
	for _, one := range []struct {
		status int
		name   string
		is     bool
	}{
		{http.StatusBadRequest, "BadRequest", len(r.params) > 0 && r.id != "getMarket" && r.id != "getGaps" && r.id != "listTags" && r.id != "getArchive"},
		{http.StatusBadRequest, "Refused", body},
		{http.StatusUnauthorized, "Unauthorized", keyed},
		{http.StatusForbidden, "Forbidden", keyed && !run && r.entry != readers || r.id == "getSharedBooks"},
		{http.StatusForbidden, "PlanRequired", run},
		{http.StatusNotFound, "NotFound", strings.Contains(r.path, "{")},
		{http.StatusMethodNotAllowed, "MethodNotAllowed", true},
		{http.StatusConflict, "Conflict", conflicts},
		{http.StatusRequestEntityTooLarge, "TooLarge", body},
		{http.StatusUnprocessableEntity, "Invalid", len(r.params) > 0 || body},
		{http.StatusTooManyRequests, "RateLimited", r.entry == holders || r.entry == readers || run},
		{http.StatusInternalServerError, "Internal", true},
		{http.StatusServiceUnavailable, "Unavailable", true},
	} {
		if one.is {
			out.put(strconv.Itoa(one.status), ref("responses", one.name))
		}
	}
	return out
}

// headersOf refers to headers by name.
func headersOf(list ...string) object {
	component := map[string]string{
		"X-Request-Id": "RequestId", "X-RateLimit-Limit": "RateLimit", "X-RateLimit-Remaining": "RateLimitRemaining", "X-RateLimit-Reset": "RateLimitReset",
		"Retry-After": "RetryAfter", "Allow": "Allow",
	}
	out := object{}
	for _, name := range list {
		out.put(name, ref("headers", component[name]))
	}
	return out
}

// parameterComponents returns the parameters that routes have.
func parameterComponents(s *Server) object {
	out := object{}
	for _, r := range s.routeTable() {
		for _, p := range r.params {
			about, ok := parameterWords[p.component]
			if !ok {
				panic("api: nothing is said of parameter " + p.component)
			}
			in := "query"
			switch {
			case strings.Contains(r.path, "{"+p.name+"}"):
				in = "path"
			case strings.Contains(p.name, "-"):
				in = "header"
			}
			out.put(p.component, append(object{{"name", p.name}, {"in", in}}, about...))
		}
	}
	return out
}

func resolutionWords() []string {
	all := history.Resolutions()
	out := make([]string, len(all))
	for i := range all {
		out[i] = all[i].Name
	}
	return out
}
