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
	a, all := &automaton{along: along}, trees{}
	progs, size := make([]*syntax.Prog, len(patterns)), 0
	for i, pattern := range patterns {
		t := all.parse(pattern)
		a.loose = append(a.loose, t.loose)
		var err error
		if progs[i], err = syntax.Compile(t.Regexp); err != nil {
			panic(err)
		}
		size += len(progs[i].Inst)
	}
	// Some 250,000 instructions: grown step by step they were copied for as long as it takes to make them.
	a.insts, a.owners = make([]syntax.Inst, 0, size), make([]uint16, 0, size)
	for i, prog := range progs {
		from := uint32(len(a.insts))
		for _, in := range prog.Inst {
			in.Out += from
			if in.Op == syntax.InstAlt || in.Op == syntax.InstAltMatch {
				in.Arg += from
			}
			a.insts, a.owners = append(a.insts, in), append(a.owners, uint16(i))
		}
		a.starts = append(a.starts, from+uint32(prog.Start))
	}
	return a
}

// tree is a pattern as it is parsed; loose: something in it is counted beyond four.
type tree struct {
	*syntax.Regexp
	loose bool
}

// trees are those of slots and words, of which patterns are mostly made: each is parsed once.
type trees map[string]tree

func (all trees) parse(pattern string) tree {
	pattern = strings.NewReplacer("[:=]", sets, counts, `(?:(?:[ -]| and )?`+number+`)+`).Replace(pattern)
	re, err := syntax.Parse(slotName.ReplaceAllString(pattern, `(?P<_$1>)`), syntax.Perl)
	if err != nil {
		panic(err)
	}
	t := all.filled(re)
	t.Regexp = t.Simplify()
	return t
}

// filled puts the trees of slots and words into that of a pattern, which loses its names.
func (all trees) filled(re *syntax.Regexp) tree {
	if kind, is := strings.CutPrefix(re.Name, "_"); is {
		t, known := all[kind]
		if !known {
			t = all.parse(cmp.Or(slots[kind].exp, words[kind]))
			all[kind] = t
		}
		return t
	}
	out := tree{Regexp: re}
	for i, sub := range re.Sub {
		t := all.filled(sub)
		re.Sub[i], out.loose = t.Regexp, out.loose || t.loose
	}
	switch {
	case re.Op == syntax.OpCapture:
		out.Regexp = re.Sub[0]
	case re.Op == syntax.OpRepeat && re.Max > 4:
		re.Op, out.loose = syntax.OpStar, true
	}
	return out
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
