package orders

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/ladderback/ladderback/strategy"
)

// Reader reads the conditions of a list in words, by the grammar, for a strategy on
// a market and side: "when its spread is above 6c and Down's bid is below 20c", each
// with its token as the entry of that strategy names it. ok is false where it is anything
// else than a list of conditions that must all hold.
type Reader func(words string, on strategy.MarketSpec, side strategy.Side) (list []strategy.Condition, ok bool)

// Found is what a prompt says of orders.
type Found struct {
	// Rest is the prompt without that: as many code points, at the same places.
	Rest string
	// Spans are the phrases, in the order of the prompt, with the fields they set.
	Spans   []strategy.Span
	matches []match
	read    Reader
	named   bool
}

// match is a phrase with its place in code points.
type match struct {
	from, to int
	pattern  *pattern
	said     map[string]string // by the names of slots
}

// Find looks for phrases of orders, named also for headings that only name what is said
// elsewhere; nil: there are none.
func Find(prompt string, named bool, read Reader) *Found {
	text := plain(prompt)
	if !hints.MatchString(text) {
		return nil
	}
	f := &Found{read: read, named: named}
	rest := []rune(prompt)
	for at := 0; at < len(text); {
		m, ok := f.longest(text, at)
		if !ok {
			at++
			continue
		}
		m.blank(text, rest)
		at = m.to
		for text[m.to-1] == ' ' {
			m.to--
		}
		f.matches = append(f.matches, m)
	}
	if len(f.matches) == 0 {
		return nil
	}
	f.Rest = string(rest)
	all := []rune(prompt)
	for _, m := range f.matches {
		f.Spans = append(f.Spans, strategy.Span{Start: m.from, End: m.to, Text: string(all[m.from:m.to]), Field: m.pattern.field})
	}
	return f
}

// plain is a prompt with one byte for each code point: lower case, signs as their
// plainest kin, anything else a mark that no phrase has.
func plain(prompt string) string {
	var b strings.Builder
	for _, r := range prompt {
		switch {
		case r == '¢':
			r = 'c'
		case r == '’' || r == '‘':
			r = '\''
		case r == '–' || r == '—' || r == '−' || r == '‑':
			r = '-'
		case r == '\u00a0' || r == '\t' || r == '_':
			r = ' '
		case r > unicode.MaxASCII || r < ' ' && r != '\n':
			r = '~'
		}
		b.WriteByte(byte(unicode.ToLower(r)))
	}
	return b.String()
}

// hints finds a word that some phrase of orders has.
var hints = regexp.MustCompile(`\b(?:double|average|bids?|bidding|lowball|passive|passively|limit|rest|rests|resting|remainder|post|posts|po|maker|cancels?|cancelled|canceled|cxl|pull|ttl|order|orders|then|add|another|more|again|re-?enter|re-?entry|reload|entries|half|off|third|quarter|fraction|hedge|hedged|hedging|merged?|offer it|both|pairs?|match|matching|shares?|contracts?|kelly|bankroll|roll|stop for|stop trading|daily|day|open|exposure|flip|join|quote|quoting|stopped|losing|losses|a stop|the stop|on stop|after|if|when|size|delay|ladder)\b|1/[23]|\$.*\$|(?:dollars|bucks).*(?:dollars|bucks)`)

