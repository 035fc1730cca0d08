package postgres

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ladderback/ladderback/archive/store"
)

// escape begins what stands for a byte that a column of text cannot hold: the
// escape, then the byte in two hexadecimal digits. It escapes itself as well.
const escape = '\x1a'

// keep returns s as a column of text holds it: bytes that are zero, are the
// escape, or are not UTF-8 are escaped.
func keep(s string) string {
	if utf8.ValidString(s) && !strings.ContainsAny(s, "\x00\x1a") {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == 0 || r == escape || r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, "%c%02x", escape, s[0])
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// restore undoes keep in place.
func restore(texts ...*string) {
	for _, t := range texts {
		if strings.IndexByte(*t, escape) < 0 {
			continue
		}
		var b []byte
		for s := *t; len(s) > 0; {
			if s[0] == escape && len(s) >= 3 {
				if v, err := strconv.ParseUint(s[1:3], 16, 8); err == nil {
					b, s = append(b, byte(v)), s[3:]
					continue
				}
			}
			b, s = append(b, s[0]), s[1:]
		}
		*t = string(b)
	}
}

// keepAll is keep for a list; never nil.
func keepAll(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = keep(s)
	}
	return out
}

// restoreAll undoes keepAll in place; nil for none.
func restoreAll(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	for i := range list {
		restore(&list[i])
	}
	return list
}

// searchText is store.SearchText as a column holds it.
func searchText(a, b string) string { return keep(store.SearchText(a, b)) }

// pattern returns the pattern of LIKE for what contains s, a text as a column
// search holds it.
func pattern(s string) string { return "%" + literal(s) + "%" }

// literal returns the pattern of LIKE for what is s.
func literal(s string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(s)
}
