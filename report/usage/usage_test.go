package usage

import (
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

// TestFlagStandsOnce: no flag stands under two headings.
func TestFlagStandsOnce(t *testing.T) {
	t.Parallel()
	under := map[string]string{}
	for _, g := range groups {
		for _, name := range g.flags {
			require.Empty(t, under[name], "--%s stands in two groups", name)
			under[name] = g.title
		}
	}
}

func TestRoff(t *testing.T) {
	t.Parallel()
	require.Equal(t, "\\&.PP\n\\&'x\na\\eb\\-c", roff(".PP\n'x\na\\b-c\n"))
}

// TestFolded: paragraphs and lists keep to the width, and a shell reads a folded example as
// the line that it was.
func TestFolded(t *testing.T) {
	t.Parallel()
	require.Equal(t, "one two\nthree\n\n  long  a b\n", refill("one two three\n\n  long  a b", 11))
	require.Equal(t, "x\n\n  name one two\n       three\n", refill("x\n\n  name one two three", 14))
	require.Equal(t, "  run 'one two\n      three' \\\n      --flag\n", foldExamples("run 'one two three' --flag", 16))
}

func TestFlagError(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		`invalid argument "x" for "--rate" flag: strconv.ParseInt: parsing "x": invalid syntax`: `--rate "x": expected a whole number`,
		`invalid argument "x" for "-j, --jobs" flag: strconv.ParseBool: parsing "x"`:            `--jobs "x": expected true or false`,
		`invalid argument "1y" for "--for" flag: time: unknown unit "y" in duration "1y"`:       `--for "1y": expected a length of time such as 90s, 30m or 24h`,
		`invalid argument "a" for "--stale" flag: expected whole milliseconds`:                  `--stale "a": expected whole milliseconds`,
		`invalid argument "a" for "--odd" flag: something of the library`:                       `--odd "a": invalid value; see --help`,
		`unknown flag: --x`: `unknown flag: --x`,
	} {
		require.Equal(t, want, FlagError(errors.New(said)))
	}
}

// TestNearest: a word is taken for the one that it was meant to be, and for none where none
// is near.
func TestNearest(t *testing.T) {
	t.Parallel()
	names := []string{"archive", "sample", "out", "coins"}
	for typed, want := range map[string]string{
		"samples": "sample", "arch": "archive", "last": "sample", "output": "out", "coin": "coins",
		"xyz": "", "lst": "", "o": "out", "": "",
	} {
		require.Equal(t, want, nearest(typed, names), typed)
	}
	require.Equal(t, 3, distance("kitten", "sitting"))
	require.Equal(t, 1, distance("opne", "open"), "two letters the wrong way round are one mistake")
	require.Equal(t, "out", nearest("otu", names))
	require.Equal(t, "; did you mean sample?", Nearest("samle", names))
	cmd := &cobra.Command{Use: "run"}
	cmd.Flags().Bool("sample", false, "")
	cmd.Flags().Bool("hidden", false, "")
	require.NoError(t, cmd.Flags().MarkHidden("hidden"))
	require.Equal(t, "; did you mean --sample?", NearestFlag(cmd, "unknown flag: --sampel"))
	require.Empty(t, NearestFlag(cmd, "unknown flag: --hiden"))
	require.Empty(t, NearestFlag(cmd, "accepts 1 arg(s), received 2"))
}

// TestHelpOfACommand: few flags stand in one list, many under headings, one that no heading
// has under Other.
func TestHelpOfACommand(t *testing.T) {
	t.Parallel()
	cmd := &cobra.Command{Use: "run", Short: "Run it", Run: func(*cobra.Command, []string) {}}
	help := func() string {
		var out strings.Builder
		Help(&out, cmd, 60, []string{"language"})
		return out.String()
	}
	for _, name := range []string{"sample", "archive", "latency", "own"} {
		cmd.Flags().Bool(name, false, "a flag")
	}
	require.Contains(t, help(), "\nFlags:\n")
	require.Contains(t, help(), "\nTopics:\n  language\n")
	for _, name := range []string{"fees", "seed", "out", "json"} {
		cmd.Flags().Bool(name, false, "a flag")
	}
	said := help()
	at := -1
	for _, title := range []string{"Strategy", "Market data", "Execution", "Other", "Output"} {
		next := strings.Index(said, "\n"+title+":\n")
		require.Greater(t, next, at, title)
		at = next
	}
	require.Contains(t, said[strings.Index(said, "\nOther:"):strings.Index(said, "\nOutput:")], "--own")
}
