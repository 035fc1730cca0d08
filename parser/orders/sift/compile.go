package sift

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// inst is one step of a program, in its place among all.
type inst struct {
	of       uint16 // the program
	at       uint32 // which step of it
	out, arg uint32 // where it leads
	owner    uint8  // the expression that it is of
}

// program is what an expression, or a part of some, is compiled to. A sign that no text has stands in it for
// each part that it calls.
type program struct {
	does  []syntax.Inst
	start uint32
	place uint16    // among all programs
	first [end]bool // the bytes that it may begin with
	empty bool      // it may take none
	loose bool      // something is counted beyond four
}

// parts are what expressions name, each compiled once.
type parts struct {
	text  func(name string) string
	of    []*program      // those of expressions too; the first is what stands for the end of others
	known map[string]rune // their signs by name
}

// mostCounted is up to what a repetition is counted, firstPart the sign of the first part: those of the
// others are behind it.
const mostCounted, firstPart = 4, '\uE000'

// calls are how expressions name parts.
var calls = regexp.MustCompile(`\{[a-z]+\d?\}`)

// compile makes the program of an expression: who takes what a group matches, and the fewest first, is of no
// interest.
func (p *parts) compile(text string) *program {
	out := &program{}
	tree, err := syntax.Parse(calls.ReplaceAllStringFunc(text, func(called string) string { return p.sign(called, out) }), syntax.Perl)
	if err != nil {
		panic(fmt.Sprintf("sift: %v", err))
	}
	out.loosen(tree)
	made, err := syntax.Compile(tree.Simplify())
	if err != nil {
		panic(fmt.Sprintf("sift: %v", err))
	}
	out.does, out.start, out.place = made.Inst, uint32(made.Start), uint16(len(p.of))
	p.of = append(p.of, out)
	for _, in := range out.does {
		if in.Op == syntax.InstEmptyWidth && syntax.EmptyOp(in.Arg)&^edges != 0 {
			panic(fmt.Sprintf("sift: %s is not known", text))
		}
	}
	return out
}

// edges are what an expression may ask of where it is.
const edges = syntax.EmptyBeginText | syntax.EmptyEndText | syntax.EmptyWordBoundary

// sign stands for a part in an expression, as a group: it is no letter among others. The part is compiled when
// it is first called.
func (p *parts) sign(called string, by *program) string {
	name := strings.Trim(called, "{}0123456789")
	sign, known := p.known[name]
	if !known {
		text := p.text(name)
		if text == "" {
			panic(fmt.Sprintf("sift: no part has the name %q", name))
		}
		part := p.compile(text)
		part.begin(p, part.start, make([]bool, len(part.does)))
		sign = firstPart + rune(part.place)
		p.known[name] = sign
	}
	by.loose = by.loose || p.of[sign-firstPart].loose
	return "(" + string(sign) + ")"
}

// does is what an instruction does.
func (p *parts) does(in *inst) *syntax.Inst { return &p.of[in.of].does[in.at] }

// called is the part that an instruction calls, nil for none.
func (p *parts) called(in *syntax.Inst) *program {
	if in.Op == syntax.InstRune1 && in.Rune[0] >= firstPart {
		return p.of[in.Rune[0]-firstPart]
	}
	return nil
}

// loosen counts nothing beyond four, which may stand any number of times, and leaves groups out.
func (p *program) loosen(re *syntax.Regexp) {
	for re.Op == syntax.OpCapture {
		*re = *re.Sub[0]
	}
	if re.Op == syntax.OpRepeat && re.Max > mostCounted {
		re.Op, p.loose = syntax.OpStar, true
	}
	for _, sub := range re.Sub {
		p.loosen(sub)
	}
}

// begin finds what a program begins with, from an instruction on.
func (p *program) begin(of *parts, at uint32, seen []bool) {
	if seen[at] {
		return
	}
	seen[at] = true
	switch in := &p.does[at]; in.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		p.begin(of, in.Out, seen)
		p.begin(of, in.Arg, seen)
	case syntax.InstMatch:
		p.empty = true
	case syntax.InstCapture, syntax.InstNop, syntax.InstEmptyWidth:
		p.empty = p.empty || in.Op == syntax.InstEmptyWidth && syntax.EmptyOp(in.Arg) == syntax.EmptyEndText
		p.begin(of, in.Out, seen)
	default:
		if part := of.called(in); part != nil {
			for c, is := range part.first {
				p.first[c] = p.first[c] || is
			}
			if part.empty {
				p.begin(of, in.Out, seen)
			}
			return
		}
		for i := 0; i < len(in.Rune); i += 2 { // from one to the next, or one alone
			for c := in.Rune[i]; c <= min(in.Rune[min(i+1, len(in.Rune)-1)], end-1); c++ {
				p.first[c] = true
			}
		}
	}
}
