package lexicon

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ladderback/ladderback/market"
)

// tokKind says what a token is made of.
type tokKind uint8

const (
	tWord  tokKind = iota // letters, with apostrophes inside: don't
	tNum                  // digits: 0.35, .35, 0,35, 1,000
	tSym                  // punctuation, one sign or one of <= >= =< => -> -- ==
	tOther                // an emoji or a sign without a reading
)

// tok is a token of the prompt.
type tok struct {
	kind  tokKind
	space bool // white space or the prompt's start before it
	// num is the number in units of 1e-6 (tNum), negative when it has more than 6
	// decimals or is too large to hold.
	num        int64
	dec        int8 // decimals as written
	start, end int32
	text       string
	typo       string // how it is written where it was read at edit distance one, else ""
}

// Limits of numbers as written.
const (
	maxWhole = 1_000_000_000_000 // more than any field holds
	micro    = 1_000_000
)

// scan cuts the text into tokens.
func scan(t *text) []tok {
	toks := make([]tok, 0, len(t.s)/4+8)
	s, space := t.s, true
	for i := 0; i < len(s); {
		c := s[i]
		if c == ' ' {
			space = true
			i++
			continue
		}
		k := tok{space: space}
		j := i
		switch {
		case c == '\n':
			k.kind, j = tSym, i+1
		case c == '.' && dotsOfRange(s, i):
			k.kind, j = tSym, i+2
		case c >= '0' && c <= '9', c == '.' && i+1 < len(s) && isDigit(s[i+1]) && (i == 0 || !isDigit(s[i-1])):
			j = scanNumber(s, i, &k)
		case isLetterByte(c) || c >= utf8.RuneSelf:
			j = scanWord(s, i, &k)
		default:
			k.kind, j = tSym, i+symbolLen(s, i)
		}
		k.text = s[i:j]
		k.start, k.end = t.at[i], t.at[j-1]+1
		space = c == '\n'
		toks = cutSuffix(append(toks, k))
		i = j
	}
	return toks
}

// cutSuffix cuts 's, 're, 'm and the like off the last token.
func cutSuffix(toks []tok) []tok {
	k := &toks[len(toks)-1]
	at := strings.LastIndexByte(k.text, '\'')
	if k.kind != tWord || at < 1 || !slices.Contains(suffixes, k.text[at+1:]) {
		return toks
	}
	tail := *k
	k.end -= int32(len(k.text) - at)
	tail.start, tail.space = k.end, false
	k.text, tail.text = k.text[:at], k.text[at:]
	return append(toks, tail)
}

var suffixes = strings.Fields("s re ll d ve m")

// dotsOfRange reports whether ".." stands between two numbers at i: 0.30..0.40.
func dotsOfRange(s string, i int) bool {
	return i > 0 && i+2 < len(s) && s[i+1] == '.' && (isDigit(s[i-1]) || s[i-1] == 'c') && (isDigit(s[i+2]) || s[i+2] == '.' && i+3 < len(s) && isDigit(s[i+3]))
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetterByte(c byte) bool { return c >= 'a' && c <= 'z' }

// changesKey reports whether what stands at i is between a key and a number,
// which makes it an operator: stake *= 2.
func changesKey(s string, i int) bool {
	key, value := strings.TrimRight(s[:i], " "), strings.TrimLeft(s[i+2:], " $")
	return key != "" && value != "" && (isLetterByte(key[len(key)-1]) || key[len(key)-1] == ']') && (isDigit(value[0]) || value[0] == '.' || isLetterByte(value[0]))
}

// symbols are those of more than one sign, the longer ones first.
var symbols = strings.Fields("==> --> <= >= =< => == := -> >> // :: && || --")

// symbolLen returns the length of the symbol at i.
func symbolLen(s string, i int) int {
	for _, symbol := range symbols {
		if strings.HasPrefix(s[i:], symbol) {
			if symbol == "=<" && i > 0 && isLetterByte(s[i-1]) {
				return 1 // the value of a key: entry=<0.35
			}
			return len(symbol)
		}
	}
	if i+1 < len(s) && s[i+1] == '=' && strings.IndexByte("*+-/", s[i]) >= 0 && changesKey(s, i) {
		return 2
	}
	return 1
}

// scanWord reads a word, an emoji or a sign that begins at i.
func scanWord(s string, i int, k *tok) int {
	j := i
	for j < len(s) {
		r, size := utf8.DecodeRuneInString(s[j:])
		apostrophe := r == '\'' && j > i && j+1 < len(s) && isLetterByte(s[j+1])
		if !unicode.IsLetter(r) && !apostrophe {
			break
		}
		j += size
	}
	if j > i {
		k.kind = tWord
		return j
	}
	k.kind = tOther
	r, size := utf8.DecodeRuneInString(s[i:])
	if r == '¢' {
		k.kind = tSym
	}
	return i + size
}

// scanNumber reads a number that begins at i: digits with a point or, as many
// write it, a comma before the decimals, and commas between thousands.
func scanNumber(s string, i int, k *tok) int {
	k.kind = tNum
	j := digitsEnd(s, i)
	lead := j - i
	for lead >= 1 && lead <= 3 && s[i] != '0' && thousands(s, j) {
		j += 4
	}
	text, end := strings.ReplaceAll(s[i:j], ",", ""), j
	if point := j+1 < len(s) && s[j] == '.' && isDigit(s[j+1]); point || j == i+lead && decimalComma(s, i, j) {
		end = digitsEnd(s, j+1)
		text += "." + s[j+1:end]
		k.dec = int8(min(end-j-1, 100))
	}
	if n, err := market.ParseDecimal(text, 6); err == nil && n < (maxWhole+1)*micro {
		k.num = n
	} else {
		k.num = -1
	}
	return end
}

// digitsEnd is where the digits end that begin at i, if any do.
func digitsEnd(s string, i int) int { return len(s) - len(strings.TrimLeft(s[i:], "0123456789")) }

// thousands reports whether a comma and exactly three digits stand at j.
func thousands(s string, j int) bool { return j < len(s) && s[j] == ',' && digitsEnd(s, j+1) == j+4 }

// decimalComma reports whether the comma at j, after the digits from i, stands
// before decimals: after a lone 0, or with a unit behind ("2,5c").
func decimalComma(s string, i, j int) bool {
	return j+1 < len(s) && s[j] == ',' && isDigit(s[j+1]) && (j == i+1 && s[i] == '0' || unitBehind.MatchString(s[j:]))
}

var unitBehind = regexp.MustCompile(`^,\d{1,2}([csmhk¢]| (cent|min|sec|hour|¢))`)
