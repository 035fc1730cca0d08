// Package probes holds a reader of prompts against pieces that say something: one
// that is put into a prompt which it reads, or in the place of a word of it, must
// change what is read, or have the prompt refused. And a number made into two must
// not say more than one did.
package probes

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/ladderback/ladderback/strategy"
)

//go:embed pieces.txt
var piecesText string

// Piece is a piece of a prompt.
type Piece struct {
	Kind  string
	Value string // what it says of a market or a side, or the exit that it waives; empty: neither
	Text  string

	number, last string // the first number in it and its last word, for what says it already
}

// Pieces returns the pieces, in the order of their table.
func Pieces() []Piece {
	var out []Piece
	for head, list := range rows() {
		if head == "same" {
			continue
		}
		kind, value, _ := strings.Cut(head, " ")
		for text := range strings.SplitSeq(list, " | ") {
			out = append(out, Piece{kind, value, text, number.FindString(text), strings.ToLower(text[strings.LastIndexByte(text, ' ')+1:])})
		}
	}
	return out
}

// rows goes through the rows of the table: what stands before the colon, and behind it.
func rows() iter.Seq2[string, string] {
	return func(yield func(head, list string) bool) {
		for line := range strings.Lines(piecesText) {
			head, list, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
			if ok && head[0] != '#' && !yield(head, list) {
				return
			}
		}
	}
}

// same are the rows of words that say the same in the place of each other.
var same = sync.OnceValue(func() (out []string) {
	for head, list := range rows() {
		if head == "same" {
			out = append(out, " | "+list+" | ")
		}
	}
	return out
})

// Reader reads a prompt; nil where it is refused. The spans say what its words set.
type Reader func(prompt string) (*strategy.Canonical, []strategy.Span)

// Count is what came of the probes of a kind.
type Count struct{ Tried, Accepted, Silent int }

// Result counts probes by kind, and has those that are silent.
type Result struct {
	Kinds  []string // in the order of their table
	Counts map[string]*Count
	Silent []Probe
}

// Probe is a prompt, and what it was made of.
type Probe struct{ Kind, Piece, From, Prompt string }

// Run reads every step-th of the probes that are made of a prompt which the reader
// reads, from the probe number start on.
func Run(prompts []string, read Reader, start, step int) *Result {
	r := &run{Result: Result{Counts: map[string]*Count{}}, read: read, n: -start, step: step}
	pieces := Pieces()
	for _, prompt := range prompts {
		if was, spans := read(prompt); was != nil {
			r.insert(prompt, was, spans, pieces)
			r.double(prompt, was)
		}
	}
	return &r.Result
}

type run struct {
	Result
	read    Reader
	n, step int
}

// next reports whether the next probe is one of those that are read.
func (r *run) next() bool {
	r.n++
	return r.n > 0 && r.n%r.step == 0
}

func (r *run) count(p Probe, accepted, silent bool) {
	c := r.Counts[p.Kind]
	if c == nil {
		c = &Count{}
		r.Counts[p.Kind], r.Kinds = c, append(r.Kinds, p.Kind)
	}
	c.Tried++
	if accepted {
		c.Accepted++
	}
	if silent {
		c.Silent++
		r.Silent = append(r.Silent, p)
	}
}

var word = regexp.MustCompile(`\S+`)

// insert puts every piece into every place of a prompt: between two words, as a
// clause, as a sentence, and for a word.
func (r *run) insert(prompt string, was *strategy.Canonical, spans []strategy.Span, pieces []Piece) {
	low := strings.ToLower(prompt)
	for _, at := range word.FindAllStringIndex(prompt, -1) {
		head, own, tail := prompt[:at[0]], prompt[at[0]:at[1]], prompt[at[1]:]
		here := utf8.RuneCountInString(prompt[:at[1]])
		start := utf8.RuneCountInString(head)
		field, next := cmp.Or(fieldAt(spans, start), fieldAt(spans, here-1)), fieldAfter(spans, here)
		aside := isAside(prompt, spans, at)
		sold := strings.EqualFold(strings.Trim(own, ".,"), "hold") || strings.HasPrefix(field, "exit.") || strings.HasPrefix(next, "exit.") || strings.HasPrefix(fieldBefore(spans, start), "exit.")
		for _, p := range pieces {
			if p.Kind == "negation" && aside && !strings.HasPrefix(p.Text, "stop") || p.saysNothingOf(was) || p.saysNothingIn(low, field, next) || sold && p.Kind == "reverser" && strings.HasPrefix(p.Text, "sell") {
				continue
			}
			for _, probe := range [...]string{head + p.Text + " " + own + tail, head + p.Text + tail, head + own + ", " + p.Text + "," + tail, head + own + ". " + p.Text + ". " + strings.TrimLeft(tail, " ,")} {
				if !r.next() || p.Text == ">" && head == "" || p.repeats(own, head, tail) || probe == prompt || p.Kind == "unit" && (probe != head+p.Text+tail || !units[own]) {
					continue
				}
				got, read := r.read(probe)
				silent := got != nil && got.Equal(*was)
				if at := utf8.RuneCountInString(probe[:strings.Index(probe[len(head):], p.Text)+len(head)]); p.Kind == "comparator" && fieldAt(read, at) != "" {
					silent = false // it says the same
				}
				r.count(Probe{p.Kind, p.Text, prompt, probe}, got != nil, silent)
			}
		}
	}
}

