package sift

import (
	"fmt"
	"strconv"
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
	letter               // the byte arg, then on to out
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

func (s set) not() set { return set{^s[0], ^s[1]} }

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

// compiler compiles an expression of the syntax of package regexp: it knows of that what expressions
// here are made of, groups, alternatives, repetitions, sets, \b, \d, \s, \n, ^ and $, and {name}.
// That takes a fifth of the time that package needs for the hundreds of them before the first text.
type compiler struct {
	*parts
	program
	text string
	at   int
	dots set // what a dot stands for
}

// fragment is a piece of a program.
type fragment struct{ start, end uint32 }

// mostCounted is up to what a repetition is counted.
const mostCounted = 4

// compile appends what an expression is to instructions.
func (p *parts) compile(insts []inst, text string) program {
	c := compiler{parts: p, program: program{insts: insts}, text: text, dots: set{1 << '\n'}.not()}
	all := c.either()
	if c.at < len(text) {
		c.fail("a parenthesis without its other")
	}
	c.start, c.end = all.start, all.end
	return c.program
}

// begin finds what a program begins with, from an instruction on.
func (p *program) begin(of *parts, at uint32, seen []bool) {
	if seen[at] {
		return
	}
	seen[at] = true
	in, on := &p.insts[at], true
	switch in.does {
	case letter:
		p.first.add(byte(in.arg), byte(in.arg))
		on = false
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

func (c *compiler) fail(what string) {
	panic(fmt.Sprintf("sift: %s at %d of %q", what, c.at, c.text))
}

func (c *compiler) put(in inst) uint32 {
	c.insts = append(c.insts, in)
	return uint32(len(c.insts) - 1)
}

func (c *compiler) one(in inst) fragment {
	at := c.put(in)
	return fragment{at, at}
}

func (c *compiler) reads(s set) fragment {
	place, known := c.place[s]
	if !known {
		place = uint32(len(c.sets))
		c.sets, c.place[s] = append(c.sets, s), place
	}
	return c.one(inst{does: oneOf, arg: place})
}

// takes goes on behind a text, if that is next.
func (c *compiler) takes(text string) bool {
	is := strings.HasPrefix(c.text[c.at:], text)
	if is {
		c.at += len(text)
	}
	return is
}

// next takes the next byte.
func (c *compiler) next() byte {
	if c.at == len(c.text) {
		c.fail("more expected")
	}
	c.at++
	return c.text[c.at-1]
}

// upTo takes what stands before a text, and that.
func (c *compiler) upTo(text string) string {
	before, _, is := strings.Cut(c.text[c.at:], text)
	if !is {
		c.fail(text + " expected")
	}
	c.at += len(before) + len(text)
	return before
}

// either compiles alternatives.
func (c *compiler) either() fragment {
	all := c.sequence()
	if !strings.HasPrefix(c.text[c.at:], "|") {
		return all
	}
	joint := c.put(inst{})
	c.insts[all.end].out = joint
	for c.takes("|") {
		other := c.sequence()
		c.insts[other.end].out = joint
		all.start = c.put(inst{does: split, out: all.start, arg: other.start})
	}
	return fragment{all.start, joint}
}

// sequence compiles what stands behind each other.
func (c *compiler) sequence() (all fragment) {
	for n := 0; ; n++ {
		if c.at == len(c.text) || c.text[c.at] == '|' || c.text[c.at] == ')' {
			if n == 0 {
				return c.one(inst{})
			}
			return all
		}
		next := c.repeated()
		if n == 0 {
			all = next
			continue
		}
		c.insts[all.end].out = next.start
		all.end = next.end
	}
}

// repeated compiles a piece with how often it stands.
func (c *compiler) repeated() fragment {
	from := c.at
	one := c.piece()
	least, most, counted := c.count()
	if !counted {
		return one
	}
	c.takes("?") // the fewest first: which is all one
	after, joint := c.at, c.put(inst{})
	if most > mostCounted {
		loop := c.put(inst{does: split, out: one.start, arg: joint})
		c.insts[one.end].out = loop
		if least == 0 {
			one.start = loop
		}
		return fragment{one.start, joint}
	}
	all := fragment{joint, joint}
	for i := range most {
		if i > 0 {
			c.at = from
			one = c.piece()
		}
		if i >= least {
			one.start = c.put(inst{does: split, out: one.start, arg: joint})
		}
		if i == 0 {
			all = one
			continue
		}
		c.insts[all.end].out = one.start
		all.end = one.end
	}
	c.insts[all.end].out = joint
	c.at = after
	return fragment{all.start, joint}
}

// count takes how often something stands: any number of times is beyond what is counted.
func (c *compiler) count() (least, most int, is bool) {
	const any = mostCounted + 1
	switch {
	case c.takes("?"):
		return 0, 1, true
	case c.takes("*"):
		return 0, any, true
	case c.takes("+"):
		return 1, any, true
	case c.at+1 == len(c.text) || !strings.HasPrefix(c.text[c.at:], "{") || c.text[c.at+1] > '9':
		return 0, 0, false
	}
	c.at++
	from, to, two := strings.Cut(c.upTo("}"), ",")
	if !two {
		to = from
	}
	least, err1 := strconv.Atoi(from)
	most, err2 := strconv.Atoi(to)
	if err1 != nil || err2 != nil {
		c.fail("{least,most} expected")
	}
	if most > mostCounted {
		c.loose = true
		return 0, any, true
	}
	return least, most, true
}

// piece compiles what a count may stand behind.
func (c *compiler) piece() fragment {
	switch ch := c.next(); ch {
	case '(':
		return c.group()
	case '[':
		return c.reads(c.class())
	case '.':
		return c.reads(c.dots)
	case '^':
		return c.one(inst{does: begins})
	case '$':
		return c.one(inst{does: ends})
	case '{':
		return c.named(strings.TrimRight(c.upTo("}"), "0123456789"))
	case '\\':
		if c.takes("b") {
			return c.one(inst{does: boundary})
		}
		return c.reads(c.escaped())
	case '*', '+', '?':
		c.fail("nothing to repeat")
		return fragment{}
	default:
		c.single(ch)
		return c.one(inst{does: letter, arg: uint32(ch)})
	}
}

// group compiles what stands in parentheses: who takes what it matches is not of interest.
func (c *compiler) group() fragment {
	before := c.dots
	switch {
	case c.takes("?s:"):
		c.dots = set{}.not()
	case c.takes("?P<"):
		c.upTo(">")
	case !c.takes("?:") && c.takes("?"):
		c.fail("a kind of group that is not known")
	}
	all := c.either()
	if c.dots = before; !c.takes(")") {
		c.fail(") expected")
	}
	return all
}

// named compiles a part.
func (c *compiler) named(name string) fragment {
	place, known := c.known[name]
	if !known {
		text := c.parts.text(name)
		if text == "" {
			c.fail("a part that is not known")
		}
		p := c.compile(nil, text)
		p.begin(c.parts, p.start, make([]bool, len(p.insts)))
		place = uint32(len(c.of))
		c.of, c.known[name] = append(c.of, p), place
	}
	c.loose = c.loose || c.of[place].loose
	return c.one(inst{does: call, arg: place})
}

// class takes the rest of a set in brackets.
func (c *compiler) class() (s set) {
	not := c.takes("^")
	for first := true; first || !c.takes("]"); first = false {
		from := c.next()
		if from == '\\' {
			s.join(c.escaped())
			continue
		}
		to := from
		if rest := c.text[c.at:]; len(rest) > 1 && rest[0] == '-' && rest[1] != ']' {
			c.at++
			to = c.next()
		}
		s.add(from, to)
	}
	if not {
		return s.not()
	}
	return s
}

// escaped takes what stands behind a backslash.
func (c *compiler) escaped() (s set) {
	switch ch := c.next(); {
	case ch == 'd':
		s.add('0', '9')
	case ch == 's':
		s = c.single(' ', '\t', '\n', '\f', '\r')
	case ch == 'n':
		s = c.single('\n')
	case ch >= '0' && ch <= '9' || ch >= 'a' && ch <= 'z' || ch >= 'A' && ch <= 'Z':
		c.fail("an escape that is not known")
	default:
		s = c.single(ch)
	}
	return s
}

func (c *compiler) single(list ...byte) (s set) {
	for _, ch := range list {
		if ch >= end {
			c.fail("a sign that no text has")
		}
		s.add(ch, ch)
	}
	return s
}
