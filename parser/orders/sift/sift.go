// Package sift says which of many expressions match in a text, in one way through it.
package sift

import (
	"encoding/binary"
	"iter"
	"math/bits"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Sieve goes through a text with many expressions at once, byte by byte, whatever the
// text is. Its states are made as texts need them. It may be used at the same time.
type Sieve struct {
	insts  []syntax.Inst // of all expressions
	owners []uint16      // the expression of each
	loose  []bool        // by expression, whether it counts what may stand many times
	starts []uint32      // the instruction that each expression begins with
	along  bool          // they may begin anywhere
	known  atomic.Pointer[states]
}

// states are those of a sieve that were made.
type states struct {
	*Sieve
	start *state
	count atomic.Int32

	made sync.Mutex // for what follows
	by   map[string]*state
	seen []int32 // by instruction, the last state for which it was seen
	last int32
}

// state is where a text has led to.
type state struct {
	insts  []uint32 // that are next, in order
	before rune     // of the kind of the byte before, -1 at the beginning
	passed Passed   // what has ended before that byte
	loose  bool     // no expression goes on but those that count
	next   [end + 1]atomic.Pointer[state]
}

// end stands for the end of a text.
const end = 128

// maxStates is how many states are kept: with more, they are made anew.
const maxStates = 8192

// Passed are expressions, a bit each.
type Passed [4]uint64

func (p *Passed) add(exp int)      { p[exp/64] |= 1 << (exp % 64) }
func (p *Passed) Has(exp int) bool { return p[exp/64]>>(exp%64)&1 == 1 }

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
	s, all := &Sieve{along: along}, programs{part: part, known: map[string]rune{}}
	each, size := make([]program, len(expressions)), 0
	for i, exp := range expressions {
		each[i] = all.compile(exp)
		size += each[i].size
	}
	// Some 250,000 instructions: grown step by step they were copied for as long as it takes to make them.
	s.insts, s.owners = make([]syntax.Inst, 0, size), make([]uint16, size)
	for i := range each {
		from := len(s.insts)
		s.starts = append(s.starts, s.put(all.of, &each[i], nil))
		for at := from; at < len(s.insts); at++ {
			s.owners[at] = uint16(i)
		}
		s.loose = append(s.loose, each[i].loose)
	}
	return s
}

// put puts in the instructions of a program, with those of what it calls, and returns the
// first: behind it comes then, or, with nil, it matches.
func (s *Sieve) put(of []program, p *program, then *uint32) uint32 {
	from := uint32(len(s.insts))
	s.insts = append(s.insts, p.Inst...)
	for at := from; at < from+uint32(len(p.Inst)); at++ {
		in := &s.insts[at]
		in.Out += from
		switch k := called(in); {
		case in.Op == syntax.InstAlt, in.Op == syntax.InstAltMatch:
			in.Arg += from
		case in.Op == syntax.InstMatch && then != nil:
			*in = syntax.Inst{Op: syntax.InstNop, Out: *then}
		case k >= 0:
			out := in.Out
			out = s.put(of, &of[k], &out)
			s.insts[at] = syntax.Inst{Op: syntax.InstNop, Out: out}
		}
	}
	return from + uint32(p.Start)
}

// program is what an expression is compiled to.
type program struct {
	*syntax.Prog
	loose bool // something is counted beyond four
	size  int  // instructions, with those of what is called
}

// programs are those of parts, of which expressions are mostly made: each is made
// once, and called by a rune from call on.
type programs struct {
	part  func(name string) string
	of    []program
	known map[string]rune
}

const call = '\uE000'

// called returns the number of the program that an instruction calls, below 0 where it does not.
func called(in *syntax.Inst) int {
	if in.Op == syntax.InstRune1 {
		return int(in.Rune[0] - call)
	}
	return -1
}

// named is the name of a part.
var named = regexp.MustCompile(`\{([a-z]+)\d?\}`)

