package parser

import (
	"slices"
	"strings"

	"github.com/ladderback/ladderback/strategy"
)

// remedy is the nearest thing that can be said in the place of a phrase at
// fault.
type remedy uint8

const (
	fixNone    remedy = iota
	fixSide           // the side is missing
	fixForbids        // a prohibition alone
	fixBoth           // both sides
	fixLength         // a length that no market has
	fixWindow         // a change without its look-back
	fixAsset          // a value or a move of the coin
	fixDays           // a stretch of time as the sample
	fixLoose          // a time that belongs to nothing
	fixOffset         // a small target that is a distance from entry
)

// remedies lists prompts that say the nearest thing, best first. Not all of
// them can be read.
func remedies(prompt string, runes []rune, r *Refusal) []string {
	var out []string
	put := func(s strategy.Span, with string) { out = append(out, splice(runes, s.Start, s.End, with)) }
	switch r.fix {
	case fixSide:
		return sides(prompt, runes)
	case fixForbids:
		return allowed(prompt, runes)
	}
	if len(r.Phrases) == 0 {
		return nil
	}
	s := r.Phrases[0]
	switch r.fix {
	case fixBoth:
		if b := r.Phrases[1]; b.Start-s.End < 8 {
			put(strategy.Span{Start: s.Start, End: b.End}, "either side")
		}
	case fixLength:
		put(s, nearestLength(s.Text))
	case fixWindow:
		put(s, s.Text+" in the last minute")
	case fixAsset:
		for _, with := range tokenInstead(s.Text) {
			put(s, with)
		}
	case fixDays:
		put(s, "over the last 200 markets")
	case fixOffset:
		for _, phrase := range slices.Backward(r.Phrases) {
			put(phrase, phrase.Text+" above entry")
		}
	}
	if r.Code == CodeUnsupportedSignal {
		out = append(out, withoutPercent(prompt))
	}
	for _, with := range sayInstead(r.why, strings.ToLower(s.Text)) {
		put(s, with)
	}
	switch r.why {
	case whyLimit:
		out = append(out, takenAtOnce(prompt, runes, s))
	case whyShort:
		out = append(out, otherSide(runes, s)...)
	}
	return append(out, inDollars(s, runes)...)
}

// sides names Up as what is bought.
func sides(prompt string, runes []rune) []string {
	x := lexemes(normalise(prompt))
	for i := range x.out {
		if l := &x.out[i]; l.kind == kBuy {
			return []string{splice(runes, int(l.end), int(l.end), " Up"), "Buy Up, " + prompt}
		}
	}
	return []string{"Buy Up, " + prompt}
}

// allowed turns "don't buy Up above 60c" into "buy Up unless it is above 60c".
func allowed(prompt string, runes []rune) []string {
	x := lexemes(normalise(prompt))
	for i := range x.out {
		l := &x.out[i]
		if l.kind != kAvoid || i+2 >= len(x.out) || x.out[i+1].kind != kTok {
			continue
		}
		tok := string(runes[x.out[i+1].start:x.out[i+1].end])
		switch next := &x.out[i+2]; next.kind {
		case kIf:
			return []string{splice(runes, int(l.start), int(next.end), "Buy "+tok+" unless")}
		default:
			return []string{splice(runes, int(l.start), int(x.out[i+1].end), "Buy "+tok+" unless it is")}
		}
	}
	return nil
}

// nearestLength returns the length of market nearest to the one in a phrase.
func nearestLength(phrase string) string {
	x := lexemes(normalise(phrase))
	for i := range x.out {
		n := x.out[i].v.n / micro
		if x.out[i].v.unit == uDays {
			n = 86400
		}
		if n <= 0 {
			continue
		}
		switch {
		case n < 600:
			return "5m"
		case n <= 1800:
			return "15m"
		case n <= 7200:
			return "1h"
		case n <= 43200:
			return "4h"
		}
		return "1d"
	}
	return "15m"
}

// tokenInstead says of the Up token what a phrase says of the coin: a move in
// cents, or which side of the middle it is on.
func tokenInstead(phrase string) []string {
	keep := ""
	if k := strings.LastIndex(strings.ToLower(phrase), " on "); k > 0 {
		keep = phrase[k:]
	}
	up, down, moves := false, false, false
	x := lexemes(normalise(phrase))
	for i := range x.out {
		switch l := &x.out[i]; l.kind {
		case kMove:
			up, down = up || l.sub == moveUp, down || l.sub == moveDown
			moves = moves || l.sub == moveUp || l.sub == moveDown || l.sub == moveGo
		case kTok, kHigher:
			up, down, moves = up || l.sub == tokUp, down || l.sub == tokDown, true
		case kCmp:
			if !moves {
				up, down = up || l.sub == cmpGT || l.sub == cmpGTE, down || l.sub == cmpLT || l.sub == cmpLTE
			}
		}
	}
	with := ""
	switch {
	case up == down:
		return nil
	case moves && up:
		with = "Up has risen by 5c in the last 2 minutes"
	case moves:
		with = "Up has fallen by 5c in the last 2 minutes"
	case up:
		with = "Up is above 60c"
	default:
		with = "Up is below 40c"
	}
	return []string{with + keep, with}
}

