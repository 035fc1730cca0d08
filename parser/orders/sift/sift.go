// Package sift says which of many expressions match in a text, in one way through it.
package sift

import (
	"encoding/binary"
	"iter"
	"math"
	"math/bits"
	"regexp/syntax"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ladderback/ladderback/parser/lazy"
)

// Sieve goes through a text with many expressions at once, byte by byte, whatever the
// text is. They are compiled, and its states made, as texts need them. It may be used at the same time.
type Sieve struct {
	expressions []string
	along       bool // they may begin anywhere

	made     sync.Mutex // for what follows, and states that are made
	known    *states
	compiled Passed
	asked    int      // how many texts May was asked of
	loose    []bool   // by expression, whether it counts what may stand many times
	starts   []uint32 // the instruction that each expression begins with
	parts
	insts []inst  // of those that are compiled
	seen  []int32 // by instruction, the last state for which it was seen
	last  int32
}

// states are those of a sieve that were made.
type states struct {
	*Sieve
	count atomic.Int32
	by    map[string]*state
	begun map[Passed]*state // with which expressions a text begins
}

// Way is how some expressions of a sieve go through texts, of one goroutine.
type Way struct {
	*states
	some  Passed
	start *state
}

// state is where a text has led to.
type state struct {
	insts  []uint32         // that are next, in order
	before kind             // of the byte before
	passed Passed           // what has ended before that byte
	loose  bool             // no expression goes on but those that count
	ahead  [word + 1]*ahead // by the kind of the byte behind, nil: not known
	next   [end + 1]atomic.Pointer[state]
}

// end stands for the end of a text.
const end = 128

// maxStates is how many states are kept: with more, they are made anew.
const maxStates = 8192

// Passed are expressions, a bit each.
type Passed [4]uint64

func (p *Passed) Add(exp int)      { p[exp/64] |= 1 << (exp % 64) }
func (p *Passed) Has(exp int) bool { return p[exp/64]>>(exp%64)&1 == 1 }

// Join adds the expressions of another.
func (p *Passed) Join(other Passed) {
	for i := range p {
		p[i] |= other[i]
	}
}

