package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
	"github.com/ladderback/ladderback/parser/meaning"
	"github.com/ladderback/ladderback/parser/rules/said"
	"github.com/ladderback/ladderback/strategy"
)

// Refusal is why a prompt is refused. It is an error, and via errors.As also a
// *market.Error.
type Refusal struct {
	Code      string     // CodeBadRequest or CodeUnsupportedSignal
	Message   string     // all obstacles, each with its remedy
	Obstacles []Obstacle // in the order of the prompt; may be empty
	// Unread reports that something was not understood, and that nothing in a
	// rule is known to be impossible: a language model may be able to read it.
	Unread bool
	// Inexact reports the same of a refusal with words in rules that are not exact, or that
	// the rules may take for what they are not: what a language model reads is offered, and
	// is no strategy before somebody takes it.
	Inexact bool
	// Spans is what was read all the same, in the order of the prompt. A condition
	// has the field "entry".
	Spans []strategy.Span

	prompt  string
	o       Overrides
	choices []strategy.Canonical // that it may be read as; one: which is to be confirmed
	offer   Offer
	offered sync.Once
}

// At lists the phrases that the refusal is about.
func (r *Refusal) At() []market.Phrase {
	out := make([]market.Phrase, 0, len(r.Obstacles))
	for _, o := range r.Obstacles {
		out = append(out, market.Phrase{Start: o.Start, End: o.End, Text: o.Text, Message: quote(o.Text) + ": " + o.Remedy})
	}
	return out
}

// Obstacle is one thing that keeps a prompt from being read.
type Obstacle struct {
	strategy.Span        // where it stands; Field is empty
	Outside       bool   // a value that is not this market's
	Unread        bool   // not understood, rather than known to be impossible
	Aside         bool   // in a sentence that gives no rule
	Why           string // name of the reason, "" for none of the known ones
	Remedy        string // what is wrong, and the nearest thing that can be said
	Meant         string // the word that a misspelt one seems to be meant for, "" for none
	from, to      int32  // in tokens
}

func (r *Refusal) Error() string { return r.Message }

// Unwrap returns the refusal in the common form of errors: its code, its message,
// what is offered instead and the phrases that the message is about.
func (r *Refusal) Unwrap() error {
	return r.Offer().on(&market.Error{Code: market.Code(r.Code), Message: r.Message, At: r.At()})
}

// refusal joins obstacles.
func (r *reader) refusal(list []Obstacle, more string) *Refusal {
	out := &Refusal{Code: CodeBadRequest}
	slices.SortStableFunc(list, func(a, b Obstacle) int { return a.Start - b.Start })
	list = r.joined(list)
	list = slices.CompactFunc(list, func(b, a Obstacle) bool { return a.Span == b.Span || a.Outside && b.Outside && b.End <= a.End })
	out.Obstacles = list
	var remedies []string
	phrases := map[string][]string{}
	for _, o := range list {
		if o.Outside {
			out.Code = CodeUnsupportedSignal
		}
		if phrases[o.Remedy] == nil {
			remedies = append(remedies, o.Remedy)
		}
		if text := quote(o.Text); !slices.Contains(phrases[o.Remedy], text) {
			phrases[o.Remedy] = append(phrases[o.Remedy], text)
		}
	}
	var parts []string
	for _, remedy := range remedies {
		parts = append(parts, strings.Join(phrases[remedy], ", ")+": "+remedy)
	}
	if more != "" {
		parts = append(parts, more)
	}
	out.Unread, out.Inexact = r.asked(list)
	out.Message = strings.Join(parts, "; ")
	return out
}

// quote is text in quotation marks as a message has it: of more than 160 letters the first,
// as what a person can find again is enough. A span has the whole.
func quote(text string) string {
	const longest = 160
	if runes := []rune(text); len(runes) > longest {
		text = string(runes[:longest]) + "…"
	}
	return strconv.Quote(text)
}

// asked is what obstacles leave to a language model: to read the prompt, or to read what is
// offered.
func (r *reader) asked(list []Obstacle) (unread, inexact bool) {
	known := func(o Obstacle) bool { return !o.Unread && !o.Aside }
	unread = len(list) > 0 && !slices.ContainsFunc(list, known)
	return unread, len(list) > 0 && !unread && !slices.ContainsFunc(list, func(o Obstacle) bool {
		return known(o) && !toldVaguely[o.Why] && !doubted[o.Why] && !r.borne(o.Why) && !r.isApart(&o)
	})
}

// borne reports whether a strategy may have what a reason is of, in words that the rules do not know:
// both tokens where orders are spoken of alone.
func (r *reader) borne(why string) bool {
	if why != "both" {
		return bears[why] != nil
	}
	return r.o.Ordered || r.someOf(0, int32(r.p.Tokens()), ordering)
}

