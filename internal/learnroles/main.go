// Command learnroles learns from labelled prompts which part of a strategy a number is of, and
// writes the weights that parser/roles compiles in:
//
//	go run ./internal/learnroles parser/testdata/*.jsonl
//
// The same prompts give the same bytes.
package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/internal/labelled"
	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
	"github.com/ladderback/ladderback/parser/roles"
	"github.com/ladderback/ladderback/parser/rules"
	"github.com/ladderback/ladderback/strategy"
)

// Bounds of learning: how often all examples are gone through, how often a feature must be seen, and by
// how much more than the next a role must be said before an example teaches nothing.
const (
	rounds = 8
	seldom = 3
	margin = 100
)

// example is a number with its features and what it is of.
type example struct {
	features []uint32
	role     int
}

func main() {
	out := flag.String("o", "parser/roles/weights.gz", "the file to write")
	without := flag.String("without", "", "a file to learn nothing from, on which what was learned is measured")
	verbose := flag.Bool("v", false, "list the numbers of that file that are told wrong")
	flag.Parse()
	list, held, err := read(flag.Args(), filepath.Base(*without))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	l := learn(list)
	if held != nil {
		l.measure(held, *verbose)
	}
	if err := os.WriteFile(*out, l.pack(), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// read reads files of labelled prompts; held are those of the one that nothing is learned from.
func read(files []string, without string) (list, held []labelled.Prompt, err error) {
	for _, path := range files {
		l, err := labelled.ReadFile(path)
		if err != nil {
			return nil, nil, err
		}
		if filepath.Base(path) == without {
			held = l
		} else {
			list = append(list, l...)
		}
	}
	return list, held, nil
}

// learner is an averaged perceptron: of each feature and role the weight now, and the sum of what
// it was after each step.
type learner struct {
	names  []string
	now    map[uint32][]int64
	summed map[uint32][]int64
	steps  int64
}

// learn learns from labelled prompts.
func learn(list []labelled.Prompt) *learner {
	l := &learner{now: map[uint32][]int64{}, summed: map[uint32][]int64{}}
	ids := map[string]int{}
	var examples []example
	seen := map[uint32]int{}
	for i := range list {
		labels := labelsOf(&list[i])
		if labels == nil {
			continue
		}
		features(list[i].Prompt, func(k int, features []uint32) string {
			name := labels[k][0]
			if len(labels[k]) > 1 {
				return name
			}
			if _, ok := ids[name]; !ok {
				ids[name] = len(ids)
			}
			for _, f := range features {
				seen[f]++
			}
			examples = append(examples, example{features, ids[name]})
			return name
		})
	}
	l.names = make([]string, len(ids))
	for name, i := range ids {
		l.names[i] = name
	}
	for i := range examples {
		examples[i].features = slices.DeleteFunc(examples[i].features, func(f uint32) bool { return seen[f] < seldom })
	}
	mix := rand.New(rand.NewPCG(1, 1)) // the same order each time
	for range rounds {
		for _, i := range mix.Perm(len(examples)) {
			l.see(&examples[i])
		}
	}
	fmt.Println(len(examples), "numbers,", len(l.names), "roles,", len(l.now), "features")
	return l
}

// features are those of the numbers of a prompt, see roles.Features.
func features(prompt string, tell func(k int, features []uint32) string) {
	p := grammar.New(prompt)
	defer p.Close()
	roles.Features(p, tell)
}

// see learns from an example.
func (l *learner) see(e *example) {
	l.steps++
	if best := l.rival(e); best >= 0 {
		for _, f := range e.features {
			if l.now[f] == nil {
				l.now[f], l.summed[f] = make([]int64, len(l.names)), make([]int64, len(l.names))
			}
			for role, by := range map[int]int64{best: -1, e.role: 1} {
				l.now[f][role] += by
				l.summed[f][role] += by * l.steps
			}
		}
	}
}

// rival is the role other than its own that says most of an example, where that is not clearly less;
// -1: there is none.
func (l *learner) rival(e *example) int {
	sums := make([]int64, len(l.names))
	for _, f := range e.features {
		for i, w := range l.now[f] {
			sums[i] += w
		}
	}
	best := -1
	for i, s := range sums {
		if i != e.role && (best < 0 || s > sums[best]) {
			best = i
		}
	}
	if sums[e.role]-sums[best] > margin {
		return -1
	}
	return best
}

// best is the role that says most of features.
func (l *learner) best(features []uint32, weights map[uint32][]int64) (best int) {
	sums := make([]int64, len(l.names))
	for _, f := range features {
		for i, w := range weights[f] {
			sums[i] += w
		}
	}
	for i, s := range sums {
		if s > sums[best] {
			best = i
		}
	}
	return best
}

// averaged are the weights as the mean of all steps, whole, the largest 127.
func (l *learner) averaged() map[uint32][]int64 {
	out, most := map[uint32][]int64{}, int64(1)
	for f, w := range l.now {
		row := make([]int64, len(w))
		for i := range w {
			row[i] = w[i]*(l.steps+1) - l.summed[f][i]
			most = max(most, row[i], -row[i])
		}
		out[f] = row
	}
	for _, row := range out {
		for i := range row {
			row[i] = row[i] * 127 / most
		}
	}
	return out
}

// pack writes the weights: the names of the roles, then by feature, as the distance from the one
// before, how many roles it says something of, and for each its index and weight.
func (l *learner) pack() []byte {
	var raw bytes.Buffer
	raw.WriteString(strings.Join(l.names, " ") + "\n")
	weights, last := l.averaged(), uint32(0)
	for _, f := range slices.Sorted(maps.Keys(weights)) {
		var row []byte
		for i, w := range weights[f] {
			if w != 0 {
				row = append(row, byte(i), byte(int8(w)))
			}
		}
		if len(row) == 0 {
			continue
		}
		raw.Write(binary.AppendUvarint(nil, uint64(f-last)))
		raw.WriteByte(byte(len(row) / 2))
		raw.Write(row)
		last = f
	}
	var out bytes.Buffer
	zip, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // a level that there is
	_, _ = zip.Write(raw.Bytes())                             // memory takes it
	_ = zip.Close()
	fmt.Println(raw.Len(), "bytes,", out.Len(), "packed")
	return out.Bytes()
}

// measure says how well what was learned tells numbers that nothing was learned from.
func (l *learner) measure(held []labelled.Prompt, verbose bool) {
	weights, numbers, right, prompts, whole := l.averaged(), 0, 0, 0, 0
	for i := range held {
		labels := labelsOf(&held[i])
		if labels == nil {
			continue
		}
		all := true
		features(held[i].Prompt, func(k int, features []uint32) string {
			name := l.names[l.best(features, weights)]
			numbers++
			if slices.Contains(labels[k], name) {
				right++
			} else {
				all = false
				if verbose {
					x := lexicon.Read(held[i].Prompt)
					n := x.Numbers()[k]
					fmt.Printf("%s %s for %v of %q\n    %q\n", held[i].ID, name, labels[k], x.Text(n.From, n.To), held[i].Prompt)
				}
			}
			return name
		})
		if prompts++; all {
			whole++
		}
	}
	fmt.Printf("held out: %d of %d numbers, %d of %d prompts\n", right, numbers, whole, prompts)
}

// labelsOf lists what each number of a prompt may be of, the likeliest first; nil: nothing is
// learned from the prompt.
func labelsOf(p *labelled.Prompt) [][]string {
	if len(p.Strategies) == 0 || p.Strategies[0].Extended() || len(p.Strategies[0].EntryAny()) > 0 {
		return nil
	}
	s := p.Strategies[0].Strategy()
	fields := fieldsOf(&s)
	x := lexicon.Read(p.Prompt)
	var spans []strategy.Span
	if res, _ := rules.Read(p.Prompt, rules.Overrides{}); res != nil && p.Accepts(res.Strategy, "") {
		spans = res.Trace.Spans
	}
	length, _ := strategy.Length(s.Market.Type)
	var out [][]string
	for _, n := range x.Numbers() {
		var names []string
		at := int(x.Span(n.From, n.From+1).Start)
		for _, f := range fields {
			if valueOf(x, &n, f, int64(length)) && !slices.Contains(names, f.role) {
				names = append(names, f.role)
			}
		}
		if len(names) > 1 {
			names = narrowed(names, spans, at)
		}
		if len(names) == 0 {
			names = []string{"none"}
		}
		out = append(out, names)
	}
	return out
}

// narrowed keeps what the rules read a number as, where they read it.
func narrowed(names []string, spans []strategy.Span, at int) []string {
	i := slices.IndexFunc(spans, func(s strategy.Span) bool { return s.Start <= at && at < s.End })
	if i < 0 {
		return names
	}
	field := spans[i].Field
	of := func(role string) bool {
		switch {
		case strings.HasPrefix(field, "exit."):
			return role == field[len("exit."):]
		case strings.HasPrefix(field, "entry"):
			return strings.Contains(role, ".") || strings.HasPrefix(role, "within")
		}
		return strings.HasPrefix(field, role)
	}
	kept := slices.DeleteFunc(slices.Clone(names), func(r string) bool { return !of(r) })
	if len(kept) == 0 {
		return names
	}
	return kept
}

// field is a number of a strategy with its role.
type field struct {
	role string
	kind byte // p: a price, t: seconds, u: dollars, n: a count
	n    int64
}

func fieldsOf(s *strategy.Strategy) (out []field) {
	put := func(role string, kind byte, n int64) {
		out = append(out, field{role, kind, max(n, -n)})
	}
	for _, c := range s.Entry {
		kind := byte('p')
		switch c.Type {
		case strategy.TimeElapsed, strategy.TimeRemaining, strategy.SinceEntry:
			kind = 't'
		case strategy.AskDepth, strategy.BidDepth:
			kind = 'u'
		}
		put(string(c.Type)+"."+string(c.Comparator), kind, int64(c.Threshold))
		switch {
		case c.WithinSeconds == 0:
		case c.Type == strategy.PriceChange:
			put("within.change", 't', int64(strategy.Int(c.WithinSeconds)))
		default:
			put("within", 't', int64(strategy.Int(c.WithinSeconds)))
		}
	}
	e := &s.Exit
	for _, x := range [...]struct {
		role string
		n    *strategy.Number
	}{{"take_profit", e.TakeProfit}, {"stop_loss", e.StopLoss}, {"take_profit_offset", e.TakeProfitOffset}, {"stop_loss_offset", e.StopLossOffset}, {"trailing_stop", e.TrailingStop}} {
		if x.n != nil {
			put(x.role, 'p', int64(*x.n))
		}
	}
	if e.MaxHoldSeconds > 0 {
		put("max_hold_seconds", 't', int64(strategy.Int(e.MaxHoldSeconds)))
	}
	if e.ExitBeforeSeconds > 0 {
		put("exit_before_seconds", 't', int64(strategy.Int(e.ExitBeforeSeconds)))
	}
	put("budget", 'u', int64(s.BudgetPerTrade))
	put("sample", 'n', int64(strategy.Int(s.SampleSize)))
	return out
}

// valueOf reports whether a number of a prompt may be the value of a field.
func valueOf(x *lexicon.Lattice, n *lexicon.Number, f field, length int64) bool {
	entries := lexicon.Entries()
	return slices.ContainsFunc(n.Lexemes, func(i int32) bool {
		l := &x.Lexemes[i]
		for _, v := range values(entries[l.Entry].Class, &l.Value, length) {
			if v.kind == f.kind && v.n == f.n {
				return true
			}
		}
		return false
	})
}

// values lists what a number may say: its kind, and how much of it.
func values(class string, v *lexicon.Value, length int64) []field {
	n := v.N
	switch class {
	case "CENT", "PLUSNUM", "MINUSNUM", "EDGE", "MINUSEDGE":
		return []field{{kind: 'p', n: n}}
	case "DEC", "USDC", "USD":
		return []field{{kind: 'p', n: n}, {kind: 'u', n: n}}
	case "REAL":
		return []field{{kind: 'p', n: n / 100}, {kind: 'u', n: n}}
	case "INT", "ORD", "TIMES":
		return []field{{kind: 'n', n: n}, {kind: 'u', n: n}, {kind: 'p', n: n / 100}, {kind: 't', n: n}, {kind: 't', n: 60 * n}, {kind: 't', n: 3600 * n}}
	case "DUR", "LEN", "CLEN":
		return []field{{kind: 't', n: n}}
	case "FRAC":
		den := cmp.Or(int64(v.Den), 1)
		return []field{{kind: 'p', n: int64(v.Num) * lexicon.Micro / den}, {kind: 't', n: length * int64(v.Num) / den}}
	}
	return nil
}