// isAside reports whether the sentence around a word, which is not its last, sets nothing
// and is no heading: a negation there denies what nobody reads.
func isAside(prompt string, spans []strategy.Span, at []int) bool {
	from := strings.LastIndexAny(prompt[:at[0]], ".!?;:\n") + 1
	n := strings.IndexAny(prompt[at[1]:], ".!?;:\n")
	if n <= 0 || prompt[at[1]+n] == ':' {
		return false
	}
	start, end := utf8.RuneCountInString(prompt[:from]), utf8.RuneCountInString(prompt[:at[1]+n])
	return !slices.ContainsFunc(spans, func(s strategy.Span) bool { return s.Start < end && s.End > start && s.Field != "" })
}

// fieldAt is what the character at a place sets, "" for nothing.
func fieldAt(spans []strategy.Span, at int) string {
	for _, s := range spans {
		if s.Start <= at && at < s.End {
			return s.Field
		}
	}
	return ""
}

// fieldAfter is what the next words behind a place set that set something.
func fieldAfter(spans []strategy.Span, at int) string {
	for _, s := range spans {
		if s.End > at {
			return s.Field
		}
	}
	return ""
}

// fieldBefore is what the last words before a place set that set something.
func fieldBefore(spans []strategy.Span, at int) (field string) {
	for _, s := range spans {
		if s.Start < at {
			field = s.Field
		}
	}
	return field
}

// units are the words that a piece which is a unit may take the place of.
var units = map[string]bool{"cents": true, "minutes": true, "minute": true, "mins": true, "seconds": true, "secs": true, "dollars": true, "bucks": true, "hours": true, "markets": true, "rounds": true}

// saysNothingIn reports whether a piece says nothing new in a prompt, in the place of a
// word that sets a field, before one that sets the next: nothing is compared but in a
// condition, an exit is a sale at a price or better, and what stands behind words that
// take back is what counts. A number, or a correction, that the
// prompt, in small letters, has is none.
func (p *Piece) saysNothingIn(prompt, field, next string) bool {
	exit := strings.HasPrefix(field, "exit.")
	switch {
	case p.Kind == "comparator":
		return !strings.HasPrefix(field, "entry")
	case p.Text == "all in", p.Text == "again", p.Text == "minus":
		return exit || field == "budget_per_trade"
	case p.Kind == "cents", p.Kind == "time":
		return strings.Contains(prompt, strings.TrimPrefix(p.Text, "after "))
	case p.Kind == "number", p.Kind == "exit":
		return p.number != "" && (strings.Contains(prompt, p.number) || strings.Contains(prompt, strings.ReplaceAll(p.number, ",", "")))
	case p.Text == "except in the last minute":
		return strings.Contains(prompt, "in the last minute") || strings.Contains(prompt, "more than a minute left")
	case p.Kind == "correction" && next != "" && strings.HasSuffix(p.Text, " that"), p.Text == "never mind":
		return true
	case p.Kind == "correction":
		return strings.Contains(prompt, p.last) || p.number != "" && strings.Contains(prompt, "."+p.number)
	}
	return false
}

// repeats reports whether the piece is the word or says the same, or is one of those
// beside it, or is taken back: a word said twice says nothing new.
func (p *Piece) repeats(own, head, tail string) bool {
	bare := func(s string) string { return strings.Trim(strings.ToLower(s), ".,;:!?()\"'") }
	own, text := bare(own), bare(p.Text)
	if corrects.MatchString(own+tail) || p.Kind == "side" && (head == "" || strings.HasSuffix(head, "not ")) || sayTheSame(own, text) {
		return true
	}
	before := append([]string{"", ""}, strings.Fields(bare(head))...)
	near := append(append(before[len(before)-2:], own), append(strings.Fields(tail), "", "", "")[:3]...)
	for i := range near {
		near[i] = bare(near[i])
	}
	return slices.ContainsFunc(near, func(w string) bool {
		return slices.Contains(strings.Fields(text), w) || sayTheSame(w, text)
	}) || p.Kind == "side" && moves.MatchString(strings.Join(before[len(before)-2:], " ")+" "+own)
}

// sayTheSame reports whether two words say the same in the place of each other.
func sayTheSame(a, b string) bool {
	return slices.ContainsFunc(same(), func(row string) bool {
		return strings.Contains(row, " "+a+" ") && strings.Contains(row, " "+b+" ")
	})
}

