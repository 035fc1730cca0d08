package main

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/ladderback/ladderback/internal/labelled"
	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
	"github.com/ladderback/ladderback/parser/roles"
	"github.com/ladderback/ladderback/strategy"
)

// orderField is a number of what a summary says of orders.
type orderField struct {
	field
	from, to int // where it stands in the shape's text, masked
	text     string
}

var (
	sampled  = regexp.MustCompile(`Sample of \d+ markets?\.`)
	numbered = regexp.MustCompile(`Order \d+:`)
	amounts  = regexp.MustCompile(`\$?\d+(?:\.\d+)?(?:c\b| (?:second|minute|hour)s?(?: \d+ (?:second|minute)s?)*)?`)
	units    = regexp.MustCompile(`(\d+(?:\.\d+)?) (second|minute|hour)`)
)

// ordersIn is the part of a summary that says something of orders.
func ordersIn(summary string) string {
	at := sampled.FindStringIndex(summary)
	text := numbered.ReplaceAllString(strings.TrimSpace(summary[at[1]:]), "Order:")
	return strings.NewReplacer(" has passed", " have passed", " is left", " are left").Replace(text)
}

func orderFields(summary string) (out []orderField) {
	text := ordersIn(summary)
	masked := amounts.ReplaceAllStringFunc(text, mask)
	slots := roles.Slots(masked)
	for i, at := range amounts.FindAllStringIndex(text, -1) {
		n := text[at[0]:at[1]]
		f := orderField{field: field{role: slots[i]}, from: at[0], to: at[1], text: mask(n)}
		digits := strings.Trim(n, "$c")
		switch f.text {
		case "$#":
			f.kind = 'u'
		case "#c":
			f.kind = 'p'
		case "# seconds":
			f.kind = 't'
			for _, u := range units.FindAllStringSubmatch(n, -1) {
				f.n += millionths(u[1]) * map[string]int64{"second": 1, "minute": 60, "hour": 3600}[u[2]]
			}
		default:
			f.kind = 'n'
			if strings.Contains(slots[i], "fraction") {
				f.kind = 'f'
			}
		}
		if f.kind != 't' {
			if f.n = millionths(digits); f.kind == 'p' {
				f.n /= 100
			}
		}
		out = append(out, f)
	}
	return out
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
	n, _ := strconv.ParseFloat(digits, 64) // digits, as matched
	return int64(math.Round(n * lexicon.Micro))
}

// shapeOf is the shape of a label; "" where it is not known.
func shapeOf(p *labelled.Prompt, labels [][]string, fields []orderField) string {
	switch {
	case len(p.Strategies) == 0:
		return roles.Refused
	case len(p.Strategies[0].EntryAny()) > 0:
		return roles.AnyOf
	case !p.Strategies[0].Extended():
		return roles.Plain
	}
	summary := p.Strategies[0].Summary()
	text := ordersIn(summary)
	left := map[string]int{}
	for _, names := range labels {
		if len(names) > 1 {
			for _, n := range names {
				if strings.Contains(n, "#") {
					return ""
				}
			}
		}
		left[names[0]]++
	}
	shape, last := "", 0
	for _, f := range fields {
		shape += text[last:f.from]
		if left[f.role] > 0 {
			left[f.role]--
			shape += f.text
		} else {
			shape += text[f.from:f.to]
		}
		last = f.to
	}
	for name, n := range left {
		if n > 0 && strings.Contains(name, "#") {
			return "" // the prompt has more of them
		}
	}
	if shape += text[last:]; shape == "" {
		return roles.Plain // but for a target that rests
	}
	return strings.ReplaceAll(shape, ", post only", "")
}

// ask answers the questions by the label.
func (l *lesson) ask(p *grammar.Parse) {
	if len(l.Strategies) == 0 {
		return
	}
	s := l.Strategies[0].Strategy()
	yesNo := map[bool]string{true: roles.Yes, false: roles.No}
	if l.asked[roles.OfSide] = roles.Named(p, s.Side == strategy.Up); s.Side == strategy.Either {
		l.asked[roles.OfSide] = roles.Either
	}
	l.asked[roles.OfHold] = yesNo[s.Exit.HoldToExpiry]
	l.asked[roles.OfLimit] = yesNo[s.Exit.RestTakeProfit]
	if resting := strings.Contains(l.shape, "Rest ") || strings.Contains(l.shape, "resting "); resting {
		l.asked[roles.OfPost] = yesNo[strings.Contains(l.Strategies[0].Summary(), ", post only")]
	}
}
