package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const exampleSuites = "../../examples/suites"

// TestExampleSuites holds the language, the engine and the demo archive to what
// is recorded in the suites that are shipped. After a change that is meant:
//
//	ladderback regress examples/suites --update
func TestExampleSuites(t *testing.T) {
	t.Parallel()
	r := withDemo(t, "regress", exampleSuites)
	require.Equal(t, exitDone, r.code, "%s%s", r.out, r.err)
	require.Contains(t, r.out, "all as recorded")
	require.NotContains(t, r.out, "another archive")
}

// oneSuite is a copy of the shipped suite that is quick to run, changed where
// old is not empty.
func oneSuite(t *testing.T, old, new string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(exampleSuites, "exits.yaml"))
	require.NoError(t, err)
	require.Contains(t, string(text), old)
	path := filepath.Join(t.TempDir(), "exits.yaml")
	lock, err := os.ReadFile(filepath.Join(exampleSuites, "exits.yaml.lock"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path+".lock", lock, 0o600))
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(text), old, new, 1)), 0o600))
	return path
}

func TestRegressFindsADifference(t *testing.T) {
	t.Parallel()
	path := oneSuite(t, "trailing stop 8c", "trailing stop 9c")
	junit := filepath.Join(t.TempDir(), "junit.xml")
	r := withDemo(t, "regress", path, "--junit", junit, "--workers", "1")
	require.Equal(t, exitFailed, r.code, r.err)
	require.Contains(t, r.out, "strategy.exit.trailing_stop")
	require.Contains(t, r.out, "5 cases: 4 as recorded, 1 different")
	xml, err := os.ReadFile(junit)
	require.NoError(t, err)
	require.Contains(t, string(xml), `failures="1"`)
	require.Contains(t, string(xml), "strategy.exit.trailing_stop: expected 0.08, got 0.09")

	one := withDemo(t, "regress", path, "--json", "--workers", "1")
	require.Equal(t, exitFailed, one.code)
	var doc struct {
		Cases   int
		NotSame int `json:"not_same"`
		Suites  []struct {
			Suite string
			Cases []struct {
				Name, Result string
				Differences  []struct{ Field, Expected, Got string }
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(one.out), &doc), one.out)
	require.Equal(t, []int{5, 1}, []int{doc.Cases, doc.NotSame})
	require.Equal(t, "exits.yaml", doc.Suites[0].Suite)
	require.Equal(t, "different", doc.Suites[0].Cases[0].Result)
	many := withDemo(t, "regress", path, "--json", "--workers", "4")
	require.Equal(t, one.out, many.out, "the number of workers changes nothing")

	recorded := withDemo(t, "regress", path, "--update")
	require.Equal(t, exitDone, recorded.code, recorded.err)
	require.Contains(t, recorded.err, "Recorded in exits.yaml.lock.")
	require.Equal(t, exitDone, withDemo(t, "regress", path, "--quiet").code)
	lock, err := os.ReadFile(path + ".lock")
	require.NoError(t, err)
	require.Contains(t, string(lock), "trailing_stop: 0.09")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(text), "# How a strategy gets out, and what the way in and out costs.\n\ndescription:")
}

// TestRegressOverAnotherArchive: that is said before anything else.
func TestRegressOverAnotherArchive(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "other.db")
	require.Equal(t, exitDone, ladderback(t, "simulate", "--markets", "5", "--types", "5m", "--seed", "3", "--archive", db).code)
	r := ladderback(t, "regress", oneSuite(t, "", ""), "--archive", db)
	require.Equal(t, exitFailed, r.code, r.err)
	require.True(t, strings.HasPrefix(r.out, "exits.yaml was recorded over another archive\n"), r.out)
	require.Contains(t, r.out, "5 rounds, 5 resolved")
	require.Contains(t, r.out, "receipt.data")
}

func TestRegressMistakes(t *testing.T) {
	t.Parallel()
	broken := oneSuite(t, "latency_ms: 3000", "latency: 3000")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{}, "expected a SUITE"},
		{[]string{"a", "b"}, "expected one SUITE, got 2"},
		{[]string{"/nowhere.yaml"}, "no such file or directory: expected a suite (a YAML file) or a folder of them"},
		{[]string{t.TempDir()}, "no suite in it"},
		{[]string{broken}, "cases[3].options.latency: unknown field: expected one of sampling, seed,"},
		{[]string{broken, "--workers", "-1"}, "expected 1 or more"},
		{[]string{broken, "--update", "--junit", "x.xml"}, "not both"},
		{[]string{broken, "--junit", "-"}, "expected a file"},
		{[]string{broken, "--format", "csv"}, "expected one of table, json"},
	} {
		args := append([]string{"regress"}, c.args...)
		r := ladderback(t, args...)
		require.Equal(t, exitUsage, r.code, "%s%s", r.out, r.err)
		require.Empty(t, r.out)
		require.Contains(t, r.err, c.want)

		r = ladderback(t, append(args, "--json")...)
		if len(c.args) > 1 && c.args[1] == "--format" {
			continue // one flag contradicts the other
		}
		require.Equal(t, exitUsage, r.code)
		var e struct{ Error, Message string }
		require.NoError(t, json.Unmarshal([]byte(r.out), &e), r.out)
		require.Equal(t, "bad_request", e.Error)
		require.Contains(t, e.Message, c.want)
	}
	require.Equal(t, exitFailed, ladderback(t, "regress", oneSuite(t, "", ""), "--archive", "/nowhere.db").code)
}
