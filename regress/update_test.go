package regress_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/regress"
)

// TestUpdateRecords records a suite, sees that it is the same from then on, and
// that the suite itself is not touched.
func TestUpdateRecords(t *testing.T) {
	t.Parallel()
	src := source(6)
	path := recorded(t, plainSuite, src)
	require.Equal(t, plainSuite, textOf(t, path))
	lock := textOf(t, path+".lock")
	require.Contains(t, lock, "verdict: not_enough_evidence")
	require.Contains(t, lock, "error: unsupported_signal")
	requireSame(t, path, src)

	again := run(t, path, src)
	changed, err := again.Update()
	require.NoError(t, err)
	require.Empty(t, changed, "what is recorded is not recorded again")
	require.Equal(t, lock, textOf(t, path+".lock"))
}

// TestUpdateChangesOnlyWhatDiffers: the lines of results that stayed the same
// stay, and those of cases that are gone go.
func TestUpdateChangesOnlyWhatDiffers(t *testing.T) {
	t.Parallel()
	src := source(6)
	lock := textOf(t, recorded(t, plainSuite, src)+".lock")
	path := saveWith(t, plainSuite, regexp.MustCompile(`(?m)^ {6}total_pnl: .*`).ReplaceAllString(lock, "      total_pnl: 1")+
		"  - {name: gone, expect: {total_pnl: 5}}\n")
	o := run(t, path, src)
	_, notSame := o.Count()
	require.Equal(t, 2, notSame)
	_, err := o.Update()
	require.NoError(t, err)
	require.Equal(t, lock, textOf(t, path+".lock"))
	requireSame(t, path, src)
}

// TestResultsInside reads suites as they were before there were locks: what
// stands in them counts until it is recorded anew.
func TestResultsInside(t *testing.T) {
	t.Parallel()
	src := source(6)
	const text = `cases:
  - name: a
    prompt: buy Up when the RSI is low
    expect:
      refused: {error: unsupported_signal, message: another}
  - name: b
    prompt: buy Up on BTC 5m
`
	path := save(t, text)
	o := run(t, path, src)
	require.True(t, o.Suites[0].Suite.Inline)
	require.Equal(t, "another", o.Suites[0].Cases[0].Differences[0].Expected)
	require.Equal(t, regress.NotRecorded, o.Suites[0].Cases[1].Verdict)
	_, err := o.Update()
	require.NoError(t, err)
	require.Equal(t, text, textOf(t, path))
	requireSame(t, path, src)
}

// TestProblemsOfALock: the message names the lock and the line.
func TestProblemsOfALock(t *testing.T) {
	t.Parallel()
	for lock, want := range map[string]string{
		"":                            "suite.yaml.lock: is empty",
		"- a\n":                       "suite.yaml.lock:1: expected fields",
		"results: []\n":               "suite.yaml.lock:1: results: unknown field: expected one of archive, cases",
		"archive: {fingerprint: x}\n": "suite.yaml.lock:1: archive.fingerprint",
		"cases:\n  - name: dip\n":     "suite.yaml.lock:2: cases[0]: expected name and expect, as --update records them",
		"cases:\n  - {name: dip, expect: {totl_pnl: 5}}\n":                                       "suite.yaml.lock:2: cases[0].expect.totl_pnl: unknown field",
		"cases:\n  - {name: dip, expect: {total_pnl: 5}}\n  - {name: dip, expect: {exits: 5}}\n": `suite.yaml.lock:3: cases[1].name: "dip" stands twice`,
	} {
		path := saveWith(t, plainSuite, lock)
		_, err := regress.Load(path)
		var wrong *regress.Error
		require.ErrorAs(t, err, &wrong, lock)
		require.Contains(t, strings.ReplaceAll(err.Error(), filepath.Dir(path)+string(filepath.Separator), ""), want)
	}
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
			require.Equal(t, text, textOf(t, path))
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

	o := run(t, path, src)
	require.NoError(t, os.WriteFile(path, []byte(plainSuite+"# edited\n"), 0o600))
	_, err := o.Update()
	require.ErrorContains(t, err, "changed while its cases ran")
	require.NoFileExists(t, path+".lock")

	o = run(t, path, src)
	require.NoError(t, os.WriteFile(path+".lock", []byte("cases: []\n"), 0o600))
	_, err = o.Update()
	require.ErrorContains(t, err, "changed while its cases ran")
	require.Equal(t, "cases: []\n", textOf(t, path+".lock"))

	o = run(t, path, src)
	_, err = o.Update()
	require.NoError(t, err)
	info, err := os.Stat(path + ".lock")
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), info.Mode().Perm(), "readable by those who read the suite")
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
