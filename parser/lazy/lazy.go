// Package lazy has regular expressions that are compiled when a text has the letters they cannot do
// without: a process that reads no prompt pays for none of them, one that reads one for few.
package lazy

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"sync/atomic"
)

// Regexp is an expression of package regexp. It may be used at the same time.
type Regexp struct {
	text    string
	longest bool
	asked   atomic.Int32 // texts before it was compiled
	once    sync.Once
	exp     atomic.Pointer[regexp.Regexp]
	needs   []string // of which a text that it matches has one, once it is compiled; nil: not known
}

// made are all expressions, for [Check].
var made struct {
	sync.Mutex
	all []*Regexp
}

// Compile returns an expression that is compiled at its first use, which panics where its text is none.
func Compile(text string) *Regexp { return put(&Regexp{text: text}) }

// Longest is [Compile] of one that matches as much as it can.
func Longest(text string) *Regexp { return put(&Regexp{text: text, longest: true}) }

func put(e *Regexp) *Regexp {
	made.Lock()
	defer made.Unlock()
	made.all = append(made.all, e)
	return e
}

// Check compiles all expressions of the program, and panics at the first that is none: for tests.
func Check() int {
	made.Lock()
	defer made.Unlock()
	for _, e := range made.all {
		e.Get()
	}
	return len(made.all)
}

// Get returns the expression itself.
func (e *Regexp) Get() *regexp.Regexp {
	e.once.Do(func() {
		exp := regexp.MustCompile(e.text)
		if e.longest {
			exp.Longest()
		}
		if tree, err := syntax.Parse(e.text, syntax.Perl); err == nil {
			e.needs = needs(tree)
		}
		e.exp.Store(exp)
	})
	return e.exp.Load()
}

// Few is of how many texts an expression looks at the letters before it is compiled: who reads more reads
// them faster with it.
const Few = 16

// never matches nothing.
var never = regexp.MustCompile(`[^\s\S]`)

// of returns the expression for a text: another without a match where it has none, and need not be compiled.
func (e *Regexp) of(s string) *regexp.Regexp {
	exp := e.exp.Load()
	if exp == nil {
		if e.asked.Add(1) <= Few && !e.may(s) {
			return never
		}
		exp = e.Get()
	}
	if e.needs != nil && !has(s, e.needs) {
		return never
	}
	return exp
}

// may reports whether it may match in a text.
func (e *Regexp) may(s string) bool {
	exp, folds := strings.CutPrefix(e.text, "(?i)")
	if folds {
		exp, s = strings.ToLower(exp), strings.ToLower(strings.ReplaceAll(s, "ſ", "s"))
	}
	return May(s, exp, nil)
}

// The methods are those of package regexp.

func (e *Regexp) MatchString(s string) bool              { return e.of(s).MatchString(s) }
func (e *Regexp) FindString(s string) string             { return e.of(s).FindString(s) }
func (e *Regexp) FindStringIndex(s string) []int         { return e.of(s).FindStringIndex(s) }
func (e *Regexp) FindStringSubmatch(s string) []string   { return e.of(s).FindStringSubmatch(s) }
func (e *Regexp) FindStringSubmatchIndex(s string) []int { return e.of(s).FindStringSubmatchIndex(s) }
func (e *Regexp) FindAllString(s string, n int) []string { return e.of(s).FindAllString(s, n) }
func (e *Regexp) FindAllStringIndex(s string, n int) [][]int {
	return e.of(s).FindAllStringIndex(s, n)
}
func (e *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return e.of(s).FindAllStringSubmatch(s, n)
}
func (e *Regexp) ReplaceAllString(s, with string) string { return e.of(s).ReplaceAllString(s, with) }
func (e *Regexp) String() string                         { return e.text }