// withoutPercent writes every percentage of a prompt as dollars of the token.
func withoutPercent(prompt string) string {
	t := normalise(prompt)
	x := lexemes(t)
	var b strings.Builder
	at := int32(0)
	for i := range x.out {
		l := &x.out[i]
		if l.kind != kVal || l.v.unit != uPct {
			continue
		}
		price := fractionOfOne(l.v, t.slice(l.start, l.end))
		if price == "" {
			return ""
		}
		b.WriteString(t.slice(at, l.start) + price)
		at = l.end
	}
	if at == 0 {
		return ""
	}
	return b.String() + t.slice(at, int32(len(t.off)-1))
}

// sayInstead lists what can be said for a phrase that is not exact, or that
// belongs to what cannot be said.
func sayInstead(why reason, phrase string) []string {
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(phrase, w) {
				return true
			}
		}
		return false
	}
	switch why {
	case whyVaguePrice:
		switch {
		case has("below", "under", "lower"):
			return []string{"below", "below 35c"}
		case has("above", "over", "higher"):
			return []string{"above", "above 60c"}
		case has("around", "about", "near", "roughly", "approx", "almost", "close to", "~", "or so", "give or take"):
			return []string{"at", ""}
		case has("expensive", "pricey", "rich", "high", "overbought"):
			return []string{"above 60c"}
		case has("cheap", "low", "bargain", "steal", "discount", "undervalued", "underpriced", "oversold", "sale"):
			return []string{"below 35c"}
		}
	case whyVagueSpread:
		return []string{"spread at most 2c", "at most 2c", "with a spread of at most 2c"}
	case whyVagueDepth:
		return []string{"imbalance is above 0.6", "imbalance above 0.6", "has an imbalance above 0.6"}
	case whyVagueTime:
		if has("late", "end", "close", "expiry") {
			return []string{"in the last 2 minutes"}
		}
		if has("early", "start", "open", "soon") {
			return []string{"in the first 5 minutes"}
		}
	case whySinceOpen:
		return []string{"in the last 5 minutes"}
	case whyDays:
		return []string{"last 200 markets", "over the last 200 markets"}
	}
	return nil
}

// takenAtOnce turns an order that rests at a price into one that is sent when
// the ask is there.
func takenAtOnce(prompt string, runes []rune, s strategy.Span) string {
	x := lexemes(normalise(prompt))
	var tok, price *lexeme
	for i := range x.out {
		l := &x.out[i]
		if l.kind == kTok && tok == nil {
			tok = l
		}
		if l.kind == kVal && price == nil && (l.v.unit == uCent || l.v.unit == uDollar && l.v.n < micro || l.v.unit == uNone && l.v.n < 100*micro) && int(l.start) >= s.Start {
			price = l
		}
	}
	if tok == nil || price == nil {
		return ""
	}
	from, to := min(s.Start, int(tok.start)), max(int(tok.end), int(price.end))
	for from > 0 && !atStop(runes, from-1, ",;.!?\n:") {
		from--
	}
	with := "buy " + string(runes[tok.start:tok.end]) + " when its ask is at most " + string(runes[price.start:price.end])
	if from > 0 {
		with = " " + with
	}
	return splice(runes, from, to, with)
}

// otherSide turns "short Up above 70c" into "buy Down when Up is above 70c".
func otherSide(runes []rune, s strategy.Span) []string {
	rest := string(runes[s.End:])
	x := lexemes(normalise(rest))
	for i := range x.out {
		l := &x.out[i]
		if l.kind == kFill {
			continue
		}
		if l.kind != kTok {
			return nil
		}
		tok, other := "Up", "Down"
		if l.sub == tokDown {
			tok, other = other, tok
		}
		end := s.End + int(l.end)
		return []string{
			splice(runes, s.Start, end, "Buy "+other+" when "+tok+" is"),
			splice(runes, s.Start, end, "Buy "+other),
		}
	}
	return nil
}

// inDollars writes a number of shares as dollars.
func inDollars(s strategy.Span, runes []rune) []string {
	x := lexemes(normalise(s.Text))
	var out []string
	for i := range x.out {
		l := &x.out[i]
		if l.kind != kVal || l.v.unit != uShare || l.v.n <= 0 {
			continue
		}
		amount := "$" + number(l.v.n).String()
		for _, with := range [...]string{amount, amount + " per trade"} {
			out = append(out, splice(runes, s.Start+int(l.start), s.Start+int(l.end), with))
		}
	}
	return out
}