var (
	// binding are words that what follows belongs to: no phrase begins behind them.
	binding = regexp.MustCompile(`(?:\b(?:hi|hello|hey|me|yet|or|nor|not|no|never|without|if|when|once|unless|until|till|while|than|is|are|was|were|be|been|instead of|rather|of|a|an|the|my|your|its|this|that|these|those|their|some|any|each|every|which|who|before|after|as|like|in|at|from|by|into|over|under|above|below|about|around|within|between|per|because|since|where|how|why|what|whether|may|might|could)|[$+<>=])\s*$`)
	// allBut is what takes out what follows.
	allBut = regexp.MustCompile(`\b(?:(?:all|any|none|everything|anything|nothing) but|save|except|excepting|bar|barring)\s*$`)
	// soldKey is a key of a sale: what follows is its value, of a pattern that begins with it.
	soldKey = regexp.MustCompile(`\bsell(?:ing)?\s*:[\s,.]*$`)
	// undone is a value behind a phrase as a key, which takes it back: "post only: no".
	undone = regexp.MustCompile(`^\s*[:=]\s*(?:no|not|none|nothing|never|nope|n|false|off|0|disabled)\b`)
	// clauseEnds is what stands behind the end of one.
	clauseEnds = regexp.MustCompile(`^\s*(?:$|[,;!?()\n|/{}\[\]<>]|\.(?:\s|$)|-\s|:\s|=>|->|~|(?:and|then|but|otherwise|else|also|please|hold|sell|dump|exit|get out|take profit|target|tp|stop|sl|trail|cancel|pull|post only|maker|buy|bid|merge|re-?enter|limit|budget|bankroll|starting|no more than|sample|on|` + coins + `)\b|(?:ups?|downs?)(?:,| [^t\s])|` + slots["usd"].exp + `)`)
	// joins is what joins a clause to the one before it.
	joins = regexp.MustCompile(`(?:,\s*|\s+)(?:and then|and also|and|then|but|also|with|using)?\s*$`)
)

var (
	// bounds is the beginning of a clause that may be of the phrase behind it, not of
	// the entry: "in the last minute, sell half at 60c".
	bounds = regexp.MustCompile(`^\s*(?:(?:and|then|but|only|also) )*(?:if|when|once|whenever|while|unless|after|until|till|as soon as|in|within|during|before|at|on)\b`)
	// onMarket is one that says of which market the entry is.
	onMarket = regexp.MustCompile(`^\s*on [a-z]+ (?:5 ?m|15 ?m|1 ?h|4 ?h|1 ?d|hourly|daily)[a-z]*\b`)
	// bounded is the beginning of one that may be of the phrase before it.
	bounded = regexp.MustCompile(`^\s*,\s*(?:(?:and|but|only) )*(?:if|when|once|whenever|while|unless|after|until|till|as soon as|in|within|during|before)\b`)
)

// saleEnds is a sale of which an order comes to speak.
var saleEnds = regexp.MustCompile(`\b(?:sell|sells|exit|take[- ]profit|target|tp|close|get out|cash out)(?: it| all| everything)?(?: with| by| on| using| as| for)?(?: a| an| my)?\s*$`)

// denied is a negation in the clause that goes on.
var denied = regexp.MustCompile(`\b(?:not|no|never|don't|dont|won't|without|nor|avoid|cannot|can't|doesn't)\b[^,;.:\n]*$`)

// isBound reports whether a clause may be of the phrase behind it.
func isBound(clause string) bool { return bounds.MatchString(onMarket.ReplaceAllString(clause, "")) }

// clauseBefore is the clause that ends with a text.
func clauseBefore(text string) string {
	text = strings.TrimRight(strings.TrimSuffix(text, joins.FindString(text)), " ,")
	return text[strings.LastIndexAny(text, ",;.:\n")+1:]
}

// longest returns the longest phrase that begins at a place.
func (f *Found) longest(text string, at int) (best match, ok bool) {
	before := text[max(0, at-16):at]
	if text[at] == ' ' || at > 0 && isWord(text[at]) && isWord(text[at-1]) || splits(before, text[at]) || behindOthers(before) {
		return match{}, false
	}
	for _, p := range patternsBy()[text[at]] {
		if p.topic != nil && !f.named {
			continue
		}
		if m, found := f.matchOf(p, text, at); found && m.to > best.to {
			best, ok = m, true
		}
	}
	return best, ok
}

// behindOthers reports whether what follows a text belongs to its last words.
func behindOthers(before string) bool {
	return binding.MatchString(before) || allBut.MatchString(before) || soldKey.MatchString(before)
}

// splits reports whether what begins with a byte goes on with a number.
func splits(before string, c byte) bool {
	return (c == '.' || c >= '0' && c <= '9') && goesOn.MatchString(before)
}

// goesOn is a number that may go on.
var goesOn = regexp.MustCompile(`\d[.,]?$`)

func isWord(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '\'' }

