package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

// TestManuals: every command has a manual page, with its flags, which man reads without
// a warning.
func TestManuals(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "man1")
	require.Equal(t, exitUsage, ladderback(t, "man").code)
	r := ladderback(t, "man", dir)
	require.Equal(t, exitDone, r.code, r.err)
	pages, err := filepath.Glob(filepath.Join(dir, "*.1"))
	require.NoError(t, err)
	n := 0
	var count func(*cobra.Command)
	count = func(c *cobra.Command) {
		n++
		for _, below := range c.Commands() {
			if below.IsAvailableCommand() {
				count(below)
			}
		}
	}
	count((&cli{getenv: func(string) string { return "" }}).root())
	require.Len(t, pages, n)
	page, err := os.ReadFile(filepath.Join(dir, "ladderback-archive-info.1"))
	require.NoError(t, err)
	for _, want := range []string{`.TH "LADDERBACK-ARCHIVE-INFO" 1`, "ladderback\\-archive\\-info \\- ", "\\fB\\-\\-coverage\\fR", ".BR ladderback\\-archive (1)\n"} {
		require.Contains(t, string(page), want)
	}
	man, err := exec.LookPath("man")
	if err != nil {
		t.Skip("no man: its own reading is not compared")
	}
	for _, path := range pages {
		cmd := exec.Command(man, "--warnings", "-l", path)
		cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "MANWIDTH=80", "MANPAGER=cat", "PAGER=cat")
		var wrong strings.Builder
		cmd.Stderr = &wrong
		require.NoError(t, cmd.Run())
		require.Empty(t, wrong.String(), path)
	}
}
