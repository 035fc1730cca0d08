package orders

import (
	"cmp"
	"encoding/binary"
	"iter"
	"math/bits"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// automaton goes through a text with many expressions at once, byte by byte, whatever the
// text is. Its states are made as texts need them.
type automaton struct {
	insts  []syntax.Inst // of all expressions
	owners []uint16      // the expression of each
	loose  []bool        // by expression, whether it counts what may stand many times
	starts []uint32      // the instruction that each expression begins with
	along  bool          // they may begin anywhere
	known  atomic.Pointer[states]
}

// states are those of an automaton that were made.
type states struct {
	*automaton
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
	passed passed   // what has ended before that byte
	loose  bool     // no expression goes on but those that count
	next   [end + 1]atomic.Pointer[state]
}

// end stands for the end of a text.
const end = 128

// maxStates is how many states are kept: with more, they are made anew.
const maxStates = 8192

// passed are expressions, a bit each.
type passed [4]uint64

func (p *passed) add(exp int)      { p[exp/64] |= 1 << (exp % 64) }
func (p *passed) has(exp int) bool { return p[exp/64]>>(exp%64)&1 == 1 }

// all goes through the expressions in order.
func (p *passed) all() iter.Seq[int] {
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

// newAutomaton makes one of patterns. What one counts beyond four may stand any number of
// times, and between the words of an amount nothing need stand: it has few states.
func newAutomaton(along bool, patterns ...string) *automaton {
	a, all := &automaton{along: along}, programs{known: map[string]rune{}}
	each, size := make([]program, len(patterns)), 0
	for i, pattern := range patterns {
		each[i] = all.compile(pattern)
		size += each[i].size
	}
	// Some 250,000 instructions: grown step by step they were copied for as long as it takes to make them.
	a.insts, a.owners = make([]syntax.Inst, 0, size), make([]uint16, size)
	for i := range each {
		from := len(a.insts)
		a.starts = append(a.starts, a.put(all.of, &each[i], nil))
		for at := from; at < len(a.insts); at++ {
			a.owners[at] = uint16(i)
		}
		a.loose = append(a.loose, each[i].loose)
	}
	return a
}

// put puts in the instructions of a program, with those of what it calls, and returns the
// first: behind it comes then, or, with nil, it matches.
func (a *automaton) put(of []program, p *program, then *uint32) uint32 {
	from := uint32(len(a.insts))
	a.insts = append(a.insts, p.Inst...)
	for at := from; at < from+uint32(len(p.Inst)); at++ {
		in := &a.insts[at]
		in.Out += from
		switch k := called(in); {
		case in.Op == syntax.InstAlt, in.Op == syntax.InstAltMatch:
			in.Arg += from
		case in.Op == syntax.InstMatch && then != nil:
			*in = syntax.Inst{Op: syntax.InstNop, Out: *then}
		case k >= 0:
			out := in.Out
			out = a.put(of, &of[k], &out)
			a.insts[at] = syntax.Inst{Op: syntax.InstNop, Out: out}
		}
	}
	return from + uint32(p.Start)
}

// program is what a pattern is compiled to.
type program struct {
	*syntax.Prog
	loose bool // something is counted beyond four
	size  int  // instructions, with those of what is called
}

// programs are those of slots and words, of which patterns are mostly made: each is made
// once, and called by a rune from call on.
type programs struct {
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

func (all *programs) compile(pattern string) (p program) {
	pattern = strings.NewReplacer("[:=]", sets, counts, "{counts}").Replace(pattern)
	re, err := syntax.Parse(slotName.ReplaceAllString(pattern, `(?P<_$1>)`), syntax.Perl)
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

// calling returns a pattern with calls of slots and words, without names.
func (all *programs) calling(re *syntax.Regexp, loose *bool) *syntax.Regexp {
	if kind, is := strings.CutPrefix(re.Name, "_"); is {
		k, known := all.known[kind]
		if !known {
			p := all.compile(cmp.Or(slots[kind].exp, words[kind]))
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
func (a *automaton) begun() *states {
	k := a.known.Load()
	if k == nil || k.count.Load() > maxStates {
		k = &states{automaton: a, by: map[string]*state{}, seen: make([]int32, len(a.insts))}
		k.start = k.kept(&state{insts: slices.Clone(a.starts), before: -1})
		a.known.Store(k)
	}
	return k
}

// from returns the expressions that match from the beginning of a text on, and how many
// bytes of it were looked at.
func (a *automaton) from(text string) (p passed, steps int) {
	k := a.begun()
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

// upTo reports, by place, whether some expression matches up to there.
func (a *automaton) upTo(text string) []bool {
	k, out := a.begun(), make([]bool, len(text)+1)
	st := k.start
	for at := range out {
		out[at] = k.then(st, end).passed != passed{}
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
