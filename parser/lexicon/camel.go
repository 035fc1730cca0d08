package lexicon

import "slices"

// splitCamels cuts words written like takeProfit where their parts are
// vocabulary and the whole is none.
func (x *reader) splitCamels() {
	for i := 0; i < len(x.toks); i++ {
		if parts := x.camel(&x.toks[i]); parts != nil {
			x.toks = slices.Replace(x.toks, i, i+1, parts...)
			i += len(parts) - 1
		}
	}
}

// camel returns the parts of a word in camel case, nil where it is none.
func (x *reader) camel(k *tok) []tok {
	if k.kind != tWord || len(k.text) != int(k.end-k.start) || x.lex.words[k.text] != 0 {
		return nil
	}
	src := x.t.slice(k.start, k.end)
	if len(src) != len(k.text) {
		return nil
	}
	var parts []tok
	for from, j := 0, 1; j <= len(src); j++ {
		if j < len(src) && (src[j] < 'A' || src[j] > 'Z' || src[j-1] < 'a' || src[j-1] > 'z') {
			continue
		}
		p := tok{kind: tWord, space: k.space && from == 0, start: k.start + int32(from), end: k.start + int32(j), text: k.text[from:j]}
		if x.lex.words[p.text] == 0 || len(p.text) == len(src) {
			return nil
		}
		parts = append(parts, p)
		from = j
	}
	return parts
}
