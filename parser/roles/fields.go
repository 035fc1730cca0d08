package roles

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
	"github.com/ladderback/ladderback/parser/meaning"
	"github.com/ladderback/ladderback/strategy"
)

// A kind is what a number is a number of.
type kind byte

const (
	priceKind  kind = 'p'
	timeKind   kind = 't' // in seconds
	dollarKind kind = 'u'
	countKind  kind = 'n'
	partKind   kind = 'f' // of something, at most 1
)

// Field is a number of a strategy as a prompt may have it: its role, and how much it is.
type Field struct {
	Role string

	kind      kind
	n         int64 // in 1e-6 of what its kind is
	isDefault bool  // it need not be said

	from, to int    // where it stands in what the summary says of orders
	mask     string // what stands there in a shape
}

// Fields lists the numbers of a strategy: of its entry, its exits, its amounts, then of its orders.
func Fields(c *strategy.Canonical) (out []Field) {
	put := func(role string, of kind, n int64) {
		out = append(out, Field{Role: role, kind: of, n: n})
	}
	for _, cond := range conditions(c) {
		out = append(out, fieldOf(&cond))
		switch {
		case cond.WithinSeconds == 0:
		case cond.Type == strategy.PriceChange:
			put(lookBack, timeKind, int64(strategy.Int(cond.WithinSeconds)))
		default:
			put("within", timeKind, int64(strategy.Int(cond.WithinSeconds)))
		}
	}
	e := c.Exit()
	for _, x := range [...]struct {
		role string
		n    *strategy.Number
	}{{"take_profit", e.TakeProfit}, {"stop_loss", e.StopLoss}, {"take_profit_offset", e.TakeProfitOffset}, {"stop_loss_offset", e.StopLossOffset}, {"trailing_stop", e.TrailingStop}} {
		if x.n != nil {
			put(x.role, priceKind, int64(*x.n))
		}
	}
	if e.MaxHoldSeconds > 0 {
		put("max_hold_seconds", timeKind, int64(strategy.Int(e.MaxHoldSeconds)))
	}
	if e.ExitBeforeSeconds > 0 {
		put("exit_before_seconds", timeKind, int64(strategy.Int(e.ExitBeforeSeconds)))
	}
	put("budget", dollarKind, int64(c.BudgetPerTrade()))
	put("sample", countKind, int64(strategy.Int(c.SampleSize())))
	out[len(out)-2].isDefault = c.BudgetPerTrade() == strategy.Int(meaning.DefaultBudget)
	out[len(out)-1].isDefault = c.SampleSize() == meaning.DefaultSample
	return append(out, ofOrders(c)...)
}

// conditions are all of an entry.
func conditions(c *strategy.Canonical) []strategy.Condition {
	return slices.Concat(c.Entry(), slices.Concat(c.EntryAny()...))
}

// fieldOf is the threshold of a condition, a change without its sign.
func fieldOf(c *strategy.Condition) Field {
	return Field{Role: string(c.Type) + "." + string(c.Comparator), kind: kindOf(c.Type), n: max(int64(c.Threshold), -int64(c.Threshold))}
}

func kindOf(t strategy.Type) kind {
	switch t {
	case strategy.TimeElapsed, strategy.TimeRemaining, strategy.SinceEntry:
		return timeKind
	case strategy.AskDepth, strategy.BidDepth:
		return dollarKind
	}
	return priceKind
}

var (
	sampled  = regexp.MustCompile(`Sample of \d+ markets?\.`)
	numbered = regexp.MustCompile(`Order \d+:`)
	figures  = regexp.MustCompile(`\$?\d+(?:\.\d+)?(?:c\b| (?:second|minute|hour)s?(?: \d+ (?:second|minute)s?)*)?`)
	units    = regexp.MustCompile(`(\d+(?:\.\d+)?) (second|minute|hour)`)
)

// ordersIn is what a strategy's summary says of orders.
func ordersIn(c *strategy.Canonical) string {
	summary := c.Summary()
	text := numbered.ReplaceAllString(strings.TrimSpace(summary[sampled.FindStringIndex(summary)[1]:]), "Order:")
	return strings.NewReplacer(" has passed", " have passed", " is left", " are left").Replace(text)
}

func ofOrders(c *strategy.Canonical) (out []Field) {
	text := ordersIn(c)
	slots := Slots(figures.ReplaceAllStringFunc(text, mask))
	for i, at := range figures.FindAllStringIndex(text, -1) {
		n := text[at[0]:at[1]]
		f := Field{Role: slots[i], from: at[0], to: at[1], mask: mask(n)}
		f.n = millionths(strings.Trim(n, "$c"))
		switch f.mask {
		case "$#":
			f.kind = dollarKind
		case "#c":
			f.kind = priceKind
			f.n /= 100
		case "# seconds":
			f.kind, f.n = timeKind, 0
			for _, u := range units.FindAllStringSubmatch(n, -1) {
				f.n += millionths(u[1]) * map[string]int64{"second": 1, "minute": 60, "hour": 3600}[u[2]]
			}
		default:
			f.kind = bareKind(f.Role)
		}
		out = append(out, f)
	}
	return out
}

