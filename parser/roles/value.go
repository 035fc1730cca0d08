package roles

import (
	"strings"

	"github.com/ladderback/ladderback/parser/lexicon"
	"github.com/ladderback/ladderback/strategy"
)

// value is a number in the words of its role.
func (d *draft) value(k int, role string) (string, bool) {
	kind, _, _ := strings.Cut(role, ".")
	for _, r := range d.t.numbers[k].Readings {
		class, v := r.Class, r.Value
		n, ok := "", false
		switch {
		case times[kind]:
			n, ok = d.seconds(k, class, &v)
		case kind == "sample":
			n, ok = number(v.N), class == "INT"
		case dollars[kind]:
			bare := class == "INT" && kind != "budget" && v.N < leastDepth // "depth / depth > 3"
			n, ok = "$"+number(v.N), !bare && payable[class]
		default:
			n, ok = priced(kind, class, &v)
		}
		if ok {
			return n, true
		}
	}
	return "", false
}

// amount is a number as a shape has it in the clause of its role, without its unit.
func (d *draft) amount(k int, role string) (string, bool) {
	as := ""
	switch {
	case strings.Contains(role, "$#"):
		as = "budget"
	case strings.Contains(role, "#c"):
		as = "price"
	case strings.Contains(role, "# seconds"):
		as = "max_hold_seconds"
	default:
		of := bareKind(role)
		for _, r := range d.t.numbers[k].Readings {
			for _, a := range amounts(r.Class, &r.Value, 0) {
				if a.kind == of {
					return number(a.n), true
				}
			}
		}
		return "", false
	}
	n, ok := d.value(k, as)
	return strings.TrimSuffix(strings.Trim(n, "$c"), " seconds"), ok
}

// payable are the classes of numbers that may be dollars.
var payable = map[string]bool{"USD": true, "INT": true, "REAL": true, "DEC": true, "USDC": true}

// priced is a number as a price in cents, or as an imbalance.
func priced(kind, class string, v *lexicon.Value) (string, bool) {
	n, ok := v.N, true
	switch class {
	case "CENT", "DEC", "USDC", "PLUSNUM", "MINUSNUM":
	case "INT":
		n, ok = v.N/100, v.N > lexicon.Micro && v.N < 100*lexicon.Micro
	case "FRAC":
		n = int64(v.Num) * lexicon.Micro / int64(max(v.Den, 1))
	default:
		return "", false
	}
	if kind == "imbalance" {
		return number(n), ok
	}
	return number(n*100) + "c", ok
}

// seconds is a number as a time.
func (d *draft) seconds(k int, class string, v *lexicon.Value) (string, bool) {
	switch class {
	case "DUR", "LEN", "CLEN":
		return number(v.N) + " seconds", true
	case "FRAC":
		return number(d.length*int64(v.Num)/int64(max(v.Den, 1))) + " seconds", d.length > 0
	case "INT", "ORD":
		if c := d.t.conds[k]; c != nil && c.IsTime() {
			return number(c.Num) + " seconds", c.Num > 0
		}
		return number(v.N*d.unit(k)) + " seconds", true
	}
	return "", false
}

// unit is the seconds of what a bare number counts: by the word beside it, the next number's, else
// seconds.
func (d *draft) unit(k int) int64 {
	n := d.t.numbers[k]
	for _, i := range [...]int32{n.From - 1, n.To} {
		switch w := d.t.word(int(i)); {
		case strings.HasPrefix(w, "min") || w == "m":
			return 60
		case w == "h" || strings.HasPrefix(w, "hr") || strings.HasPrefix(w, "hour"):
			return 3600
		}
	}
	if k+1 < len(d.t.numbers) && d.t.numbers[k+1].From-n.To <= 3 {
		for _, r := range d.t.numbers[k+1].Readings {
			if u := r.Value.Unit; u > 0 {
				return u
			}
		}
	}
	return 1
}

// number is a number in 1e-6 as it is written.
func number(n int64) string { return strategy.Number(n).String() }
