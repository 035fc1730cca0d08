package orders

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/parser/lexicon"
	"github.com/ladderback/ladderback/strategy"
)

const (
	number = `(?:a|an|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand)`
	digits = `\d+(?:,\d{3})*(?:\.\d+)?k?`
	counts = number + `(?:(?:[ -]| and )` + number + `)*`
	amount = `(?:` + digits + `|` + counts + `)`
)

// slots are the kinds of values in patterns, by their names without a digit: what
// they look like, and as which class of the lexicon they count.
var slots = map[string]struct {
	exp     string
	classes []string
}{
	"p":      {`(?:\$?(?:0?\.\d+|0,\d+|0\.\d+)|` + amount + ` ?(?:cents?|c)\b|\d{1,2}|a (?:dime|quarter))`, []string{"CENT", "DEC", "USDC", "INT", "EDGE"}},
	"x":      {`(?:\$?0?\.\d+|` + amount + ` ?(?:cents?|c)\b|(?:a|half a|one) (?:penny|cent|nickel|dime)\b)`, []string{"CENT", "DEC", "USDC", "EDGE"}},
	"usd":    {`(?:\$` + digits + `|` + amount + ` ?(?:\$|dollars?|bucks?|usdc?))`, []string{"USD", "USDC"}},
	"dur":    {`(?:half an? (?:hour|minute)|(?:a|one|two|three) minutes? and a half|(?:one|two|three) and a half minutes|` + amount + `[ -]?(?:seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h))`, []string{"DUR", "LEN", "CLEN"}},
	"n":      {`(?:` + amount + `|once|twice)`, []string{"INT"}},
	"shares": {`(?:(?:a |two |three )?dozen|` + amount + `)`, []string{"INT", "REAL", "DEC"}},
	"frac":   {`(?:(?:a |one |two |three )?(?:half|thirds?|quarters?|fifths?|tenths?)|(?:a |one )?(?:twentieth|twenty-?fifth|thirtieth|two-hundredth|five-hundredth|thousandth|fortieth|fiftieth|hundredth)|\d/\d+)`, []string{"FRAC"}},
	"ratio":  {`(?:0?\.\d+|1)`, []string{"DEC", "INT"}},
}

// parts are the fractions that the lexicon does not know.
var parts = map[string]strategy.Number{"twentieth": strategy.Cents(5), "twenty-fifth": strategy.Cents(4), "twentyfifth": strategy.Cents(4), "fortieth": strategy.Cents(5) / 2, "fiftieth": strategy.Cents(2), "hundredth": strategy.Cents(1), "thousandth": strategy.Cents(1) / 10, "two-hundredth": strategy.Cents(1) / 2, "five-hundredth": strategy.Cents(1) / 5, "thirtieth": 33_300}

// times are counts in a word.
var times = map[string]string{"one": "1", "once": "1", "twice": "2"}

// kindOf is the kind of slot that a name stands for.
func kindOf(name string) string { return strings.TrimRight(name, "0123456789") }

// value returns what a slot says: dollars, seconds or a count, all in 1e-6.
func value(name, words string) (strategy.Number, bool) {
	kind := kindOf(name)
	if (kind == "n" || kind == "shares") && times[words] != "" {
		words = times[words]
	}
	if kind == "dur" && words == "a min" {
		words = "1 min"
	}
	if kind == "frac" {
		n, ok := fraction(&words)
		if n != 0 {
			return n, ok
		}
	}
	x := lexicon.Read(words)
	for l, e := range x.Within(0, int32(x.Tokens())) {
		if l.From != 0 || int(l.To) != x.Tokens() || !slices.Contains(slots[kind].classes, e.Class) {
			continue
		}
		n := strategy.Number(l.Value.N)
		switch {
		case e.Class == "FRAC": // to four decimals, as prices have
			n = strategy.Number(int64(l.Value.Num)*10_000/int64(l.Value.Den)) * 100
		case isBare(name, words): // cents
			if n /= 100; n < strategy.Cents(2) {
				return 0, false
			}
		}
		return n, n > 0
	}
	return 0, false
}

// fraction returns a part that the lexicon does not know, 0 for none, and gives one without
// its article the one that it knows it with: "third part".
func fraction(words *string) (n strategy.Number, ok bool) {
	last := (*words)[strings.LastIndexByte(*words, ' ')+1:]
	if n, ok = parts[last]; ok {
		return n, true
	}
	var of, all int64
	if n, _ := fmt.Sscanf(*words, "%d/%d", &of, &all); n == 2 {
		return strategy.Number(of * 10_000 / max(all, 1) * 100), of > 0 && of < all && of*10_000 >= all
	}
	if *words == last && last != "half" {
		*words = "a " + last
	}
	return 0, false
}

// isBare reports whether a price is a number of cents without its unit.
func isBare(name, words string) bool {
	return kindOf(name) == "p" && strings.Trim(words, "0123456789") == ""
}

// valued reports whether every value of a phrase is one.
func (f *Found) valued(m *match) bool {
	for name, words := range m.said {
		kind := kindOf(name)
		if _, is := slots[kind]; !is {
			continue
		}
		ok, known := f.values[[2]string{kind, words}]
		if !known {
			_, ok = value(name, words)
			f.values[[2]string{kind, words}] = ok
		}
		if !ok {
			return false
		}
	}
	return true
}

// number returns the value of a slot of a phrase, 0 where it is not said.
func (m *match) number(name string) strategy.Number {
	if m.said[name] == "" {
		return 0
	}
	n, _ := value(name, m.said[name])
	return n
}

// count is the value of a slot in whole units; where it is none, something is asked.
func (b *builder) count(m *match, name, ask string) int {
	n, ok := m.number(name).Whole()
	if !ok {
		b.fail("%s", ask)
	}
	return n
}
