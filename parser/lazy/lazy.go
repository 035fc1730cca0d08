// Package lazy has regular expressions that are compiled when they are first used: a process
// that reads no prompt pays for none of them.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp is an expression of package regexp. It may be used at the same time.
type Regexp struct {
	text    string
	longest bool
	once    sync.Once
	exp     *regexp.Regexp
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
		if e.exp = regexp.MustCompile(e.text); e.longest {
			e.exp.Longest()
		}
	})
	return e.exp
}

// The methods are those of package regexp.

func (e *Regexp) MatchString(s string) bool              { return e.Get().MatchString(s) }
func (e *Regexp) FindString(s string) string             { return e.Get().FindString(s) }
func (e *Regexp) FindStringIndex(s string) []int         { return e.Get().FindStringIndex(s) }
func (e *Regexp) FindStringSubmatch(s string) []string   { return e.Get().FindStringSubmatch(s) }
func (e *Regexp) FindStringSubmatchIndex(s string) []int { return e.Get().FindStringSubmatchIndex(s) }
func (e *Regexp) FindAllString(s string, n int) []string { return e.Get().FindAllString(s, n) }
func (e *Regexp) FindAllStringIndex(s string, n int) [][]int {
	return e.Get().FindAllStringIndex(s, n)
}
func (e *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return e.Get().FindAllStringSubmatch(s, n)
}
func (e *Regexp) ReplaceAllString(s, with string) string { return e.Get().ReplaceAllString(s, with) }
func (e *Regexp) String() string                         { return e.text }