// All goes through the expressions in order.
func (p *Passed) All() iter.Seq[int] {
	return func(yield func(exp int) bool) {
		for i, word := range p {
			for ; word != 0; word &= word - 1 {
				if !yield(64*i + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

// mostLoose is how long a text is gone through with expressions alone that count.
const mostLoose = 240

// New makes one of at most 256 expressions, which begin where a text does, or anywhere along it. What
// one counts beyond four may stand any number of times: it has few states, and may let
// pass what does not match. A {name} in an expression, with a digit or without, is the one that part returns.
func New(along bool, part func(name string) string, expressions ...string) *Sieve {
	n := len(expressions)
	return &Sieve{
		expressions: expressions, along: along, loose: make([]bool, n), starts: make([]uint32, n),
		parts: parts{text: part, of: []*program{{does: []syntax.Inst{jump: {Op: syntax.InstNop}, match: {Op: syntax.InstMatch}}}}, known: map[string]rune{}},
	}
}

// May returns the expressions that may match somewhere in a text: those whose letters it has, and those that
// are compiled; behind the first few texts all.
func (s *Sieve) May(text string) Passed {
	s.made.Lock()
	s.asked++
	p, all := s.compiled, s.asked > lazy.Few
	s.made.Unlock()
	if all {
		return s.all()
	}
	known := map[string]bool{}
	var part func(name string) bool
	part = func(name string) bool {
		may, is := known[name]
		if !is {
			may = lazy.May(text, s.text(name), part)
			known[name] = may
		}
		return may
	}
	for i, exp := range s.expressions {
		if !p.Has(i) && lazy.May(text, exp, part) {
			p.Add(i)
		}
	}
	return p
}

// all are the expressions.
func (s *Sieve) all() (p Passed) {
	for exp := range s.expressions {
		p.Add(exp)
	}
	return p
}

// With returns the way of some expressions.
func (s *Sieve) With(some Passed) *Way {
	w := &Way{some: some}
	w.begin(s)
	return w
}

// begin begins anew, with other states where there are too many.
func (w *Way) begin(s *Sieve) {
	s.made.Lock()
	defer s.made.Unlock()
	if s.known == nil || s.known.count.Load() > maxStates {
		s.known = &states{Sieve: s, by: map[string]*state{}, begun: map[Passed]*state{}}
	}
	k := s.known
	if k.begun[w.some] == nil {
		start := &state{}
		for exp := range w.some.All() {
			s.compileOne(exp)
			start.insts = append(start.insts, s.starts[exp])
		}
		k.begun[w.some] = k.kept(start)
	}
	w.states, w.start = k, k.begun[w.some]
}

// compileOne compiles an expression that is not yet.
func (s *Sieve) compileOne(exp int) {
	if s.compiled.Has(exp) {
		return
	}
	p := s.compile(s.expressions[exp])
	s.starts[exp], s.loose[exp] = s.put(p, inst{at: match, owner: uint8(exp)}), p.loose
	s.compiled.Add(exp)
}

// put appends the program of an expression, or of a part, with what stands for its end, and returns where it
// begins.
func (s *Sieve) put(p *program, last inst) (start uint32) {
	base := uint32(len(s.insts))
	for i := range p.does {
		does := &p.does[i]
		one := inst{p.place, uint32(i), does.Out + base, does.Arg + base, last.owner}
		if does.Op == syntax.InstMatch {
			one = last
		}
		s.insts = append(s.insts, one)
	}
	s.seen = slices.Grow(s.seen, len(p.does))[:len(s.insts)]
	return base + p.start
}

// Steps of the first program: on to the next, and the end of a match.
const jump, match = 0, 1

// expand puts a part in where it is called: parts of parts make hundreds of thousands of instructions of
// an expression's few, and a text comes to some of them.
func (s *Sieve) expand(at uint32) {
	in := s.insts[at]
	on := inst{at: jump, out: in.out, owner: in.owner}
	on.out = s.put(s.called(s.does(&in)), on)
	s.insts[at] = on
}

// From returns the expressions that match from the beginning of a text on, and how many
// bytes of it were looked at.
func (w *Way) From(text string) (p Passed, steps int) {
	if w.count.Load() > maxStates {
		w.begin(w.Sieve)
	}
	loose := 0
	for st := w.start; len(st.insts) > 0 && steps <= len(text) && loose < mostLoose; steps++ {
		c := byte(end)
		if steps < len(text) {
			c = text[steps]
		}
		if st = w.then(st, c); st.loose {
			loose++
		}
		p.Join(st.passed)
	}
	return p, steps
}

// UpTo reports, by place, whether some expression matches up to there.
func (s *Sieve) UpTo(text string) []bool {
	k, out := s.With(s.all()), make([]bool, len(text)+1)
	st := k.start
	for at := range out {
		out[at] = k.then(st, end).passed != Passed{}
		if at < len(text) {
			st = k.then(st, text[at])
		}
	}
	return out
}

// then returns the state behind a byte.
func (k *states) then(st *state, c byte) *state {
	next := st.next[c].Load()
	if next == nil {
		k.made.Lock()
		defer k.made.Unlock()
		next = k.kept(k.after(st, c))
		st.next[c].Store(next)
	}
	return next
}

// after makes the state behind a byte.
func (k *states) after(st *state, c byte) *state {
	next := &state{before: kindOf(c)}
	if st.ahead[next.before] == nil {
		st.ahead[next.before] = k.reach(st.insts, st.before, next.before)
	}
	k.read(next, st.before, st.ahead[next.before], c)
	if k.along {
		next.insts = append(next.insts, k.starts...)
	}
	slices.Sort(next.insts)
	next.insts = slices.Compact(next.insts)
	next.loose = !slices.ContainsFunc(next.insts, func(at uint32) bool { return !k.loose[k.insts[at].owner] })
	return next
}

// ahead is how far one comes from a state before a byte.
type ahead struct {
	reads  []uint32 // instructions that take a byte
	calls  []called // parts that do, not yet in their place
	passed Passed
}

// called is an instruction that calls a part, or has.
type called struct {
	at   uint32
	part *program
}

// reach returns how far one comes from instructions between bytes of two kinds.
func (k *states) reach(from []uint32, before, behind kind) *ahead {
	out := &ahead{}
	if k.last++; k.last == math.MaxInt32 { // a server may come to that
		clear(k.seen)
		k.last = 1
	}
	for todo := slices.Clone(from); len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if k.seen[at] == k.last {
			continue
		}
		k.seen[at] = k.last
		in := &k.insts[at]
		does := k.does(in)
		switch does.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			todo = append(todo, in.out, in.arg)
		case syntax.InstMatch:
			out.passed.Add(int(in.owner))
		case syntax.InstEmptyWidth, syntax.InstCapture, syntax.InstNop:
			if holds(does, before, behind) {
				todo = append(todo, in.out)
			}
		default:
			switch part := k.called(does); {
			case part != nil && part.empty:
				k.expand(at)
				todo = append(todo, k.insts[at].out)
			case behind == none:
			case part != nil:
				out.calls = append(out.calls, called{at, part})
			default:
				out.reads = append(out.reads, at)
			}
		}
	}
	return out
}

// read takes a byte from where one has come to, to a next state. A part is put in its place when a byte
// comes that it may begin with.
func (k *states) read(next *state, before kind, from *ahead, c byte) {
	next.passed.Join(from.passed)
	for _, at := range from.reads {
		if in := &k.insts[at]; k.does(in).MatchRune(rune(c)) {
			next.insts = append(next.insts, in.out)
		}
	}
	var into []uint32
	for _, one := range from.calls {
		if !one.part.first[c] {
			continue
		}
		if k.called(k.does(&k.insts[one.at])) != nil {
			k.expand(one.at)
		}
		into = append(into, one.at)
	}
	if into != nil {
		k.read(next, before, k.reach(into, before, next.before), c)
	}
}

// kind is what a byte is to the boundaries of words.
type kind uint8

const (
	none kind = iota // before the beginning, and at the end
	sign
	word
)

func kindOf(c byte) kind {
	switch {
	case c == end:
		return none
	case syntax.IsWordChar(rune(c)):
		return word
	}
	return sign
}

// holds reports whether one may go on between bytes of two kinds.
func holds(in *syntax.Inst, before, behind kind) bool {
	like := [...]rune{none: -1, sign: ' ', word: 'a'}
	return in.Op != syntax.InstEmptyWidth || syntax.EmptyOp(in.Arg)&^syntax.EmptyOpContext(like[before], like[behind]) == 0
}

// kept returns the state that is known as a new one, which is known from then on.
func (k *states) kept(st *state) *state {
	key := []byte{byte(st.before)}
	for _, word := range st.passed {
		key = binary.LittleEndian.AppendUint64(key, word)
	}
	for _, at := range st.insts {
		key = binary.LittleEndian.AppendUint32(key, at)
	}
	if one := k.by[string(key)]; one != nil {
		return one
	}
	k.by[string(key)] = st
	k.count.Add(1)
	return st
}
