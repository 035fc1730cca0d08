package lazy

import (
	"regexp/syntax"
	"slices"
	"strings"
)

// most is of how many texts one has to be in what an expression matches: more are not looked for.
const most = 40

// needs are texts of which one is in whatever an expression matches; nil: none are known.
func needs(exp *syntax.Regexp) (list []string) {
	switch exp.Op {
	case syntax.OpLiteral:
		if exp.Flags&syntax.FoldCase == 0 {
			return []string{string(exp.Rune)}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return needs(exp.Sub[0])
	case syntax.OpRepeat:
		if exp.Min > 0 {
			return needs(exp.Sub[0])
		}
	case syntax.OpConcat:
		for _, sub := range exp.Sub {
			list = rarer(list, needs(sub))
		}
	case syntax.OpAlternate:
		for _, sub := range exp.Sub {
			of := needs(sub)
			if list = append(list, of...); of == nil || len(list) > most {
				return nil
			}
		}
	}
	return list
}

// rarer returns those of two lists that fewer texts have: the longer, then the fewer.
func rarer(a, b []string) []string {
	if c := shortest(a) - shortest(b); c < 0 || c == 0 && len(a) > len(b) {
		return b
	}
	return a
}

func shortest(list []string) int {
	if list == nil {
		return 0
	}
	return len(slices.MinFunc(list, func(a, b string) int { return len(a) - len(b) }))
}

// has reports whether a text has one of them.
func has(s string, list []string) bool {
	return slices.ContainsFunc(list, func(need string) bool { return strings.Contains(s, need) })
}
