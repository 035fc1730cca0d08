package rules

import (
	_ "embed"
	"strings"

	"github.com/ladderback/ladderback/parser/lexicon"
)

const (
	outsideRemedy = "conditions read this market's token prices, order books and time only; say, for example, \"when Up is below 35c\""
	percentRemedy = "a percentage is not a price; write the token's price in dollars or cents, such as 0.35 or 35c, and a part as a fraction, such as half or a twentieth"
)

//go:embed reasons.txt
var reasonsText string

// reasons says why each group of phrases is refused, and the nearest thing that
// can be said, behind "note" what rules assume, and behind "expected" what a
// production waits for. unreadRemedies says, by the
// classes of the words where reading stops, what is missing; the first that fits
// counts. They are constant in spirit.
var reasons, unreadRemedies = readReasons(reasonsText)

type unreadRemedy struct {
	classes []string
	remedy  string
}

func readReasons(text string) (map[string]string, []unreadRemedy) {
	out, unread := map[string]string{}, []unreadRemedy(nil)
	for name, why := range lexicon.Rows(text) {
		if classes, ok := strings.CutPrefix(name, "at "); ok {
			unread = append(unread, unreadRemedy{strings.Fields(classes), why})
			continue
		}
		out[name] = strings.TrimSpace(out[name] + " " + why) // a list goes on in lines of its name
	}
	return out, unread
}
