package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var updateReadme = flag.Bool("update-readme", false, "write the output of the first command into README.md")

// linesShown is how much of a report the README shows.
const linesShown = 31

// TestReadme holds the output that the README shows to the beginning of what its
// first command prints.
func TestReadme(t *testing.T) {
	t.Parallel()
	const path, begin, end = "../../README.md", "<!-- output -->\n", "<!-- /output -->\n"
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	command := regexp.MustCompile(`(?m)^    go run ./cmd/ladderback backtest '([^']*)'$`).FindSubmatch(content)
	require.NotNil(t, command)
	require.Equal(t, mainPrompt, string(command[1]))
	before, rest, ok := strings.Cut(string(content), begin)
	require.True(t, ok)
	shown, after, ok := strings.Cut(rest, end)
	require.True(t, ok)

	dir := demoAlone(t)
	var out, errs bytes.Buffer
	a := &cli{in: strings.NewReader(""), out: &out, err: &errs, width: 80, getenv: func(name string) string {
		return map[string]string{"LADDERBACK_CACHE": dir}[name]
	}}
	require.Equal(t, exitDone, a.run(context.Background(), []string{"backtest", mainPrompt, "--quiet"}), errs.String())
	lines := strings.Split(out.String(), "\n")
	require.Greater(t, len(lines), linesShown)
	var want strings.Builder
	want.WriteString("\n")
	for _, line := range lines[:linesShown] {
		want.WriteString(strings.TrimRight("    "+line, " ") + "\n")
	}
	want.WriteString("    …\n\n")
	if *updateReadme {
		require.NoError(t, os.WriteFile(path, []byte(before+begin+want.String()+end+after), 0o644))
		return
	}
	require.Equal(t, want.String(), shown, "go test ./cmd/ladderback -run TestReadme -update-readme writes it")
}

// demoAlone returns a cache that has the demo archive and no record of tries over it, as
// somebody's first command finds it.
func demoAlone(t *testing.T) string {
	t.Helper()
	shared, err := demoCache()
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(shared, "*.db"))
	require.NoError(t, err)
	dir := t.TempDir()
	for _, f := range files {
		if !strings.HasSuffix(f, "-tries.db") {
			require.NoError(t, os.Link(f, filepath.Join(dir, filepath.Base(f))))
		}
	}
	return dir
}
