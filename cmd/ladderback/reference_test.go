package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// TestCommandReference holds docs/commands.md to the commands that there are.
func TestCommandReference(t *testing.T) {
	t.Parallel()
	const path = "../../docs/commands.md"
	a := &cli{out: io.Discard, err: io.Discard, getenv: func(string) string { return "" }, width: 80}
	var want strings.Builder
	want.WriteString("# Commands\n\nEvery command with its flags, as `ladderback COMMAND --help` prints them.\n`go test ./cmd/ladderback -run CommandReference -update-readme` writes this page.\n")
	describe(&want, a.root())
	if *updateReadme {
		require.NoError(t, os.WriteFile(path, []byte(want.String()), 0o644))
		return
	}
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, want.String(), string(got), "go test ./cmd/ladderback -run CommandReference -update-readme writes it")
}

// describe writes a section for each command below cmd.
func describe(w *strings.Builder, cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		if !c.IsAvailableCommand() || c.Name() == "help" {
			continue
		}
		about := c.Long
		if about == "" {
			about = c.Short + "."
		}
		fmt.Fprintf(w, "\n## %s\n\n", strings.TrimPrefix(c.CommandPath(), "ladderback "))
		if c.Runnable() && !c.HasAvailableSubCommands() || c.Name() == "markets" || c.Name() == "tries" {
			fmt.Fprintf(w, "    %s\n\n", c.UseLine())
		}
		w.WriteString(prose(about) + "\n")
		if c.Example != "" {
			w.WriteString("\nExamples:\n")
			for line := range strings.Lines("\n" + strings.TrimRight(c.Example, "\n") + "\n") {
				if strings.TrimSpace(line) != "" {
					line = "    " + strings.TrimSpace(line) + "\n"
				}
				w.WriteString(line)
			}
		}
		var flags strings.Builder
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" {
				return
			}
			kind, usage := pflag.UnquoteUsage(f)
			name := "--" + f.Name
			if f.Shorthand != "" {
				name = "-" + f.Shorthand + ", " + name
			}
			if kind != "" {
				name += " " + kind
			}
			fmt.Fprintf(&flags, "| `%s` | %s |\n", name, strings.NewReplacer("|", `\|`, "<", `\<`).Replace(usage))
		})
		if flags.Len() > 0 {
			w.WriteString("\n| Flag | |\n|---|---|\n" + flags.String())
		}
		describe(w, c)
	}
}

// prose is the text of a command's help as Markdown: indented lines stay as they are.
func prose(text string) string {
	var out strings.Builder
	for line := range strings.Lines(strings.TrimSpace(text) + "\n") {
		if strings.HasPrefix(line, "  ") {
			line = "  " + line
		}
		out.WriteString(line)
	}
	return strings.TrimRight(out.String(), "\n")
}