// matchOf returns the phrase of a pattern at a place.
func (f *Found) matchOf(p *pattern, text string, at int) (match, bool) {
	if p.parts != nil {
		return f.bagOf(p, text, at)
	}
	m := match{from: at, to: at, pattern: p, said: map[string]string{}}
	switch {
	case !m.takes(p.exp, text, at):
		return match{}, false
	case !p.fits(text, at, m.to) || !m.valued() || p.open && saleIn.MatchString(m.said["keep"]):
		return match{}, false
	case p.conds:
		return f.withConds(m, text)
	}
	return m, m.said["conds"] == "" || f.areConds(m.said["conds"])
}

// takes takes the words of an expression at a place, with its slots.
func (m *match) takes(exp *regexp.Regexp, text string, at int) bool {
	place := exp.FindStringSubmatchIndex(text[at:])
	if place == nil || at+place[1] < len(text) && isWord(text[at+place[1]]) && isWord(text[at+place[1]-1]) && !m.pattern.open {
		return false
	}
	for i, name := range exp.SubexpNames() {
		if name != "" && place[2*i] >= 0 {
			m.said[name] = text[at+place[2*i] : at+place[2*i+1]]
		}
	}
	m.to = at + place[1]
	return true
}

// between is what may stand between parts of a phrase.
var between = regexp.MustCompile(`^[ ,;:-]*(?:(?:and|then|but|also|please|i'd|i'll|i|we|it|want|to|with|just|can|may|should|will|would|like)\b[ ,]*)*`)

// bagOf returns the phrase of parts that begins at a place, the longest that fits.
func (f *Found) bagOf(p *pattern, text string, at int) (best match, ok bool) {
	m := match{from: at, to: at, pattern: p, said: map[string]string{}}
	done, needs := make([]bool, len(p.parts)), p.needs
	for from := at; ; from = m.to + len(between.FindString(text[m.to:])) {
		next, part := m, -1
		for i, exp := range p.parts {
			one := match{from: at, pattern: p, said: map[string]string{}}
			if !done[i] && from < len(text) && (from == at || !isWord(text[from-1])) && one.takes(exp, text, from) && one.to > next.to && one.valued() {
				next, part = one, i
			}
		}
		if part < 0 {
			return best, ok
		}
		maps.Copy(next.said, m.said)
		m, done[part] = next, true
		if part < p.needs {
			needs--
		}
		if needs == 0 && p.fits(text, at, m.to) {
			best, ok = m, true
		}
	}
}

// fits reports whether what stands around [from, to) lets it be a phrase of the
// pattern.
func (p *pattern) fits(text string, from, to int) bool {
	switch {
	case !p.follows(text[:from]) || undone.MatchString(text[to:]):
		return false
	case p.topic == nil && p.field != "order" && !strings.HasPrefix(p.field, "bankroll.") && !strings.HasPrefix(p.put, "buy") && (bounded.MatchString(text[to:]) && !p.own() || p.field != "exit.rest_take_profit" && isBound(clauseBefore(text[:from]))):
		return false // of a target that stays, the grammar tells
	case p.open:
		return to == len(text) || !isWord(text[to]) || !isWord(text[to-1])
	}
	return p.conds || clauseEnds.MatchString(text[to:])
}

// own reports whether the conditions of a phrase stand before what is done.
func (p *pattern) own() bool { return p.exp != nil && !p.conds && p.exp.SubexpIndex("conds") > 0 }

// follows reports whether a phrase of the pattern may stand behind a text: what it needs,
// no negation, and for a purchase no sale that it may be of.
func (p *pattern) follows(text string) bool {
	sold := p.behind != nil && p.behind != partsBefore && p.field == "then" && saleIn.MatchString(clauseBefore(text)) ||
		p.field == "order" && saleEnds.MatchString(text)
	return !sold && !denied.MatchString(text) && (p.behind == nil || p.behind.MatchString(text))
}

// withConds lets a phrase go on with conditions, as far as there are any: to the end
// of a clause of its sentence.
func (f *Found) withConds(m match, text string) (match, bool) {
	end := m.to
	for end < len(text) && text[end] != ';' && text[end] != '\n' && (text[end] != '.' || end+1 < len(text) && text[end+1] != ' ' && text[end+1] != '\n') {
		end++
	}
	for to := end; to > m.to; to-- {
		if text[to-1] == ' ' || !clauseEnds.MatchString(text[to:]) {
			continue
		}
		if words := text[m.to:to]; m.pairs(words) && f.areConds(words) {
			m.said["conds"], m.to = words, to
			return m, true
		}
	}
	return match{}, false
}

