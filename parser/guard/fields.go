package guard

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/parser/lexicon"
	"github.com/ladderback/ladderback/strategy"
)

// field is a number of an answer on its way to the prompt.
type field struct {
	path  string
	want  strategy.Number
	kind  kind
	cond  *strategy.Condition // of a condition's numbers
	borne bool                // words that were read say it
	said  bool                // an item that the answer agrees with says it
	at    [][2]int32          // the tokens that say it
}

// isFirst reports whether seconds are counted from the start, up to them.
func (f *field) isFirst() bool {
	return f.cond == nil || !f.cond.Type.IsTime() || f.cond.Type == strategy.TimeElapsed && f.cond.Comparator == strategy.LTE
}

type kind uint8

const (
	ofPrice kind = iota
	ofChange
	ofDollars // depths
	ofRatio
	ofSeconds
	ofBudget
	ofSample
	ofCount // shares, or how often
	ofPart  // a fraction
)

// fieldsOf lists the numbers of a strategy that must come from the prompt, in the order of
// the object.
func fieldsOf(s *strategy.Strategy) []field {
	var out []field
	walk("", reflect.ValueOf(s).Elem(), nil, &out)
	return out
}

// walk lists the numbers of a value at a path, and of a condition that it is of.
func walk(path string, v reflect.Value, cond *strategy.Condition, out *[]field) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			walk(path, v.Elem(), cond, out)
		}
	case reflect.Slice:
		for i := range v.Len() {
			walk(fmt.Sprintf("%s[%d]", path, i), v.Index(i), cond, out)
		}
	case reflect.Struct:
		cond, _ = v.Addr().Interface().(*strategy.Condition)
		for i := range v.NumField() {
			name := strings.ToLower(humps.ReplaceAllString(v.Type().Field(i).Name, "${1}_${2}"))
			walk(joinPath(path, name), v.Field(i), cond, out)
		}
	case reflect.Int, reflect.Int64:
		name := path[strings.LastIndexByte(path, '.')+1:]
		f := field{path: path, want: strategy.Number(v.Int()), kind: kinds[name], cond: cond}
		if v.Kind() == reflect.Int {
			f.want = strategy.Int(int(v.Int()))
		}
		switch once := name == "times" || f.kind == ofPart; {
		case name == "threshold":
			f.kind = kindOf(cond.Type)
		case f.want == 0, once && f.want == strategy.Int(1):
			return
		case strings.HasSuffix(name, "_seconds"):
			f.kind = ofSeconds
		}
		*out = append(*out, f)
	}
}

// humps are where the words of a Go name meet.
var humps = regexp.MustCompile(`([a-z])([A-Z])`)

// kinds are those of fields, by name, that are neither prices nor seconds.
var kinds = map[string]kind{
	"budget_per_trade": ofBudget, "usd": ofBudget, "start": ofBudget, "daily_loss": ofBudget, "max_open": ofBudget, "sample_size": ofSample,
	"shares": ofCount, "times": ofCount, "max_entries": ofCount, "max_losing_streak": ofCount, "fraction": ofPart, "bankroll_fraction": ofPart,
}

func kindOf(t strategy.Type) kind {
	switch t {
	case strategy.AskDepth, strategy.BidDepth:
		return ofDollars
	case strategy.Imbalance:
		return ofRatio
	case strategy.PriceChange:
		return ofChange
	case strategy.TimeElapsed, strategy.TimeRemaining, strategy.SinceEntry:
		return ofSeconds
	}
	return ofPrice
}

// isDefault reports whether a field has the value of a prompt that names none.
func (f *field) isDefault() bool {
	switch f.kind {
	case ofBudget:
		return f.path == "budget_per_trade" && f.want == strategy.Int(100)
	case ofSample:
		return f.want == strategy.Int(50)
	}
	return false
}

// gives reports whether a number, by the reading rules, may be the value of a
// field.
func (g *guard) gives(n *lexicon.Number, f *field) bool {
	entries := lexicon.Entries()
	return slices.ContainsFunc(n.Lexemes, func(i int32) bool {
		l := &g.p.Lexemes[i]
		gives := byClass[entries[l.Entry].Class]
		return gives != nil && gives(g, &l.Value, f)
	})
}

// byClass says for each class of numbers when one may be the value of a field.
var byClass = map[string]func(*guard, *lexicon.Value, *field) bool{
	"CENT": isCents, "USDC": isCents, "PLUSNUM": isCents, "MINUSNUM": isCents,
	"DUR": (*guard).isLasting, "LEN": (*guard).isLasting, "CLEN": (*guard).isLasting,
	"INT": (*guard).bare, "REAL": (*guard).bare,
	"FRAC": (*guard).fraction,
	"DEC": func(_ *guard, v *lexicon.Value, f *field) bool {
		return f.kind <= ofRatio && f.kind != ofDollars && v.N == abs(int64(f.want))
	},
	"USD": func(_ *guard, v *lexicon.Value, f *field) bool {
		return (f.kind == ofDollars || f.kind == ofBudget) && v.N == int64(f.want)
	},
	"TIMES": func(_ *guard, v *lexicon.Value, f *field) bool {
		return f.kind == ofRatio && ratio(v.N) == int64(f.want)
	},
	"DECADE": func(_ *guard, v *lexicon.Value, f *field) bool {
		return f.kind == ofPrice && inDecade(v, int64(f.want))
	},
	"ORD": func(_ *guard, v *lexicon.Value, f *field) bool {
		return f.kind == ofSeconds && (int64(f.want) == v.N*60 || int64(f.want) == (v.N-micro)*60)
	},
}

func isCents(_ *guard, v *lexicon.Value, f *field) bool {
	return (f.kind == ofPrice || f.kind == ofChange) && v.N == abs(int64(f.want))
}

func (g *guard) isLasting(v *lexicon.Value, f *field) bool {
	return f.kind == ofSeconds && g.isTime(v.N, f)
}

// isTime reports whether a time in the market may be the value of a field: an
// exit at a time stands in the object as the time before the end.
func (g *guard) isTime(v int64, f *field) bool {
	length, _ := strategy.Length(g.s.Market.Type)
	return v == int64(f.want) || f.path == "exit.exit_before_seconds" && int64(length)-v == int64(f.want)
}

// bare is a number without a unit.
func (g *guard) bare(v *lexicon.Value, f *field) bool {
	want := int64(f.want)
	switch f.kind {
	case ofPrice, ofChange:
		return v.N == abs(want)*100
	case ofRatio:
		return ratio(v.N) == want
	case ofSeconds:
		return g.isTime(v.N, f) || g.isTime(v.N*60, f) || g.isTime(v.N*3600, f)
	}
	return v.N == want
}

// fraction is a part of a dollar, or of the round.
func (g *guard) fraction(v *lexicon.Value, f *field) bool {
	if f.kind == ofSeconds {
		length, _ := strategy.Length(g.s.Market.Type)
		return g.isTime(int64(length)*int64(v.Num)/int64(v.Den), f)
	}
	return f.kind == ofPrice && micro*int64(v.Num)/int64(v.Den) == int64(f.want)
}

// ratio is the imbalance of bids that are n times the asks, to four decimals.
func ratio(n int64) int64 {
	const place = micro / 10_000
	return (micro*n/(micro+n) + place/2) / place * place
}

func inDecade(v *lexicon.Value, want int64) bool {
	cents := want / 10_000
	return want%10_000 == 0 && cents >= int64(v.Num) && cents <= int64(v.Num)+9
}

func abs(n int64) int64 { return max(n, -n) }
