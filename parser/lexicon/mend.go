package lexicon

import "strings"

// Lengths of the words that are read with a typing error in them.
const (
	shortestMended = 5
	longestMended  = 24
)

// misspelt returns the words of letters that may be mended, by themselves and by what is
// left of them without a letter.
func misspelt(words []string) map[string][]string {
	out := make(map[string][]string, 10*len(words))
	for _, w := range words {
		if len(w) < shortestMended || !isLetterByte(w[0]) || strings.Contains(w, "'") {
			continue
		}
		out[w] = append(out[w], w)
		for i := range len(w) {
			left := w[:i] + w[i+1:]
			out[left] = append(out[left], w)
		}
	}
	return out
}

// mend returns the one word of the vocabulary that w is a misspelling of. Words of the
// grammar come before fillers and names of what cannot be said, then letters that are
// doubled or not, what fits likes, and neighbours that are swapped.
func (x *table) mend(w string, fits func(string) bool) (string, bool) {
	if len(w) < shortestMended-1 || len(w) > longestMended || x.plain()[w] {
		return "", false
	}
	found, best, sure := "", -1, false
	consider := func(list []string) {
		for _, c := range list {
			score := slip(w, c)
			if score < 0 || c == found {
				continue
			}
			if x.inLanguage(c) {
				score += 8
			}
			if fits(c) {
				score += 2
			}
			switch otherNumber := c == found+"s" || found == c+"s"; {
			case otherNumber && score < best+8: // one word
			case score > best:
				found, best, sure = c, score, true
			case score == best:
				sure = false
			}
		}
	}
	mended := x.mended()
	consider(mended[w])
	for i := range len(w) {
		consider(mended[w[:i]+w[i+1:]])
	}
	return found, sure
}

// slip says how likely a slip of the pen makes one word of another: 4 for a letter once
// or twice, 1 for neighbours that are swapped, 0 for a letter more, less or other, −1 for
// more than that. If one is longer, it is the other with one letter more.
func slip(a, b string) int {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch {
	case len(b) == len(a)+1 && a[i:] == b[i+1:]:
		if i > 0 && b[i] == b[i-1] {
			return 4
		}
		return 0
	case i == len(a) || a[i+1:] == b[i+1:]:
		return 0
	case i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]:
		return 1
	}
	return -1
}