// moves is what makes a way of Up and Down, and ends in a number, which makes "or less"
// of "or down".
var moves = regexp.MustCompile(`(?i)(put|drop|fall|fell|slip|jump|gain|rise|rose|ris|climb|cross|mov|go|get|pop|break|is|it|dip|\d+c?)(s|es|ing|ped|ed|en|)\b`)

// corrects is what takes back something that stands before it.
var corrects = regexp.MustCompile(`(?i)\b(actually|i mean|scratch that|no,? wait|wait|sorry|make (it|that)|rather|no)\b`)

// saysNothingOf reports whether a strategy has the value of a piece.
func (p *Piece) saysNothingOf(s *strategy.Canonical) bool {
	m, e := s.Market(), s.Exit()
	if p.Value == "sold" {
		return !e.HoldToExpiry
	}
	if p.Text == "fade it" { // a move or a price of the other token, of which the side that it takes is bought
		return slices.ContainsFunc(s.Entry(), func(c strategy.Condition) bool {
			return c.Type == strategy.PriceChange || c.Type == strategy.Price && c.Token == s.Side().Other() && c.Comparator == strategy.GT
		})
	}
	if p.Value == "0.37" {
		return slices.ContainsFunc(s.Entry(), func(c strategy.Condition) bool { return c.Type == strategy.BestAsk && c.Threshold.String() == p.Value })
	}
	if p.Kind == "waiver" {
		return p.Value == "stop" && e.StopLoss == nil && e.StopLossOffset == nil || p.Value == "target" && e.TakeProfit == nil && e.TakeProfitOffset == nil
	}
	if n, err := strconv.Atoi(p.Value); err == nil {
		return s.BudgetPerTrade() == strategy.Int(n) || slices.ContainsFunc(s.Entry(), func(c strategy.Condition) bool {
			return c.WithinSeconds > 0 && int(c.WithinSeconds) <= n || c.Type == strategy.TimeElapsed && (c.Comparator == strategy.LTE && c.Threshold <= strategy.Int(n) || c.Comparator == strategy.GTE && c.Threshold == strategy.Int(n))
		})
	}
	return p.Value != "" && slices.Contains([]string{m.Coin, string(m.Type), string(s.Side())}, p.Value)
}

var number = regexp.MustCompile(`\d+(?:[.,]\d+)?`)

// double makes two numbers of each of a prompt: what is read then has no field that
// was not read of one, but for the other end of a range.
func (r *run) double(prompt string, was *strategy.Canonical) {
	for _, at := range number.FindAllStringIndex(prompt, -1) {
		n := prompt[at[0]:at[1]]
		for _, two := range [...]string{"%s or 7", "%s to 93", "3 to %s", "%s-97", "%s, no, 13", "2 or %s", "%s / 7", "%s x 7", "%s not 7", "%s no 7", "%s 7", "%s (7)"} {
			if !r.next() {
				continue
			}
			probe := prompt[:at[0]] + fmt.Sprintf(two, n) + prompt[at[1]:]
			got, _ := r.read(probe)
			r.count(Probe{"two numbers", two, prompt, probe}, got != nil, got != nil && gains(was, got))
		}
	}
}

// gains reports whether a strategy has a field that another has not: a condition of
// another type or token, an exit at a price or at a time, a budget or a sample.
func gains(was, got *strategy.Canonical) bool {
	for f := range fields(got) {
		if !fields(was)[f] {
			return true
		}
	}
	return false
}

func fields(s *strategy.Canonical) map[string]bool {
	out := map[string]bool{}
	put := func(name string, is bool) {
		if is {
			out[name] = true
		}
	}
	for _, g := range append(slices.Clone(s.EntryAny()), s.Entry()) {
		for _, c := range g {
			put(fmt.Sprint(c.Type, c.Token), c.Type != strategy.TimeElapsed)
			put("within", c.WithinSeconds != 0 || c.Type == strategy.TimeElapsed)
		}
	}
	o := s.Strategy()
	put("budget", o.BudgetPerTrade != strategy.Int(100))
	put("sample", o.SampleSize != 50)
	e := o.Exit
	put("sold at a price", e.Aims() || e.StopLoss != nil || e.StopLossOffset != nil)
	put("trail", e.TrailingStop != nil)
	put("max hold", e.MaxHoldSeconds != 0)
	put("exit before", e.ExitBeforeSeconds != 0)
	return out
}

// Write writes the table of a result.
func (r *Result) Write(w io.Writer) error {
	all := Count{}
	line := func(kind string, c *Count) error {
		_, err := fmt.Fprintf(w, "%-14s %8d probes %8d read %6d silent\n", kind, c.Tried, c.Accepted, c.Silent)
		return err
	}
	for _, kind := range r.Kinds {
		c := r.Counts[kind]
		all.Tried, all.Accepted, all.Silent = all.Tried+c.Tried, all.Accepted+c.Accepted, all.Silent+c.Silent
		if err := line(kind, c); err != nil {
			return err
		}
	}
	return line("all", &all)
}
