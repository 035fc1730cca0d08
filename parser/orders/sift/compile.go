package sift

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// inst is one step of a program.
type inst struct {
	does  deed
	owner uint8 // the expression that it is of
	out   uint32
	arg   uint32
}

type deed uint8

const (
	jump     deed = iota // on to out
	split                // on to out and to arg
	oneOf                // a byte of the set arg, then on to out
	call                 // the part arg, then on to out
	boundary             // where a word begins or ends, on to out
	begins               // at the beginning of the text
	ends                 // at its end
	match
)

// set are bytes below 128, a bit each.
type set [2]uint64

func (s *set) add(from, to byte) {
	for c := int(from); c <= int(to); c++ {
		s[c/64] |= 1 << (c % 64)
	}
}

func (s *set) has(c byte) bool { return s[c/64]>>(c%64)&1 == 1 }

func (s *set) join(other set) { s[0], s[1] = s[0]|other[0], s[1]|other[1] }

// program is what a part is compiled to: it begins at start, and what follows it is the out of end.
type program struct {
	insts      []inst
	start, end uint32
	first      set  // the bytes that it may begin with
	empty      bool // it may take none
	loose      bool // something is counted beyond four
}

// parts are what expressions name, each compiled once.
type parts struct {
	text  func(name string) string
	of    []program
	known map[string]uint32 // their places by name
	sets  []set
	place map[set]uint32
}

// compiler makes a program of the tree that package regexp has of an expression, in which a sign that
// no text has stands for each part.
type compiler struct {
	*parts
	program
}

// fragment is a piece of a program.
type fragment struct{ start, end uint32 }

// mostCounted is up to what a repetition is counted, firstPart the sign of the first part: those of the
// others are behind it.
const mostCounted, firstPart = 4, '\uE000'

// calls are how expressions name parts.
var calls = regexp.MustCompile(`\{[a-z]+\d?\}`)

// compile appends what an expression is to instructions.
func (p *parts) compile(insts []inst, text string) program {
	c := compiler{parts: p, program: program{insts: insts}}
	tree, err := syntax.Parse(calls.ReplaceAllStringFunc(text, c.sign), syntax.Perl)
	if err != nil {
		panic(fmt.Sprintf("sift: %v", err))
	}
	all := c.tree(tree)
	c.start, c.end = all.start, all.end
	return c.program
}

// sign stands for a part, which is compiled when it is first called.
func (c *compiler) sign(called string) string {
	name := strings.Trim(called, "{}0123456789")
	place, known := c.known[name]
	if !known {
		text := c.text(name)
		if text == "" {
			panic(fmt.Sprintf("sift: no part has the name %q", name))
		}
		p := c.compile(nil, text)
		p.begin(c.parts, p.start, make([]bool, len(p.insts)))
		place = uint32(len(c.of))
		c.of, c.known[name] = append(c.of, p), place
	}
	c.loose = c.loose || c.of[place].loose
	return string(firstPart + rune(place))
}

// begin finds what a program begins with, from an instruction on.
func (p *program) begin(of *parts, at uint32, seen []bool) {
	if seen[at] {
		return
	}
	seen[at] = true
	in, on := &p.insts[at], true
	switch in.does {
	case oneOf:
		p.first.join(of.sets[in.arg])
		on = false
	case call:
		p.first.join(of.of[in.arg].first)
		on = of.of[in.arg].empty
	case split:
		p.begin(of, in.arg, seen)
	case ends:
		p.empty = true
	}
	switch {
	case on && at == p.end:
		p.empty = true
	case on:
		p.begin(of, in.out, seen)
	}
}

func (c *compiler) put(in inst) uint32 {
	c.insts = append(c.insts, in)
	return uint32(len(c.insts) - 1)
}

func (c *compiler) one(in inst) fragment {
	at := c.put(in)
	return fragment{at, at}
}

