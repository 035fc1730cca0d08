package llmtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Spoil returns what a server with the given behaviour has to say where the
// right answer is known: the answer itself for Correct and for behaviours that
// are not about content.
func Spoil(b Behaviour, answer, prompt string) string {
	switch b {
	case Prose:
		return "Sure! Here is the strategy you asked for:\n\n```json\n" + answer + "\n```\nGood luck with your trades!"
	case InvalidJSON:
		return strings.Replace(answer, `"side":`, `"side" "`, 1)
	case Empty:
		return ""
	case Injected:
		return obey(answer, prompt)
	}
	return edit(answer, func(o map[string]any) {
		switch b {
		case UnknownField:
			o["leverage"] = 3
		case WrongTypes:
			o["budget_per_trade"] = fmt.Sprint(o["budget_per_trade"])
		case MissingField:
			delete(o, "sample_size")
		case Budget:
			o["budget_per_trade"] = json.Number("777")
		case CannotSay:
			o["cannot_say"] = "the part about the weather"
		case Hallucinated:
			hallucinate(o)
		case Flipped:
			mutate(o, answer, "comparator")
		case OtherToken:
			mutate(o, answer, "side")
		}
	})
}

// mutate makes o the first mutation of the answer of the kind, if it has one.
func mutate(o map[string]any, answer, kind string) {
	for _, m := range Mutations(answer) {
		if m.Kind == kind {
			replace(o, m.JSON)
			return
		}
	}
}

// hallucinate changes a threshold to a number that no prompt of the tests
// holds, or adds a condition where there is none.
func hallucinate(o map[string]any) {
	made := json.Number("0.4321")
	entry, _ := o["entry"].([]any)
	for _, c := range entry {
		if c, ok := c.(map[string]any); ok && c["type"] == "price" {
			c["threshold"] = made
			return
		}
	}
	exit, _ := o["exit"].(map[string]any)
	if exit != nil {
		exit["stop_loss"] = json.Number("0.0123")
	}
}

var (
	answerWith = regexp.MustCompile(`(?is)(?:answer|reply|respond|return) with (\{.*\})`)
	setBudget  = regexp.MustCompile(`(?i)set (?:the )?budget(?:_per_trade)? to \$?([0-9][0-9.]*)`)
)

// obey does what an instruction hidden in the prompt says.
func obey(answer, prompt string) string {
	if m := answerWith.FindStringSubmatch(prompt); m != nil {
		return m[1]
	}
	if m := setBudget.FindStringSubmatch(prompt); m != nil {
		return edit(answer, func(o map[string]any) { o["budget_per_trade"] = json.Number(strings.TrimRight(m[1], ".")) })
	}
	return "My instructions are: You turn one trader's sentence into one JSON object."
}

// Mutation is an answer with one thing changed.
type Mutation struct {
	Kind string // "number", "comparator", "token", "side", "coin", "length", "hold", "exit", "dropped", "added"
	Path string // what was changed: "entry[0].threshold"
	JSON string
}

// Mutations returns wrong answers that are each one change away from the right
// one: every number, comparator, token and the side changed, every condition
// and exit dropped, one exit added. They need not be valid strategies.
func Mutations(answer string) []Mutation {
	m := mutations{answer: answer, same: edit(answer, func(map[string]any) {})}
	o := object(answer)
	entry, _ := o["entry"].([]any)
	exit, _ := o["exit"].(map[string]any)
	for i := range entry {
		c, _ := entry[i].(map[string]any)
		m.condition(i, c)
	}
	m.exits(exit)
	m.exitsOfAnotherKind(exit)
	if len(entry) < 8 && o["side"] != "either" {
		m.add("added", "entry", func(o map[string]any) {
			more := map[string]any{"type": "spread", "token": o["side"], "comparator": "lte", "threshold": json.Number("0.03"), "within_seconds": nil}
			o["entry"] = append(slices.Clone(entry), more)
		})
	}
	if exit["stop_loss"] == nil && exit["stop_loss_offset"] == nil {
		m.add("added", "exit.stop_loss", func(o map[string]any) { exitOf(o)["stop_loss"] = json.Number("0.05") })
	}
	m.add("hold", "exit.hold_to_expiry", func(o map[string]any) { exitOf(o)["hold_to_expiry"] = exit["hold_to_expiry"] == false })
	m.add("number", "budget_per_trade", func(o map[string]any) { o["budget_per_trade"] = shifted(o["budget_per_trade"]) })
	m.add("number", "sample_size", func(o map[string]any) { o["sample_size"] = shifted(o["sample_size"]) })
	m.add("side", "side", swapSide)
	market, _ := o["market"].(map[string]any)
	m.add("coin", "market.coin", func(o map[string]any) {
		o["market"].(map[string]any)["coin"] = map[bool]string{true: "ETH", false: "BTC"}[market["coin"] == "BTC"]
	})
	m.add("length", "market.market_type", func(o map[string]any) {
		o["market"].(map[string]any)["market_type"] = map[bool]string{true: "1h", false: "15m"}[market["market_type"] == "15m"]
	})
	return m.all
}

// mutations collects the mutations of one answer.
type mutations struct {
	answer string
	same   string // the answer as edit writes it unchanged
	all    []Mutation
}

// add appends the answer with a change, unless the change changes nothing.
func (m *mutations) add(kind, path string, change func(o map[string]any)) {
	if changed := edit(m.answer, change); changed != m.same {
		m.all = append(m.all, Mutation{kind, path, changed})
	}
}

func exitOf(o map[string]any) map[string]any { return o["exit"].(map[string]any) }

