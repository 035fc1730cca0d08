package lexicon

import (
	"slices"
	"strings"
)

// shortestMended is the length of the shortest word that is read with a typing
// error in it.
const shortestMended = 5

// learn makes a word known, and findable with a typing error in it.
func (x *table) learn(w string) {
	id := int(x.wordID(w))
	if len(w) < shortestMended || strings.ContainsRune(w, '\'') {
		return
	}
	if id >= len(x.learnt) {
		x.learnt = append(x.learnt, make([]bool, id+1024-len(x.learnt))...)
	}
	if !x.learnt[id] {
		x.learnt[id] = true
		x.long = append(x.long, w)
	}
}

// misspelt returns words by themselves and by what is left of them without a letter.
func misspelt(words []string) map[string][]string {
	out := make(map[string][]string, 10*len(words))
	for _, w := range words {
		out[w] = append(out[w], w)
		for i := range len(w) {
			left := w[:i] + w[i+1:]
			out[left] = append(out[left], w)
		}
	}
	return out
}

// mend returns the one word of the vocabulary that w is a misspelling of. Words
// of the grammar come before fillers and names of what cannot be said; of
// several, fits decides where it picks one.
func (x *table) mend(w string, fits func(string) bool) (string, bool) {
	if len(w) < shortestMended-1 || len(w) > 24 {
		return "", false
	}
	if _, ok := x.plain[w]; ok {
		return "", false
	}
	var found [12]string
	n := 0
	add := func(list []string) {
		for _, c := range list {
			if n == len(found) || !oneEdit(w, c) || slices.Contains(found[:n], c) {
				continue
			}
			found[n] = c
			n++
		}
	}
	mended := x.mended()
	add(mended[w])
	var buf [24]byte
	for i := range len(w) {
		left := append(append(buf[:0], w[:i]...), w[i+1:]...)
		add(mended[string(left)])
	}
	list := found[:n]
	for _, keep := range [...]func(string) bool{
		func(c string) bool { return x.language[c] },
		func(c string) bool { return doubled(w, c) },
		fits,
		func(c string) bool { return swapped(w, c) },
	} {
		if only := narrow(list, keep); len(only) > 0 {
			list = only
		}
		if word, ok := oneWord(list); ok {
			return word, true
		}
	}
	return "", false
}

// narrow returns the words that keep likes.
func narrow(list []string, keep func(string) bool) []string {
	if keep == nil {
		return list
	}
	var out []string
	for _, c := range list {
		if keep(c) {
			out = append(out, c)
		}
	}
	return out
}

// oneWord returns the word that a list has, in one number or both.
func oneWord(list []string) (string, bool) {
	if len(list) == 0 {
		return "", false
	}
	for _, c := range list[1:] {
		if !sameButNumber(list[0], c) {
			return "", false
		}
	}
	return list[0], true
}

// sameButNumber reports whether two words differ by a plural s only.
func sameButNumber(a, b string) bool { return a+"s" == b || b+"s" == a }

// swapped reports whether a is b with two neighbours swapped.
func swapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

// doubled reports whether a and b differ by a letter written once instead of
// twice, or twice instead of once.
func doubled(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b) != len(a)+1 || !oneEdit(a, b) {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return i > 0 && b[i] == b[i-1]
}

// oneEdit reports whether a and b differ by one letter more, less or other, or
// by a swap of neighbours.
func oneEdit(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) < len(b) {
		return a[i:] == b[i+1:]
	}
	return i == len(a) || a[i+1:] == b[i+1:] || swapped(a, b)
}
