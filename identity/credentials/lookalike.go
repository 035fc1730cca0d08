package credentials

import (
	"strings"
	"unicode"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"

	"github.com/ladderback/ladderback/market"
)

// imitators are small letters that look like letters of ASCII. Those of the Latin script
// are refused wherever they stand; the others where a name has no letter beside them that
// tells its script (Unicode Technical Standard 39, whole-script confusables; a selection).
const (
	latinImitators = "\u0131\u0251\u0261\u0269\u026A\u0274\u0280\u028F\u029C\u029F\u01C0\u0138\u0185"
	imitators      = "\u0430\u0432\u0433\u0435\u043A\u043C\u043D\u043E\u043F\u0440\u0441\u0442\u0443\u0445\u0455\u0456\u0458\u0475\u04AF\u04BB\u04CF\u0501\u051B\u051D" + // Cyrillic
		"\u03B1\u03B3\u03B7\u03B9\u03BA\u03BD\u03BF\u03C1\u03C4\u03C5\u03C7\u03C9\u03F2\u03F3" + // Greek
		"\u0566\u0570\u0575\u056C\u0578\u057D\u0581\u0585" + // Armenian
		"\u4E28\u3007\u3147\u3163\u4E00\u30FC\u3161" // Han and others of East Asia
)

// scripts are those in wide use (Unicode Standard Annex 31, table 5), by the name of the
// group that may stand together in a name.
var scripts = map[string][]*unicode.RangeTable{
	"Latin": {unicode.Latin}, "Cyrillic": {unicode.Cyrillic}, "Greek": {unicode.Greek}, "Armenian": {unicode.Armenian},
	"Georgian": {unicode.Georgian}, "Hebrew": {unicode.Hebrew}, "Arabic": {unicode.Arabic}, "Thaana": {unicode.Thaana},
	"Devanagari": {unicode.Devanagari}, "Bengali": {unicode.Bengali}, "Gurmukhi": {unicode.Gurmukhi}, "Gujarati": {unicode.Gujarati},
	"Oriya": {unicode.Oriya}, "Tamil": {unicode.Tamil}, "Telugu": {unicode.Telugu}, "Kannada": {unicode.Kannada},
	"Malayalam": {unicode.Malayalam}, "Sinhala": {unicode.Sinhala}, "Thai": {unicode.Thai}, "Lao": {unicode.Lao},
	"Tibetan": {unicode.Tibetan}, "Myanmar": {unicode.Myanmar}, "Khmer": {unicode.Khmer}, "Ethiopic": {unicode.Ethiopic},
	eastAsian: {unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Hangul},
}

// eastAsian is the group of scripts that are written together, and with Latin letters.
const eastAsian = "East Asian"

// unmistakable refuses an address with a letter that stands for another, or for none.
func unmistakable(address string) error {
	for _, r := range address {
		letter := string(r)
		switch {
		case r < 0x80, r == '\u30FC': // the long vowel of Japanese belongs to no script
			continue
		case !unicode.In(r, unicode.Letter, unicode.Mark) || unicode.In(r, unicode.Inherited, unicode.Other_Default_Ignorable_Code_Point, unicode.Lm):
			return market.Errorf(market.CodeInvalid, "an address has letters and digits: U+%04X is neither", r)
		case strings.ToLower(letter) != letter || norm.NFKC.String(letter) != letter || strings.ContainsRune(latinImitators, r):
			return market.Errorf(market.CodeInvalid, "“%s” (U+%04X) is taken for another letter: write the address as your mail server does", letter, r)
		}
	}
	if !norm.NFC.IsNormalString(address) {
		return market.Errorf(market.CodeInvalid, "the address is not in the normal form of Unicode (NFC): write it as your mail server does")
	}
	return nil
}

// ofOneScript refuses a local part or a label of a domain whose letters are of several
// scripts, or could all be taken for letters of ASCII.
func ofOneScript(name string) error {
	if unicodeName, err := idna.Registration.ToUnicode(lower(name)); err == nil && strings.HasPrefix(lower(name), "xn--") {
		name = unicodeName
	}
	script, strange, imitating := "", 0, 0
	for _, r := range name {
		if !unicode.IsLetter(r) || r == '\u30FC' {
			continue
		}
		one := scriptOf(r)
		switch {
		case one == "":
			return market.Errorf(market.CodeInvalid, "“%c” (U+%04X) is of a script that no address is taken in", r, r)
		case script == "" || script == one:
			script = one
		case script+one == "Latin"+eastAsian, script+one == eastAsian+"Latin":
			script = eastAsian
		default:
			return market.Errorf(market.CodeInvalid, "the address mixes letters of %s and %s, which look alike: write it as your mail server does", script, one)
		}
		if r >= 0x80 {
			strange++
			imitating += strings.Count(imitators, string(r))
		}
	}
	if strange > 0 && imitating == strange {
		return market.Errorf(market.CodeInvalid, "“%s” looks like other letters: write the address as your mail server does", name)
	}
	return nil
}

// scriptOf names the group of a letter; empty: none that is known.
func scriptOf(r rune) string {
	for name, tables := range scripts {
		if unicode.In(r, tables...) {
			return name
		}
	}
	return ""
}
