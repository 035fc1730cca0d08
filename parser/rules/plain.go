package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ladderback/ladderback/parser/lazy"
	"github.com/ladderback/ladderback/strategy"
)

// plain is a prompt as it is read: with one space for each run of them, but for those that a line
// begins with, comparators in two signs for those in one, points for the commas of fractions, one full stop
// for several, commas for the brackets of a correction and before another side of the book, and keys without what they stand in.
type plain struct {
	prompt []rune
	text   string
	at     []int        // places in the prompt of the code points of the text
	within map[int]bool // places in it of what keys stand in, which the text has not
	as     map[int]rune // what is written at places in it, for what stands there
}

// signs are comparators that are written in two.
var signs = map[rune][]rune{'≤': []rune("<="), '≥': []rune(">=")}

// within is what a key of the object stands in: "exit.max_hold_seconds=90".
var within = lazy.Compile(`(?i)\b(?:strategy\.)?exit\.[a-z_]+ ?[=:]`)

// corrects is a correction in brackets: "sl 10c (actually 12c)".
var corrects = lazy.Compile(`(?i)\((?:actually|no,|sorry,|make that|i mean|or rather) [^()\n]*\)`)

// apart is where one side of the book ends and a condition on the other begins: "$500 on the bid and the ask is 47c".
var apart = lazy.Compile(`(?i)\b(?:on|at|in) (?:the |its )?(?:best )?(?:bid|ask|offer)s? and (?:the |its )?(?:best )?(?:bid|ask|offer) is\b`)

func plainly(prompt string) *plain {
	s := &plain{prompt: []rune(prompt), within: map[int]bool{}, as: map[int]rune{}}
	var text []rune
	s.divide(prompt)
	for _, at := range within.FindAllStringIndex(prompt, -1) {
		from := utf8.RuneCountInString(prompt[:at[0]])
		for i := range strings.LastIndexByte(prompt[at[0]:at[1]], '.') + 1 {
			s.within[from+i] = true
		}
	}
	last, indent := '\n', true // the last that is kept; whether a line has begun with nothing else
	for i, r := range s.prompt {
		if indent = isBlank(r) && (indent || last == '\n'); isBlank(r) && !indent && isBlank(last) {
			continue
		}
		if s.within[i] || r == '.' && last == '.' && s.ends(i) { // "$60.. last 10 min no entries"
			continue
		}
		for _, c := range s.written(i) {
			text, s.at = append(text, c), append(s.at, i)
		}
		last = r
	}
	s.text = string(text)
	return s
}

// divide puts commas for the brackets of a correction, and where another side of the book begins.
func (s *plain) divide(prompt string) {
	for _, at := range corrects.FindAllStringIndex(prompt, -1) {
		s.as[utf8.RuneCountInString(prompt[:at[0]])], s.as[utf8.RuneCountInString(prompt[:at[1]])-1] = ',', ' '
	}
	for _, at := range apart.FindAllStringIndex(prompt, -1) {
		and := strings.Index(strings.ToLower(prompt[at[0]:at[1]]), " and ")
		s.as[utf8.RuneCountInString(prompt[:at[0]+and])] = ','
	}
}

// written is what a code point of the prompt is written as.
func (s *plain) written(i int) []rune {
	if as := signs[s.prompt[i]]; as != nil {
		return as
	}
	if r, ok := s.as[i]; ok {
		return []rune{r}
	}
	if s.prompt[i] == ',' && s.isPoint(i) {
		return []rune{'.'}
	}
	return s.prompt[i : i+1]
}

// isPoint reports whether a comma is the point of a fraction: "0,46".
func (s *plain) isPoint(i int) bool {
	digit := func(i int) bool { return i >= 0 && i < len(s.prompt) && s.prompt[i] >= '0' && s.prompt[i] <= '9' }
	return i > 0 && s.prompt[i-1] == '0' && !digit(i-2) && digit(i+1)
}

// ends reports whether a run of full stops ends what stands before it, and is none of a range: "0.25..0.33".
func (s *plain) ends(i int) bool {
	for i < len(s.prompt) && s.prompt[i] == '.' {
		i++
	}
	return i == len(s.prompt) || unicode.IsSpace(s.prompt[i])
}

func isBlank(r rune) bool { return r == ' ' || r == '\t' || r == '\u00a0' }

// put puts spans of the text where they stand in the prompt.
func (s *plain) put(list []strategy.Span) {
	for i := range list {
		s.move(&list[i])
	}
}

func (s *plain) move(at *strategy.Span) {
	if at.Start < at.End {
		at.Start, at.End = s.at[at.Start], s.at[at.End-1]+1
		for s.within[at.Start-1] {
			at.Start--
		}
		at.Text = string(s.prompt[at.Start:at.End])
	}
}