// bareKind is what a number of orders without a unit is of.
func bareKind(role string) kind {
	if strings.Contains(role, "fraction") {
		return partKind
	}
	return countKind
}

func mask(n string) string {
	switch {
	case strings.HasPrefix(n, "$"):
		return "$#"
	case strings.HasSuffix(n, "c"):
		return "#c"
	case strings.Contains(n, " "):
		return "# seconds"
	}
	return "#"
}

func millionths(digits string) int64 {
	n, _ := strconv.ParseFloat(digits, 64) // digits, as matched; all else is 0
	return int64(math.Round(n * lexicon.Micro))
}

// Of reports whether a number of a prompt on markets of a length, in seconds, may be that of the field.
func (f *Field) Of(n *Number, length market.Span) bool {
	return slices.ContainsFunc(n.Readings, func(r Reading) bool {
		return slices.Contains(amounts(r.Class, &r.Value, int64(length)), amount{f.kind, f.n})
	})
}

// amount is what a number may say: of what, and how much of it in 1e-6.
type amount struct {
	kind kind
	n    int64
}

func amounts(class string, v *lexicon.Value, length int64) []amount {
	n := v.N
	switch class {
	case "CENT":
		return []amount{{priceKind, n}, {partKind, n}}
	case "PLUSNUM", "MINUSNUM", "EDGE", "MINUSEDGE":
		return []amount{{priceKind, n}}
	case "USD":
		return []amount{{dollarKind, n}, {priceKind, n}}
	case "DEC", "USDC":
		return []amount{{priceKind, n}, {dollarKind, n}, {partKind, n}}
	case "REAL":
		return []amount{{priceKind, n / 100}, {dollarKind, n}}
	case "SHARES":
		return []amount{{countKind, n}}
	case "PCT":
		return []amount{{partKind, n / 100}}
	case "INT", "ORD", "TIMES":
		all := []amount{{countKind, n}, {dollarKind, n}, {priceKind, n / 100}, {timeKind, n}, {timeKind, 60 * n}, {timeKind, 3600 * n}}
		if class == "ORD" && n > 0 {
			all = append(all, amount{partKind, lexicon.Micro * lexicon.Micro / n})
		}
		return all
	case "DUR", "LEN", "CLEN":
		return []amount{{timeKind, n}}
	case "FRAC":
		num, den := int64(v.Num), int64(max(v.Den, 1))
		return []amount{{priceKind, num * lexicon.Micro / den}, {timeKind, length * num / den}, {partKind, num * lexicon.Micro / den / 100 * 100}}
	}
	return nil
}

// Shape is the shape of a strategy whose fields the numbers of a prompt are, by their roles; "" where the prompt
// has more numbers of orders than it, or not a price, an amount or a time of it.
func Shape(c *strategy.Canonical, fields []Field, told []string) string {
	switch {
	case len(c.EntryAny()) > 0:
		return AnyOf
	case !c.Extended():
		return Plain
	}
	text, left := ordersIn(c), map[string]int{}
	for _, role := range told {
		left[role]++
	}
	shape, last := "", 0
	before := map[string]int64{"$#": int64(c.BudgetPerTrade())}
	for i := range fields {
		f := &fields[i]
		if !ofOrder(f.Role) {
			continue
		}
		as, isCopied := text[f.from:f.to], f.mask != "#"
		switch {
		case left[f.Role] > 0:
			left[f.Role]--
			as = f.mask
		case isCopied && before[f.mask] == f.n:
			as = strings.Replace(f.mask, "#", "=", 1)
		case isCopied:
			return ""
		}
		before[f.mask] = f.n
		shape += text[last:f.from] + as
		last = f.to
	}
	for role, n := range left {
		if n > 0 && ofOrder(role) {
			return ""
		}
	}
	if shape += text[last:]; shape == "" {
		return Plain // but for a target that rests
	}
	return strings.ReplaceAll(shape, postOnly, "")
}

// Answers are what a strategy of a shape answers to what is asked of a whole prompt; "" where it is no answer.
func Answers(p *grammar.Parse, c *strategy.Canonical, shape string) (out [Asked]string) {
	yesNo := map[bool]string{true: Yes, false: No}
	if out[OfSide] = named(p, c.Side() == strategy.Up); c.Side() == strategy.Either {
		out[OfSide] = Either
	}
	out[OfHold] = yesNo[c.Exit().HoldToExpiry]
	out[OfLimit] = yesNo[c.Exit().RestTakeProfit]
	if places.MatchString(shape) {
		out[OfPost] = yesNo[strings.Contains(c.Summary(), postOnly)]
	}
	return out
}

// named is how a side is told: by which of the tokens that the prompt names it is; "" where it names none.
func named(p *grammar.Parse, up bool) string {
	switch first := newText(p).first(); {
	case first == 0:
		return ""
	case first == grammar.SideUp == up:
		return First
	}
	return Second
}
