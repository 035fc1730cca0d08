package lexicon

// splitCamels cuts words written like takeProfit where their parts are
// vocabulary and the whole is none.
func (x *reader) splitCamels() {
	for i := 0; i < len(x.toks); i++ {
		parts := x.camel(&x.toks[i])
		if parts == nil {
			continue
		}
		out := append(append([]tok(nil), x.toks[:i]...), parts...)
		x.toks = append(out, x.toks[i+1:]...)
		i += len(parts) - 1
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
	from := 0
	for j := 1; j <= len(src); j++ {
		if j < len(src) && (src[j] < 'A' || src[j] > 'Z' || src[j-1] < 'a' || src[j-1] > 'z') {
			continue
		}
		p := *k
		p.text = k.text[from:j]
		p.start, p.end = k.start+int32(from), k.start+int32(j)
		p.space = p.space && from == 0
		if x.lex.words[p.text] == 0 {
			return nil
		}
		parts = append(parts, p)
		from = j
	}
	if len(parts) < 2 {
		return nil
	}
	return parts
}