// joined takes words that are not understood straight beside a phrase that cannot
// be said for a part of it: "add again at" "30c".
func (r *reader) joined(list []Obstacle) []Obstacle {
	var out []Obstacle
	for _, o := range list {
		last := len(out) - 1
		if last < 0 || out[last].to != o.from || out[last].Unread == o.Unread || out[last].Outside || o.Outside {
			out = append(out, o)
			continue
		}
		from, to := out[last].from, o.to
		if out[last].Unread {
			out[last] = o
		}
		out[last].from, out[last].to, out[last].Span = from, to, r.span(from, to)
	}
	return out
}

func (r *reader) obstacle(from, to int32) Obstacle {
	return Obstacle{Span: r.span(from, to), from: from, to: to}
}

// no is what keeps [from, to) from being read, for one of the reasons.
func (r *reader) no(from, to int32, why string) Obstacle {
	o := r.obstacle(from, to)
	o.Why, o.Remedy = why, reasons[why]
	return o
}

// noItem is that of an item, without what is passed over at its end.
func (r *reader) noItem(it *grammar.Item, why string) Obstacle {
	return r.no(it.From, r.p.WordsEnd(it.From, it.To), why)
}

func (r *reader) span(from, to int32) strategy.Span { return meaning.SpanOf(r.p, from, to, "") }

// unread refuses a prompt that is not covered: it names what cannot be read and
// what cannot be said.
func (r *reader) unread() *Refusal {
	partial := r.p.Partial()
	r.partly = &partial
	list := r.known(&partial)
	for _, u := range partial.Unread[:min(len(partial.Unread), maxUnread)] {
		list = append(list, r.unreadSpan(u[0], u[1])...)
	}
	for _, o := range r.misspelt(0, int32(r.p.Tokens())) {
		if !slices.ContainsFunc(partial.Unread, func(u [2]int32) bool { return u[0] <= o.from && o.from < u[1] }) {
			list = append(list, o)
		}
	}
	if len(list) == 0 {
		return r.refusal(nil, "this cannot be read; say it in shorter sentences")
	}
	return r.or(r.refusal(list, ""), &partial)
}

// maxUnread bounds how many spans that cannot be read are looked at.
const maxUnread = 12

// known lists what the items of a reading name that cannot be said.
func (r *reader) known(reading *grammar.Reading) []Obstacle {
	var list []Obstacle
	for i := range reading.Items {
		it := &reading.Items[i]
		no, outside := it.Refused()
		if !no && !outside {
			continue
		}
		o := r.obstacle(it.From, r.p.WordsEnd(it.From, it.To))
		o.Outside, o.Remedy = outside, outsideRemedy
		if no {
			o.Why = grammar.Reason(it.Meaning.Get(grammar.SlotWhy))
			o.Remedy = cmp.Or(reasons[o.Why], "this cannot be said; leave it out")
		}
		o.Aside = r.isAside(it, o.Why)
		if r.hasClass(it, "PCT") {
			o.Why, o.Remedy = "percent", percentRemedy
		}
		if !r.isExact(&o, reading.Items) {
			list = append(list, o)
		}
	}
	return list
}

func (r *reader) isBreak(i int32) bool {
	r.look()
	return r.breaks[i]
}

// unreadSpan names what is wrong with words that cannot be read.
func (r *reader) unreadSpan(from, to int32) []Obstacle {
	lo, hi := r.p.Widen(from, to, r.isBreak)
	for i := range r.p.Fragments() {
		if _, outside := i.Refused(); outside && i.From < hi && i.To > lo {
			o := r.obstacle(i.From, r.p.WordsEnd(i.From, i.To))
			o.Outside, o.Aside, o.Remedy = true, r.isAside(&i, ""), outsideRemedy
			return []Obstacle{o}
		}
	}
	if list := r.misspelt(from, to); len(list) > 0 {
		return list
	}
	o := r.obstacle(from, to)
	o.Unread = true
	switch {
	case r.someOf(from, to, percentages):
		o.Outside, o.Why, o.Remedy = true, "percent", percentRemedy
	case r.foreignSubject(from, lo, hi):
		o.Outside, o.Remedy = true, outsideRemedy
	case r.p.HasClass(from, to, "DUR") && !r.p.HasClass(from, to, "LEN") && r.p.HasClass(max(from-2, 0), from, "COIN", "ROUND", "COLON"):
		o.Remedy = reasons["length"]
	default:
		o.Remedy = r.remedyAt(from, to)
	}
	return []Obstacle{o}
}

// percentages are keys of them.
var percentages = lexicon.WordSet("pct percent percentage")

// misspelt names the words in [from, to) that are no vocabulary, and like one of the
// language; beside them also those that are read as one.
func (r *reader) misspelt(from, to int32) (list []Obstacle) {
	strange := false
	for i := from; i < to && len(list) < maxUnread; i++ {
		meant, unknown := r.meant(i)
		if strange = strange || unknown; meant != "" {
			o := r.obstacle(i, i+1)
			o.Unread, o.Why, o.Meant, o.Remedy = true, "misspelt", meant, fmt.Sprintf("did you mean %q?", meant)
			list = append(list, o)
		}
	}
	if !strange {
		return nil
	}
	return list
}

