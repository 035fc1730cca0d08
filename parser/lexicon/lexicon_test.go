package lexicon_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/parser/lexicon"
)

// Every meaning of the files has a class, and all that it says a value.
func TestPhrases(t *testing.T) {
	t.Parallel()
	for _, e := range lexicon.AllEntries() {
		require.NotEmpty(t, e.Class, e.Name)
		for _, s := range e.Slots {
			require.NotEmpty(t, s.Value, "%s %s", e.Class, e.Name)
		}
	}
}

// classOf returns the class and the amount of the number that is the whole of a
// text, "" for none.
func whole(text string) (class string, v lexicon.Value) {
	l := lexicon.Read(text)
	for _, x := range l.Lexemes {
		e := lexicon.Entries()[x.Entry]
		if x.From == 0 && int(x.To) == l.Tokens() && e.Name == "" && (class == "" || class == "DUR") {
			if class == "" {
				class, v = e.Class, x.Value
			}
		}
	}
	return class, v
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	const cent, second = lexicon.Micro / 100, lexicon.Micro
	for text, want := range map[string]struct {
		class string
		n     int64
	}{
		"35c": {"CENT", 35 * cent}, "35 cents": {"CENT", 35 * cent}, "thirty-five cents": {"CENT", 35 * cent}, "2.5c": {"CENT", 5 * cent / 2}, "2,5c": {"CENT", 5 * cent / 2},
		"a dime": {"CENT", 10 * cent}, "three dimes": {"CENT", 30 * cent}, "half a cent": {"CENT", cent / 2}, "100c": {"EDGE", 100 * cent}, "120c": {"BADNUM", 0},
		"$0.35": {"USDC", 35 * cent}, "0,35": {"DEC", 35 * cent}, ".35": {"DEC", 35 * cent}, "0.1234567": {"BADNUM", 0},
		"$50": {"USD", 50 * second}, "fifty bucks": {"USD", 50 * second}, "$1.5k": {"USD", 1500 * second}, "$2m": {"USD", 2_000_000 * second},
		"1,000": {"INT", 1000 * second}, "2k": {"INT", 2000 * second}, "two hundred and fifty": {"INT", 250 * second}, "a dozen": {"INT", 12 * second},
		"half a dozen": {"INT", 6 * second}, "a hundred and fifty": {"INT", 150 * second}, "one and a half": {"REAL", 3 * second / 2}, "2½": {"REAL", 5 * second / 2}, "2 1/2": {"REAL", 5 * second / 2},
		"point three five": {"DEC", 35 * cent}, "zero point four": {"DEC", 40 * cent},
		"90s": {"DUR", 90 * second}, "1m30s": {"DUR", 90 * second}, "a minute and a half": {"DUR", 90 * second}, "half an hour": {"DUR", 1800 * second}, "three quarters of a minute": {"DUR", 45 * second},
		"1 minute and 20 seconds": {"DUR", 80 * second}, "2nd": {"ORD", 2 * second}, "twice": {"TIMES", 2 * second}, "2:1": {"TIMES", 2 * second},
		"20 percent": {"PCT", 20 * second}, "5 basis points": {"PCT", 5 * second}, "9:30": {"CLOCK", 9 * second}, "2 weeks": {"DAYS", 2 * second}, "50 euros": {"BADMONEY", 50 * second},
		"100 shares": {"SHARES", 100 * second}, "3 ticks": {"TICKS", 3 * second}, "+5c": {"PLUSNUM", 5 * cent}, "-5c": {"MINUSNUM", 5 * cent}, "99999999999999": {"BADNUM", 0},
	} {
		class, v := whole(text)
		require.Equal(t, want.class, class, text)
		if class != "BADNUM" {
			require.Equal(t, want.n, v.N, text)
		}
	}
}

// Words are read at edit distance one, and where they stand is in code points.
func TestTyposAndPlaces(t *testing.T) {
	t.Parallel()
	l := lexicon.Read("¿ 📈 buy Up with a sprread")
	written, read, ok := l.Typo(int32(l.Tokens() - 1))
	require.True(t, ok)
	require.Equal(t, "sprread", written)
	require.Equal(t, "spread", read)
	s := l.Span(2, 3)
	require.Equal(t, lexicon.Span{Start: 4, End: 7}, s)
	require.Equal(t, "buy Up", l.Text(2, 4))
	_, _, ok = lexicon.Read("up").Typo(0)
	require.False(t, ok)
}
