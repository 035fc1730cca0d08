package lexicon

import "sync"

// shortestNear is how many letters a word must have for another to be near it.
const shortestNear = 3

// Near returns the word of the language that a word which is no vocabulary seems to be
// meant for, though it is too short or too far from it to be read as that; "" for none.
// All begin alike; of several that are as near the first as text is taken.
func Near(w string) string {
	if len(w) < shortestNear || theTable().words[w] != 0 {
		return ""
	}
	best, rank := "", 0
	for _, c := range byInitial()[w[0]] {
		if r := nearness(w, c); r > 0 && (r > rank || r == rank && c < best) {
			best, rank = c, r
		}
	}
	return best
}

// byInitial are the words of the language that others may be near, by their first bytes.
var byInitial = sync.OnceValue(func() map[byte][]string {
	out := map[byte][]string{}
	for c := range theTable().words {
		if len(c) >= shortestNear && theTable().inLanguage(c) {
			out[c[0]] = append(out[c[0]], c)
		}
	}
	return out
})

// nearness is how near a word of the language is to what was written, which begins alike:
// 0 for not at all.
func nearness(w, c string) int {
	slipped, missing := slip(w, c), len(c)-len(w)
	switch {
	case slipped > 0: // neighbours are swapped, or a letter is there once or twice
		return 4
	case slipped == 0:
		return 2
	case missing > 0 && missing <= len(c)/2 && w[len(w)-1] == c[len(c)-1] && within(w, c): // "drps"
		return 1
	}
	return 0
}

// within reports whether a word has the letters of another in their order.
func within(w, of string) bool {
	i := 0
	for k := 0; k < len(of) && i < len(w); k++ {
		if of[k] == w[i] {
			i++
		}
	}
	return i == len(w)
}