// edges are expressions that take no byte.
var edges = map[syntax.Op]deed{syntax.OpEmptyMatch: jump, syntax.OpBeginText: begins, syntax.OpEndText: ends, syntax.OpWordBoundary: boundary}

// tree compiles an expression: who takes what a group matches, and the fewest first, is of no interest.
func (c *compiler) tree(re *syntax.Regexp) fragment {
	var all []fragment
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			all = append(all, c.reads(r, r))
		}
		return c.sequence(all)
	case syntax.OpCharClass:
		return c.reads(re.Rune...)
	case syntax.OpAnyChar:
		return c.reads(0, end)
	case syntax.OpAnyCharNotNL:
		return c.reads(0, '\n'-1, '\n'+1, end)
	case syntax.OpConcat, syntax.OpAlternate, syntax.OpCapture:
		for _, sub := range re.Sub {
			all = append(all, c.tree(sub))
		}
		if re.Op == syntax.OpAlternate {
			return c.either(all)
		}
		return c.sequence(all)
	case syntax.OpQuest:
		return c.counted(re.Sub[0], 0, 1)
	case syntax.OpStar, syntax.OpPlus:
		return c.repeated(re.Sub[0], re.Op == syntax.OpPlus)
	case syntax.OpRepeat:
		if re.Max > mostCounted {
			c.loose = true
			return c.repeated(re.Sub[0], false)
		}
		return c.counted(re.Sub[0], re.Min, re.Max)
	}
	does, known := edges[re.Op]
	if !known {
		panic(fmt.Sprintf("sift: %s is not known", re))
	}
	return c.one(inst{does: does})
}

// reads compiles the bytes, and the signs of parts, that are in ranges.
func (c *compiler) reads(ranges ...rune) fragment {
	var bytes set
	var all []fragment
	for i := 0; i < len(ranges); i += 2 {
		from, to := ranges[i], ranges[i+1]
		for sign := max(from, firstPart); from >= firstPart && sign <= to; sign++ {
			all = append(all, c.one(inst{does: call, arg: uint32(sign - firstPart)}))
		}
		if from < end {
			bytes.add(byte(from), byte(min(to, end-1)))
		}
	}
	if bytes == (set{}) && len(all) > 0 {
		return c.either(all)
	}
	place, known := c.place[bytes]
	if !known {
		place = uint32(len(c.sets))
		c.sets, c.place[bytes] = append(c.sets, bytes), place
	}
	return c.either(append(all, c.one(inst{does: oneOf, arg: place})))
}

// sequence joins what stands behind each other.
func (c *compiler) sequence(all []fragment) fragment {
	for i := range all[1:] {
		c.insts[all[i].end].out = all[i+1].start
	}
	return fragment{all[0].start, all[len(all)-1].end}
}

// either joins alternatives.
func (c *compiler) either(all []fragment) fragment {
	if len(all) == 1 {
		return all[0]
	}
	joint, start := c.put(inst{}), all[0].start
	for i, one := range all {
		if c.insts[one.end].out = joint; i > 0 {
			start = c.put(inst{does: split, out: start, arg: one.start})
		}
	}
	return fragment{start, joint}
}

// repeated compiles a piece that stands any number of times, or once at least.
func (c *compiler) repeated(sub *syntax.Regexp, once bool) fragment {
	one, joint := c.tree(sub), c.put(inst{})
	loop := c.put(inst{does: split, out: one.start, arg: joint})
	if c.insts[one.end].out = loop; once {
		return fragment{one.start, joint}
	}
	return fragment{loop, joint}
}

// counted compiles one that stands so many times.
func (c *compiler) counted(sub *syntax.Regexp, least, most int) fragment {
	joint := c.one(inst{})
	var all []fragment
	for i := range most {
		one := c.tree(sub)
		if i >= least {
			one.start = c.put(inst{does: split, out: one.start, arg: joint.start})
		}
		all = append(all, one)
	}
	return c.sequence(append(all, joint))
}