// meant is the word that a misspelt one seems to be meant for, "" for none; unknown: it is
// not read as that.
func (r *reader) meant(i int32) (word string, unknown bool) {
	switch _, read, ok := r.p.Typo(i); {
	case ok:
		return read, false
	case !r.p.IsWord(i):
		return "", false
	case heard[r.p.Word(i)] && r.p.HasClass(i+1, min(i+2, int32(r.p.Tokens())), "TOK"): // a word too, but not there
		return "buy", true
	case r.p.HasClass(i, i+1, "UNK"):
		word = lexicon.Near(r.p.Word(i))
	}
	return word, word != ""
}

// foreignSubject reports whether a condition speaks of something that is no
// token and no quantity of this market.
func (r *reader) foreignSubject(from, lo, hi int32) bool {
	if at := r.marker(lo, hi); at >= 0 {
		lo = at
		if r.coinNext(at) {
			return true
		}
	}
	return r.p.HasClass(lo, from+1, "IF", "UNLESS") && r.p.HasClass(lo, hi, "UNK") && !r.p.HasClass(lo, hi, "VAGUE", "TOK", "QTY", "PRON", "CMP", "CENT", "DEC", "DUR", "BUY", "SELL", "SL", "TP")
}

// remedyAt says what is wrong with words that cannot be read.
func (r *reader) remedyAt(from, to int32) string {
	for _, end := range [...]int32{min(to, from+2), to} {
		for _, k := range unreadRemedies {
			if r.p.HasClass(from, end, k.classes...) {
				return k.remedy
			}
		}
	}
	if words := r.expected(from); words != "" {
		return "expected " + words + " here"
	}
	return "this is not in the language; say it another way, or leave it out"
}

// expected names what productions wait for at a position.
func (r *reader) expected(at int32) string {
	var out []string
	for _, s := range r.p.Expected(at) {
		if w := reasons["expected "+s]; w != "" && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	slices.Sort(out)
	if len(out) == 0 || len(out) > 3 {
		return ""
	}
	return strings.Join(out, " or ")
}

// faulty refuses items that give no strategy together.
func (r *reader) faulty(reading *grammar.Reading, f *meaning.Fault) *Refusal {
	list := r.known(reading)
	if f.Kind == meaning.Contradicts && r.opensByName(reading, f) {
		return r.refusal(append(list, r.no(0, 2, "unheld")), "")
	}
	for _, i := range f.Items {
		it := &reading.Items[i]
		o := r.obstacle(it.From, r.p.WordsEnd(it.From, it.To))
		o.Unread, o.Why, o.Remedy = f.Kind != meaning.Contradicts && f.Kind != meaning.Invalid, string(f.Kind), f.Message
		if f.Kind == meaning.Contradicts && said.HasConds(it) && (it.Meaning.Has(grammar.SlotCoin) || it.Meaning.Has(grammar.SlotLen)) && r.hasClass(it, "IF", "UNLESS") {
			o.Outside, o.Remedy = true, outsideRemedy // another market's token
		}
		list = append(list, o)
	}
	if len(f.Items) == 0 {
		if f.Kind == meaning.NoSide && r.p.HasClass(0, int32(r.p.Tokens()), "AVOID") {
			f.Message = reasons["prohibition"]
		}
		out := r.refusal(list, f.Message)
		out.Unread = len(list) == 0 && f.Kind == meaning.NoSide || out.Unread
		return out
	}
	return r.refusal(list, "")
}

// opensByName reports whether a fault is of the coin that a prompt begins with, which may
// be who wrote first: "OP: buy up on BTC".
func (r *reader) opensByName(reading *grammar.Reading, f *meaning.Fault) bool {
	return len(f.Items) > 1 && reading.Items[f.Items[0]].From == 0 && r.p.Word(0) == "op" && r.p.HasClass(1, min(2, int32(r.p.Tokens())), "COLON")
}

func (r *reader) twoReadings(a, b strategy.Canonical) *Refusal {
	refusal := r.refusal(nil, fmt.Sprintf("this can be read in two ways: either %q or %q; use the words of one of them", a.Summary(), b.Summary()))
	refusal.choices, refusal.Inexact = []strategy.Canonical{a, b}, true
	return refusal
}

// marker is where the last marker of a condition in [lo, hi) begins, -1: none.
func (r *reader) marker(lo, hi int32) int32 {
	at := int32(-1)
	for l, e := range r.p.Within(lo, hi) {
		if e.Class == "IF" || e.Class == "UNLESS" {
			at = max(at, l.From)
		}
	}
	return at
}

// coinNext reports whether a coin is the subject of the condition that begins
// at a marker.
func (r *reader) coinNext(at int32) bool {
	for _, e := range r.p.Within(at, int32(r.p.Tokens())) {
		switch e.Class {
		case "COIN":
			return true
		case "VAGUE", "COMMA", "STOP", "SOFT", "TOK", "QTY", "PRON", "BUY", "EITHER", "FAV", "OTHER", "CENT", "DUR", "INT":
			return false
		}
	}
	return false
}
