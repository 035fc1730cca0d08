package lexicon

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// text is a prompt made uniform: lower case, plain punctuation, ASCII digits.
type text struct {
	s string
	// at[i] is the index, in code points of the prompt, of the code point that
	// byte i of s came from; at[len(s)] is the number of code points.
	at []int32
	// src is the prompt and off[k] the byte offset in it of code point k;
	// off[number of code points] is len(src).
	src string
	off []int32
}

// slice returns the prompt's text between two code points.
func (t *text) slice(from, to int32) string { return t.src[t.off[from]:t.off[to]] }

// odd stands for a code point that has no reading: it is never dropped, so
// that a prompt with hidden or struck-out characters is refused.
const odd = '\x01'

// normalise prepares a prompt for the scanner.
func normalise(prompt string) *text {
	t := &text{
		src: prompt,
		at:  make([]int32, 0, len(prompt)+8),
		off: make([]int32, 0, len(prompt)+1),
	}
	b := make([]byte, 0, len(prompt)+8)
	n := int32(0)
	for i, r := range prompt {
		t.off = append(t.off, int32(i))
		b = appendPlain(b, r)
		for len(t.at) < len(b) {
			t.at = append(t.at, n)
		}
		n++
	}
	t.off = append(t.off, int32(len(prompt)))
	t.at = append(t.at, n)
	t.s = string(b)
	return t
}

func plainASCII(c byte) byte {
	switch {
	case 'A' <= c && c <= 'Z':
		return c + 'a' - 'A'
	case c == '\n':
		return c
	case c == '\t' || c == '\r' || c == '\v' || c == '\f':
		return ' '
	case c < ' ' || c == 0x7f:
		return odd
	case c == '`':
		return '\''
	}
	return c
}

// appendPlain appends the plain form of a code point: nothing for
// marks that only shape their neighbour, several bytes where one sign stands
// for several.
func appendPlain(b []byte, r rune) []byte {
	if r < utf8.RuneSelf {
		return append(b, plainASCII(byte(r)))
	}
	if s, ok := plainSigns[r]; ok {
		return append(b, s...)
	}
	switch {
	case r == utf8.RuneError:
		return append(b, odd)
	case unicode.Is(shaping, r):
		return b
	case unicode.In(r, unread, unicode.Cf, unicode.Me, unicode.Cc):
		return append(b, odd)
	case unicode.Is(unicode.Nd, r):
		return append(b, digitOf(r))
	}
	for _, x := range norm.NFKC.String(string(r)) {
		switch {
		case x < utf8.RuneSelf:
			b = append(b, plainASCII(byte(x)))
		case unicode.Is(unicode.Mn, x):
		default:
			b = utf8.AppendRune(b, unicode.ToLower(x))
		}
	}
	return b
}

// shaping are variation selectors, joiners, key caps, skin tones and the tags of
// flags.
var shaping = &unicode.RangeTable{
	R16: []unicode.Range16{{0x200D, 0x200D, 1}, {0x20E3, 0x20E3, 1}, {0xFE00, 0xFE0F, 1}},
	R32: []unicode.Range32{{0x1F3FB, 0x1F3FF, 1}, {0xE0020, 0xE007F, 1}},
}

// plainSigns maps signs to their plain spelling. It is constant in spirit.
var plainSigns = map[rune]string{
	'‘': "'", '’': "'", '‚': "'", '‛': "'", '′': "'", '´': "'", 'ʼ': "'",
	'“': "\"", '”': "\"", '„': "\"", '«': "\"", '»': "\"", '″': "\"", '‹': "\"", '›': "\"",
	'‐': "-", '‑': "-", '‒': "-", '–': "-", '−': "-", '﹣': "-", '⁃': "-",
	'—': " -- ", '―': " -- ", '…': ". ", '·': " | ", '•': " | ", '‣': " | ", '◦': " | ", '▪': " | ", '●': " | ", '∙': " | ", '⋅': " | ",
	'≤': "<=", '⩽': "<=", '≦': "<=", '≥': ">=", '⩾': ">=", '≧': ">=",
	'→': " -> ", '⇒': " -> ", '➡': " -> ", '➔': " -> ", '➜': " -> ", '⟶': " -> ", '⟹': " -> ", '⇨': " -> ",
	'×': "x", '✕': "x", '✖': "x", '⁄': "/", '∕': "/", '÷': "\x01",
	'¢': "¢", '￠': "¢", '＄': "$", '﹩': "$", '٪': "%", '﹪': "%", '‰': "%", '‱': "%",
	'½': " 1/2", '⅓': " 1/3", '⅔': " 2/3", '¼': " 1/4", '¾': " 3/4", '⅕': " 1/5", '⅖': " 2/5", '⅗': " 3/5", '⅘': " 4/5",
	'∈': " in ", '∧': " and ", '∨': " or ", 'Δ': " price change ", '∆': " price change ",
	'、': ",", '，': ",", '。': ". ", '；': ";", '：': ":", '！': "!", '？': "?", '（': "(", '）': ")",
	'\u2028': "\n", '\u2029': "\n", '\u0085': "\n", '\u200b': "", '\u00ad': "", '\ufeff': "", '\u200e': "", '\u200f': "", '\u2060': "",
}

// unread are signs that strike out the letter before them, and raised and lowered digits,
// whose plain form would change a number.
var unread = &unicode.RangeTable{R16: []unicode.Range16{{0x00B2, 0x00B3, 1}, {0x00B9, 0x00B9, 1}, {0x0334, 0x0338, 1}, {0x2070, 0x208E, 1}, {0x20D2, 0x20E2, 1}}}

// digitOf returns the ASCII digit of a decimal digit of any script: they stand
// together, from zero on.
func digitOf(r rune) byte {
	zero := r
	for unicode.Is(unicode.Nd, zero-1) {
		zero--
	}
	return byte('0' + (r-zero)%10)
}