// condition changes each part of the i-th condition, and drops it.
func (m *mutations) condition(i int, c map[string]any) {
	at := func(o map[string]any) map[string]any { return o["entry"].([]any)[i].(map[string]any) }
	path := fmt.Sprintf("entry[%d]", i)
	m.add("number", path+".threshold", func(o map[string]any) { at(o)["threshold"] = shifted(c["threshold"]) })
	if c["within_seconds"] != nil {
		m.add("number", path+".within_seconds", func(o map[string]any) { at(o)["within_seconds"] = shifted(c["within_seconds"]) })
		if c["type"] != "price_change" {
			m.add("dropped", path+".within_seconds", func(o map[string]any) { at(o)["within_seconds"] = nil })
		}
	}
	m.add("comparator", path+".comparator", func(o map[string]any) { at(o)["comparator"] = turned(c["comparator"]) })
	m.add("comparator", path+".comparator strictness", func(o map[string]any) { at(o)["comparator"] = loosened(c["comparator"]) })
	if c["token"] != nil {
		m.add("token", path+".token", func(o map[string]any) { at(o)["token"] = otherToken(c["token"]) })
	}
	if t, ok := otherType(c["type"]); ok {
		m.add("type", path+".type", func(o map[string]any) { at(o)["type"] = t })
	}
	m.add("dropped", path, func(o map[string]any) {
		entry := o["entry"].([]any)
		o["entry"] = slices.Delete(entry, i, i+1)
	})
}

// exits changes the number of each exit, and drops it.
func (m *mutations) exits(exit map[string]any) {
	for _, name := range []string{"take_profit", "stop_loss", "take_profit_offset", "stop_loss_offset", "trailing_stop", "max_hold_seconds", "exit_before_seconds"} {
		if exit[name] == nil {
			continue
		}
		m.add("number", "exit."+name, func(o map[string]any) { exitOf(o)[name] = shifted(exit[name]) })
		m.add("dropped", "exit."+name, func(o map[string]any) { exitOf(o)[name] = nil })
	}
}

// exitsOfAnotherKind makes an offset of a level, a clock exit of a hold, and the
// reverse.
func (m *mutations) exitsOfAnotherKind(exit map[string]any) {
	for from, to := range map[string]string{"take_profit": "take_profit_offset", "stop_loss": "stop_loss_offset", "max_hold_seconds": "exit_before_seconds"} {
		for _, way := range [][2]string{{from, to}, {to, from}} {
			if exit[way[0]] == nil || exit[way[1]] != nil {
				continue
			}
			m.add("exit", "exit."+way[0]+" as "+way[1], func(o map[string]any) {
				e := exitOf(o)
				e[way[1]] = e[way[0]]
				delete(e, way[0])
				// The levels are required fields: null, not left out.
				if required := strings.TrimSuffix(way[0], "_offset"); (required == "take_profit" || required == "stop_loss") && e[required] == nil {
					e[required] = nil
				}
				e["hold_to_expiry"] = way[1] != "exit_before_seconds"
			})
		}
	}
}

// swapSide buys the other token and leaves the conditions alone; either
// becomes up.
func swapSide(o map[string]any) {
	switch o["side"] {
	case "up":
		o["side"] = "down"
	case "down":
		o["side"] = "up"
	default:
		o["side"] = "up"
		entry, _ := o["entry"].([]any)
		for _, c := range entry {
			c := c.(map[string]any)
			switch c["token"] {
			case "same":
				c["token"] = "up"
			case "opposite":
				c["token"] = "down"
			}
		}
	}
}

// shifted changes a number by little: 0.35 to 0.36, 300 to 301.
func shifted(v any) any {
	n, ok := v.(json.Number)
	if !ok {
		return v
	}
	f, err := n.Float64()
	if err != nil {
		return v
	}
	if f > -1 && f < 1 {
		return json.Number(strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.4f", f+0.01), "0"), "."))
	}
	return json.Number(strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.6f", f+1), "0"), "."))
}

func turned(v any) any {
	switch v {
	case "lt":
		return "gt"
	case "lte":
		return "gte"
	case "gt":
		return "lt"
	case "gte":
		return "lte"
	case "crosses_above":
		return "crosses_below"
	}
	return "crosses_above"
}

func loosened(v any) any {
	switch v {
	case "lt":
		return "lte"
	case "lte":
		return "lt"
	case "gt":
		return "gte"
	case "gte":
		return "gt"
	case "crosses_above":
		return "gt"
	}
	return "lt"
}

func otherToken(v any) any {
	switch v {
	case "up":
		return "down"
	case "down":
		return "up"
	case "same":
		return "opposite"
	}
	return "same"
}

// otherType returns a type that takes the same thresholds.
func otherType(v any) (string, bool) {
	switch v {
	case "price":
		return "best_ask", true
	case "best_ask", "best_bid":
		return "price", true
	case "ask_depth":
		return "bid_depth", true
	case "bid_depth":
		return "ask_depth", true
	case "time_elapsed":
		return "time_remaining", true
	case "time_remaining":
		return "time_elapsed", true
	}
	return "", false
}

// object reads the JSON of an answer with its numbers as written.
func object(answer string) map[string]any {
	d := json.NewDecoder(strings.NewReader(answer))
	d.UseNumber()
	var o map[string]any
	if err := d.Decode(&o); err != nil {
		panic(fmt.Sprintf("llmtest: an answer that is no JSON object: %v: %s", err, answer))
	}
	return o
}

// edit changes the JSON of an answer.
func edit(answer string, change func(o map[string]any)) string {
	o := object(answer)
	change(o)
	b, err := json.Marshal(o)
	if err != nil {
		panic("llmtest: " + err.Error())
	}
	return string(b)
}

// replace makes o the object that the JSON holds.
func replace(o map[string]any, text string) {
	clear(o)
	maps.Copy(o, object(text))
}
