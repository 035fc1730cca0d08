package rules

import "github.com/ladderback/ladderback/strategy"

// plain is a prompt as it is read: with one space for each run of them, but for those that a line
// begins with, and comparators in two signs for those in one.
type plain struct {
	prompt []rune
	text   string
	at     []int // places in the prompt of the code points of the text
}

// signs are comparators that are written in two.
var signs = map[rune][]rune{'≤': []rune("<="), '≥': []rune(">=")}

func plainly(prompt string) *plain {
	s := &plain{prompt: []rune(prompt)}
	var text []rune
	last, indent := '\n', true // the last that is kept; whether a line has begun with nothing else
	for i, r := range s.prompt {
		if indent = isBlank(r) && (indent || last == '\n'); isBlank(r) && !indent && isBlank(last) {
			continue
		}
		as := signs[r]
		if as == nil {
			as = []rune{r}
		}
		for _, c := range as {
			text, s.at = append(text, c), append(s.at, i)
		}
		last = r
	}
	s.text = string(text)
	return s
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
		at.Text = string(s.prompt[at.Start:at.End])
	}
}