func (all *programs) compile(exp string) (p program) {
	re, err := syntax.Parse(named.ReplaceAllString(exp, `(?P<_$1>)`), syntax.Perl)
	if err == nil {
		p.Prog, err = syntax.Compile(all.calling(re, &p.loose).Simplify())
	}
	if err != nil {
		panic(err)
	}
	for i := range p.Inst {
		if p.size++; called(&p.Inst[i]) >= 0 {
			p.size += all.of[called(&p.Inst[i])].size
		}
	}
	return p
}

// calling returns an expression with calls of parts, without names.
func (all *programs) calling(re *syntax.Regexp, loose *bool) *syntax.Regexp {
	if kind, is := strings.CutPrefix(re.Name, "_"); is {
		k, known := all.known[kind]
		if !known {
			p := all.compile(all.part(kind))
			k = call + rune(len(all.of))
			all.of, all.known[kind] = append(all.of, p), k
		}
		*loose = *loose || all.of[k-call].loose
		return &syntax.Regexp{Op: syntax.OpLiteral, Rune: []rune{k}}
	}
	for i, sub := range re.Sub {
		re.Sub[i] = all.calling(sub, loose)
	}
	switch {
	case re.Op == syntax.OpCapture:
		return re.Sub[0]
	case re.Op == syntax.OpRepeat && re.Max > 4:
		re.Op, *loose = syntax.OpStar, true
	}
	return re
}

// begun returns the states to begin a text with.
func (s *Sieve) begun() *states {
	k := s.known.Load()
	if k == nil || k.count.Load() > maxStates {
		k = &states{Sieve: s, by: map[string]*state{}, seen: make([]int32, len(s.insts))}
		k.start = k.kept(&state{insts: slices.Clone(s.starts), before: -1})
		s.known.Store(k)
	}
	return k
}

// From returns the expressions that match from the beginning of a text on, and how many
// bytes of it were looked at.
func (s *Sieve) From(text string) (p Passed, steps int) {
	k := s.begun()
	loose := 0
	for st := k.start; len(st.insts) > 0 && steps <= len(text) && loose < mostLoose; steps++ {
		c := byte(end)
		if steps < len(text) {
			c = text[steps]
		}
		if st = k.then(st, c); st.loose {
			loose++
		}
		for i := range p {
			p[i] |= st.passed[i]
		}
	}
	return p, steps
}

// UpTo reports, by place, whether some expression matches up to there.
func (s *Sieve) UpTo(text string) []bool {
	k, out := s.begun(), make([]bool, len(text)+1)
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
	r, next := rune(c), &state{before: ' '}
	switch {
	case c == end:
		r = -1
	case syntax.IsWordChar(r):
		next.before = 'a'
	}
	holds := syntax.EmptyOpContext(st.before, r)
	k.last++
	for todo := slices.Clone(st.insts); len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if k.seen[at] == k.last {
			continue
		}
		k.seen[at] = k.last
		switch in := &k.insts[at]; in.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			todo = append(todo, in.Out, in.Arg)
		case syntax.InstCapture, syntax.InstNop:
			todo = append(todo, in.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(in.Arg)&^holds == 0 {
				todo = append(todo, in.Out)
			}
		case syntax.InstMatch:
			next.passed.add(int(k.owners[at]))
		case syntax.InstFail:
		default:
			if r >= 0 && in.MatchRune(r) {
				next.insts = append(next.insts, in.Out)
			}
		}
	}
	if k.along {
		next.insts = append(next.insts, k.starts...)
	}
	slices.Sort(next.insts)
	next.insts = slices.Compact(next.insts)
	next.loose = !slices.ContainsFunc(next.insts, func(at uint32) bool { return !k.loose[k.owners[at]] })
	return next
}

// kept returns the state that is known as a new one, which is known from then on.
func (k *states) kept(st *state) *state {
	key := binary.LittleEndian.AppendUint32(nil, uint32(st.before))
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
