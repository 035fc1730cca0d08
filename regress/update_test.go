package regress_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/regress"
)

// TestUpdateRecords records a suite, sees that it is the same from then on, and
// that every line of its author is still there, in order.
func TestUpdateRecords(t *testing.T) {
	t.Parallel()
	src := source(6)
	path := recorded(t, plainSuite, src)
	text := textOf(t, path)
	left := strings.Split(text, "\n")
	for line := range strings.SplitSeq(plainSuite, "\n") {
		i := slices.Index(left, line)
		require.GreaterOrEqual(t, i, 0, "%q is gone or out of order:\n%s", line, text)
		left = left[i+1:]
	}
	requireSame(t, path, src)

	again := run(t, path, src)
	changed, err := again.Update()
	require.NoError(t, err)
	require.Empty(t, changed, "what is recorded is not recorded again")
	require.Equal(t, text, textOf(t, path))
	require.Contains(t, text, "verdict: not_enough_evidence")
	require.Contains(t, text, "error: unsupported_signal")
}

// TestUpdateChangesOnlyWhatDiffers changes one case of a recorded suite: the
// lines of the others stay, and comments beside values too.
func TestUpdateChangesOnlyWhatDiffers(t *testing.T) {
	t.Parallel()
	src := source(6)
	text := textOf(t, recorded(t, plainSuite, src))
	changed := regexp.MustCompile(`(?m)^ {6}total_pnl: .*`).ReplaceAllString(text, "      total_pnl: 1  # looks high")
	changed = strings.Replace(changed, "    expect:\n", "    expect: # by machine\n      # the numbers\n", 1)
	changed = strings.Replace(changed, "      refused:\n        error:", "      refused:\n        # a comment inside\n        error:", 1)
	require.NotEqual(t, text, changed)
	path := save(t, changed)
	o := run(t, path, src)
	_, notSame := o.Count()
	require.Equal(t, 2, notSame)
	_, err := o.Update()
	require.NoError(t, err)
	got := textOf(t, path)
	for _, comment := range []string{"# looks high", "# by machine", "# the numbers", "# a comment inside", "# The end."} {
		require.Equal(t, strings.Count(changed, comment), strings.Count(got, comment), "%s\n%s", comment, got)
	}
	requireSame(t, path, src)
	bare := regexp.MustCompile(`(?m) *#.*$\n?`).ReplaceAllString(got, "")
	require.Equal(t, strings.Fields(regexp.MustCompile(`(?m) *#.*$\n?`).ReplaceAllString(text, "")), strings.Fields(bare))
}

// TestUpdateTakesEveryForm records suites that are laid out in other ways.
func TestUpdateTakesEveryForm(t *testing.T) {
	t.Parallel()
	src := source(2)
	for name, text := range map[string]string{
		"no line end":                        "cases:\n  - name: a\n    prompt: buy Up on BTC 5m",
		"not further in":                     "cases:\n- name: a # one\n  prompt: buy Up on BTC 5m\n# two\n- name: b\n  prompt: buy Down on BTC 5m\n",
		"four in":                            "cases:\n    -   name: a # one\n        prompt: buy Up on BTC 5m\n        # two\n\n    -   name: b\n        prompt: buy Down on BTC 5m\n",
		"recorded things first":              "cases:\n  - expect: # one\n      total_pnl: 5 # two\n    # three\n    name: a\n    prompt: buy Up on BTC 5m\n",
		"nothing in them":                    "archive:\ncases:\n  - name: a\n    expect:\n    prompt: buy Up on BTC 5m\n",
		"nulls":                              "archive: ~ # one\ncases:\n  - name: a\n    expect: null # two\n    prompt: buy Up on BTC 5m\n",
		"carriage returns":                   "# one\r\ncases:\r\n  - name: a # two\r\n    prompt: buy Up on BTC 5m\r\n\r\n  - name: b\r\n    prompt: buy Down on BTC 5m\r\n",
		"on one line":                        "# one\ncases: [{name: a, prompt: buy Up on BTC 5m}]\n",
		"cases on a line each":               "# one\ncases:\n  - {name: a, prompt: buy Up on BTC 5m} # two\n  - {name: b, prompt: buy Up}\n",
		"JSON":                               `{"cases": [{"name": "a", "prompt": "buy Up on BTC 5m"}]}`,
		"a document's marks":                 "---\n# one\ncases:\n  - name: a\n    prompt: buy Up on BTC 5m\n...\n",
		"long texts":                         "cases:\n  - name: a\n    prompt: |\n      buy Up on BTC 5m\n      # not a comment, but ignored\n\n  # two\n  - name: b\n    prompt: \"buy Up\n      on BTC 5m\"\n",
		"a text at its end":                  "cases:\n  - name: a\n    prompt: |\n      buy Up on BTC 5m\n      # inside\n",
		"cases before the rest":              "cases:\n  - name: a\n    prompt: buy Up on BTC 5m\n# one\ndescription: x\n",
		"ends of lines that only YAML knows": "# one\rcases:\u0085  - name: a\u2028    prompt: buy Up on BTC 5m\r",
		"other letters":                      "description: «ü — 語» # ñ\ncases:\n  - {name: 'ä', prompt: buy Up on BTC 5m}\n  - name: \"\\u00e9 \\U0001F600\"\n    prompt: \"buy Up \\x7f when \\u202e rsi\"\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := recorded(t, text, src)
			got := textOf(t, path)
			for _, comment := range regexp.MustCompile(`# (one|two|three|inside|ñ)`).FindAllString(text, -1) {
				require.Contains(t, got, comment)
			}
			if strings.Contains(text, "\r\n") {
				require.Equal(t, strings.Count(got, "\n"), strings.Count(got, "\r\n"))
			}
			requireSame(t, path, src)
			o := run(t, path, source(1)) // over another archive: recorded anew
			_, err := o.Update()
			require.NoError(t, err)
			requireSame(t, path, source(1))
		})
	}
}

func TestUpdateIsWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	src := source(2)
	path := save(t, plainSuite)
	require.NoError(t, os.Chmod(path, 0o640))
	link := filepath.Join(t.TempDir(), "link.yaml")
	require.NoError(t, os.Symlink(path, link))

	o := run(t, link, src)
	require.NoError(t, os.WriteFile(path, []byte(plainSuite+"# edited\n"), 0o600))
	_, err := o.Update()
	require.ErrorContains(t, err, "was changed while its cases ran")
	require.Equal(t, plainSuite+"# edited\n", textOf(t, path))

	o = run(t, link, src)
	_, err = o.Update()
	require.NoError(t, err)
	info, err := os.Lstat(link)
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&os.ModeSymlink, "a link stays a link")
	info, err = os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), info.Mode().Perm())
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".ladderback-*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// FuzzSuite reads any text: it never panics, and whatever is a suite can be
// recorded, and is the same afterwards.
func FuzzSuite(f *testing.F) {
	f.Add(plainSuite)
	f.Add("cases: [{name: a, prompt: buy Up on BTC 5m}]")
	f.Add("cases:\n- expect: {total_pnl: 1}\n  name: a # x\n  prompt: |\n   buy Up\n   #\n")
	f.Add("a: &a [*a]\n<<: *a\ncases: !!set {}\n")
	src := source(1)
	f.Fuzz(func(t *testing.T, text string) {
		path := save(t, text)
		if _, err := regress.Load(path); err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		o := run(t, path, src)
		if _, err := o.Update(); err != nil {
			require.ErrorContains(t, err, "cannot be written")
			return
		}
		requireSame(t, path, src)
	})
}
