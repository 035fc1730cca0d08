package usage

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// badValue matches the flag library's error for a value that it cannot parse.
var badValue = regexp.MustCompile(`^invalid argument ("(?:[^"\\]|\\.)*") for "(?:-\w, )?(--[\w-]+)" flag: `)

// FlagError rewords a flag library's error without Go's internal terms.
func FlagError(err error) string {
	text := err.Error()
	m := badValue.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	for _, kind := range []struct{ function, want string }{
		{"time: ", "a length of time such as 90s, 30m or 24h"},
		{"strconv.ParseInt", "a whole number"}, {"strconv.ParseUint", "a whole number, 0 or more"}, {"strconv.ParseFloat", "a number"}, {"strconv.ParseBool", "true or false"},
	} {
		if strings.Contains(text, kind.function) {
			return m[2] + " " + m[1] + ": expected " + kind.want
		}
	}
	if _, want, ok := strings.Cut(text, "flag: expected "); ok {
		return m[2] + " " + m[1] + ": expected " + want
	}
	return m[2] + " " + m[1] + ": invalid value; see --help"
}

// meant are flags under the names that other programs have for them.
var meant = map[string][]string{
	"last": {"sample"}, "limit": {"sample", "top"}, "markets": {"sample"}, "port": {"addr"}, "host": {"addr"}, "listen": {"addr"},
	"o": {"out"}, "output": {"out"}, "file": {"out", "strategy"}, "db": {"archive"}, "database": {"archive"}, "since": {"from"}, "until": {"to"},
	"before": {"to"}, "after": {"from"}, "slippage": {"max-slippage"}, "threads": {"workers"}, "jobs": {"workers"}, "j": {"workers"}, "force": {"overwrite", "yes"},
	"start": {"from"}, "end": {"to"}, "coin": {"coins"}, "type": {"types"}, "coins": {"coin"}, "types": {"type"},
}

// unknownFlag matches the flag library's error for a flag that a command does not have.
var unknownFlag = regexp.MustCompile(`^unknown (?:flag: --|shorthand flag: '\w' in -)([\w-]+)`)

// NearestFlag returns what a flag that cmd does not have was probably meant to be, as
// words that follow the error; empty: nothing is near.
func NearestFlag(cmd *cobra.Command, message string) string {
	m := unknownFlag.FindStringSubmatch(message)
	if m == nil {
		return ""
	}
	var all []string
	visit := func(f *pflag.Flag) {
		if !f.Hidden {
			all = append(all, f.Name)
		}
	}
	cmd.Flags().VisitAll(visit)
	cmd.InheritedFlags().VisitAll(visit)
	if best := nearest(m[1], all); best != "" {
		return fmt.Sprintf("; did you mean --%s?", best)
	}
	if strings.HasPrefix(m[1], "coin") || strings.HasPrefix(m[1], "type") {
		return "; the sentence names coin and length: 'Buy Up on BTC 15m …'"
	}
	return ""
}

// nearest returns which of the names was probably meant by one that is none of them;
// empty: none is near.
func nearest(typed string, names []string) string {
	for _, name := range meant[typed] {
		if slices.Contains(names, name) {
			return name
		}
	}
	best, least := "", 1+len(typed)/3
	for _, name := range names {
		d := distance(typed, name)
		if strings.HasPrefix(name, typed) && len(typed) > 2 {
			d = 1
		}
		if d < least {
			best, least = name, d
		}
	}
	return best
}

// distance is how many letters have to be added, left out, changed or put before the one
// ahead of them to make b of a.
func distance(a, b string) int {
	older, old, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		older, old, row = old, row, older
		row[0] = i + 1
		for j := range len(b) {
			d := old[j]
			if a[i] != b[j] {
				d = 1 + min(old[j], row[j], old[j+1])
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, 1+older[j-1])
			}
			row[j+1] = d
		}
	}
	return row[len(b)]
}

// Nearest asks whether another of the names was meant; empty: none is near.
func Nearest(typed string, names []string) string {
	if best := nearest(typed, names); best != "" {
		return fmt.Sprintf("; did you mean %s?", best)
	}
	return ""
}

// Subcommands lists the names of the commands below cmd.
func Subcommands(cmd *cobra.Command) []string {
	var out []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			out = append(out, c.Name())
		}
	}
	return out
}