// pairs reports whether a buy of the other token without a word that announces it says
// that it makes pairs.
func (m *match) pairs(words string) bool {
	_, bare := m.said["pair"]
	return !bare || m.said["match"]+m.said["match2"] != "" || pairing.MatchString(words)
}

var pairing = regexp.MustCompile(`\b(?:pair|both|together|combined)\b`)

// areConds reports whether words are conditions, for a side or for either.
func (f *Found) areConds(words string) bool {
	return slices.ContainsFunc([]strategy.Side{strategy.Up, strategy.Either}, func(side strategy.Side) bool {
		_, err := f.conditions(words, strategy.MarketSpec{Coin: "BTC", Type: strategy.Any}, side)
		return err == nil
	})
}

// blank takes a phrase out of the runes of the prompt, but for what it keeps, with
// what joins it to the clause before it, and puts what stands for it in its place.
func (m *match) blank(text string, rest []rune) {
	from := m.from
	put := []rune(m.pattern.put)
	if len(put) == 0 && m.said["keep"] == "" {
		m.close(text, rest)
		joint := joins.FindString(text[:m.from])
		from -= len(joint)
		if from > 0 && from < m.from && text[from] == ',' {
			from++ // a comma parts what is left on both sides
		}
	}
	kept := func(i int) bool {
		for _, k := range []string{"keep", "keep2"} {
			words := m.said[k]
			if at := strings.Index(text[m.from:m.to], words); words != "" && i >= m.from+at && i < m.from+at+len(words) {
				return true
			}
		}
		return false
	}
	for i := from; i < m.to; i++ {
		if !kept(i) {
			rest[i] = ' '
		}
	}
	copy(rest[m.from:m.to], put)
	for from < m.from && !isWord(text[from]) {
		from++
	}
	m.from = from // with the word that joins it
}

// close takes out the full stop of a sentence that is a phrase.
func (m *match) close(text string, rest []rune) {
	if m.to < len(text) && text[m.to] == '.' && sentenceBefore.MatchString(text[:m.from]) {
		rest[m.to] = ' '
	}
}

// Limit is the price at which the entry rests, nil where none is said.
func (f *Found) Limit() *strategy.Number {
	for i := range f.matches {
		if m := &f.matches[i]; m.pattern.field == "order" && m.said["p"] != "" {
			return m.number("p").Ptr()
		}
	}
	return nil
}

// Spliced returns spans of the rest with those of the phrases among them, all with
// the words of the prompt: what a phrase covers is its own.
func (f *Found) Spliced(prompt string, spans []strategy.Span) []strategy.Span {
	all := []rune(prompt)
	out := slices.Clone(f.Spans)
	for _, s := range spans {
		for _, part := range f.uncovered(s.Start, s.End) {
			if words := strings.TrimSpace(string(all[part[0]:part[1]])); strings.ContainsFunc(words, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
				out = append(out, strategy.Span{Start: part[0], End: part[1], Text: string(all[part[0]:part[1]]), Field: s.Field})
			}
		}
	}
	slices.SortFunc(out, func(a, b strategy.Span) int { return a.Start - b.Start })
	return out
}

// Uncovered returns spans of the rest that no phrase covers, with the words of the
// prompt.
func (f *Found) Uncovered(prompt string, spans []strategy.Span) []strategy.Span {
	out := f.Spliced(prompt, spans)
	return slices.DeleteFunc(out, func(s strategy.Span) bool { return slices.Contains(f.Spans, s) })
}

// uncovered are the parts of [from, to) between the phrases.
func (f *Found) uncovered(from, to int) (out [][2]int) {
	for _, m := range f.matches {
		if m.to <= from || m.from >= to {
			continue
		}
		if m.from > from {
			out = append(out, [2]int{from, m.from})
		}
		from = m.to
	}
	if from < to {
		out = append(out, [2]int{from, to})
	}
	return out
}
