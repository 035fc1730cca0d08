package parser

import (
	"slices"
	"strings"

	"github.com/ladderback/ladderback/strategy"
)

// rewriteOf looks for a prompt near the refused one that can be read: with the
// phrase at fault replaced by what it can only mean or the nearest that can be
// said, or without the clause that holds it. It is empty when none can be read.
func rewriteOf(prompt string, r *Refusal) string {
	runes := []rune(prompt)
	for _, out := range remedies(prompt, runes, r) {
		if readable(out) != nil {
			return out
		}
	}
	for _, s := range r.Phrases {
		for _, with := range replacements(s) {
			if out := splice(runes, s.Start, s.End, with); readable(out) != nil {
				return out
			}
		}
	}
	for _, s := range slices.Backward(r.Phrases) {
		for _, cut := range cuts(runes, s, r) {
			out := splice(runes, cut[0], cut[1], "")
			res := readable(out)
			if res == nil || out == prompt {
				continue
			}
			if in := inPlace(runes, cut, r, res); in != "" {
				return in
			}
			return out
		}
	}
	return ""
}

// inPlace writes a condition on the token bought in the place of one on
// something else, when the prompt without it has none left.
func inPlace(runes []rune, cut [2]int, r *Refusal, s *strategy.Canonical) string {
	if r.Code != CodeUnsupportedSignal || len(s.Entry())+len(s.EntryAny()) > 0 {
		return ""
	}
	head := strings.ToLower(strings.TrimLeft(string(runes[cut[0]:cut[1]]), " ,;.!?\n"))
	word, _, _ := strings.Cut(head, " ")
	switch word {
	case "if", "when", "whenever", "while", "once":
	default:
		return ""
	}
	tok := "it"
	switch s.Side() {
	case strategy.Up:
		tok = "Up"
	case strategy.Down:
		tok = "Down"
	}
	with := "when " + tok + " is below 40c"
	if cut[0] > 0 && runes[cut[0]-1] != ' ' {
		with = " " + with
	}
	if out := splice(runes, cut[0], cut[1], with); readable(out) != nil {
		return out
	}
	return ""
}

// replacements lists what the phrase at fault may have meant by its number.
func replacements(s strategy.Span) []string {
	t := normalise(s.Text)
	x := lexemes(t)
	var out []string
	for i := range x.out {
		v := x.out[i].v
		if x.out[i].kind != kVal || v.n <= 0 {
			continue
		}
		if v.n < 100*micro && v.n%100 == 0 && (v.unit == uPoint || v.unit == uNone) {
			head := t.slice(0, x.out[i].start)
			tail := t.slice(x.out[i].end, int32(len(t.off)-1))
			out = append(out, head+number(v.n).String()+"c"+tail)
		}
		if v.unit == uMoney {
			out = append(out, "$"+number(v.n).String())
		}
	}
	return out
}

// cuts lists stretches around a phrase, smallest first, that may be left out:
// the phrase, its part between commas and joints, its sentence.
func cuts(runes []rune, s strategy.Span, r *Refusal) [][2]int {
	var out [][2]int
	if r.unread || len(r.Phrases) > 1 || r.why == whyLast || r.fix == fixLoose {
		text := strings.ToLower(string(runes[:s.Start]))
		for _, before := range [...]string{" and ", " or ", " & ", " for ", " plus "} {
			if strings.HasSuffix(text, before) && len(r.Phrases) > 1 == (before != " for ") {
				out = append(out, [2]int{s.Start - len(before) + 1, s.End})
			}
		}
		out = append(out, [2]int{s.Start, s.End})
	}
	for _, stops := range []string{",;.!?\n()", ";.!?\n"} {
		from, to := s.Start, s.End
		for from > 0 && !atStop(runes, from-1, stops) {
			from--
		}
		for to < len(runes) && !atStop(runes, to, stops) {
			to++
		}
		out = append(out, [2]int{from, to})
		if from > 0 {
			out = append(out, [2]int{from - 1, to})
		}
	}
	text := strings.ToLower(string(runes))
	if len([]rune(text)) == len(runes) {
		for _, joint := range []string{" and ", " but ", " if ", " when ", " unless ", " then ", " with "} {
			if k := strings.LastIndex(string([]rune(text)[:s.Start]), joint); k >= 0 {
				from := len([]rune(text[:k]))
				to := s.End
				for to < len(runes) && !atStop(runes, to, ",;.!?\n") {
					to++
				}
				out = append(out, [2]int{from, to})
			}
		}
	}
	return out
}

// atStop reports whether a stop that is no decimal point stands at i.
func atStop(runes []rune, i int, stops string) bool {
	if !strings.ContainsRune(stops, runes[i]) {
		return false
	}
	digit := func(k int) bool { return k >= 0 && k < len(runes) && runes[k] >= '0' && runes[k] <= '9' }
	ofNumber := (runes[i] == '.' || runes[i] == ',') && digit(i+1) && (digit(i-1) || runes[i] == '.')
	return !ofNumber
}

// splice puts `with` in the place of [from, to) and tidies what is left around
// it.
func splice(runes []rune, from, to int, with string) string {
	out := string(runes[:from]) + with + string(runes[to:])
	for {
		short := tidy.Replace(out)
		short = strings.TrimLeft(strings.TrimRight(short, " ,;:-"), " ,;:.-?!")
		for _, joint := range [...]string{" and", " or", " but", " if", " when", " with", " at", " on", " in", " for", " then", " to"} {
			short = strings.TrimSuffix(short, joint)
		}
		if short == out {
			return out
		}
		out = short
	}
}

// tidy closes the gaps that a cut leaves. It is constant in spirit.
var tidy = strings.NewReplacer("()", "", "  ", " ", ",,", ",", ", ,", ",", " ,", ",", ",;", ";", ";;", ";", "; ;", ";", " ;", ";", ",.", ".", ". .", ".", "..", ".", " and,", ",", "? ?", "?")

// readable reads a prompt without a trace, nil when it is refused.
func readable(prompt string) *strategy.Canonical {
	if prompt == "" {
		return nil
	}
	f, refusal := draw(prompt)
	if refusal != nil {
		return nil
	}
	s, refusal := f.strategy(Overrides{})
	if refusal != nil {
		return nil
	}
	return &s
}
