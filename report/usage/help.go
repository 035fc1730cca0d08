package usage

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// groups assigns flags to headings in the help of commands that have many.
// Flags not listed here appear under "Other".
var groups = []struct {
	title string
	flags []string
}{
	{"Strategy", []string{"strategy", "sample", "budget", "parser", "vary", "also-tried", "deflation", "block"}},
	{"Market data", []string{
		"archive", "from", "to", "sampling", "seed", "winners", "min-coverage", "start", "end", "resolution", "token",
		"markets", "market", "source", "before", "search", "category", "coin", "type", "status", "limit", "coins", "types", "ladder", "rate", "fair", "mix", "licence", "series", "for",
	}},
	{"Execution", []string{"latency", "max-slippage", "stale", "fees", "queue", "baseline"}},
	{"Server and keys", []string{"addr", "metrics-addr", "access", "local-key", "config", "check-config", "plan", "organization", "name"}},
	{"Output", []string{"format", "json", "include", "out", "overwrite", "save", "open", "rejects", "rotate", "junit", "top", "workers", "quiet", "help"}},
}

// groupedFrom is the number of flags at which help starts to group them.
const groupedFrom = 8

// Widest is the maximum line width, however wide the terminal: longer lines
// are hard to read.
const Widest = 100

// Help writes a command's help in lines of at most width columns, Widest where it is
// more, 80 where it is below 20; under a root command the topics are listed.
func Help(w io.Writer, cmd *cobra.Command, width int, topics []string) {
	width = min(width, Widest)
	if width < 20 {
		width = 80
	}
	var out strings.Builder
	about := cmd.Long
	if about == "" {
		about = cmd.Short + "."
	}
	out.WriteString(refill(about, width))
	out.WriteString("\nUsage:\n")
	if cmd.Runnable() {
		out.WriteString("  " + cmd.UseLine() + "\n")
	}
	if cmd.HasAvailableSubCommands() {
		out.WriteString("  " + cmd.CommandPath() + " COMMAND\n")
	}
	if cmd.Example != "" {
		out.WriteString("\nExamples:\n" + foldExamples(cmd.Example, width))
	}
	if cmd.HasAvailableSubCommands() {
		out.WriteString("\nCommands:\n")
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				hang(&out, fmt.Sprintf("  %-*s ", cmd.NamePadding(), c.Name()), c.Short, width)
			}
		}
	}
	writeFlags(&out, cmd, width)
	switch {
	case cmd.Parent() == nil:
		out.WriteString("\nTopics:\n")
		hang(&out, "  ", strings.Join(topics, ", "), width)
		out.WriteByte('\n')
		hang(&out, "", "'ladderback COMMAND --help' explains a command, 'ladderback help TOPIC' prints a document.", width)
	case cmd.HasAvailableSubCommands():
		out.WriteString("\n'" + cmd.CommandPath() + " COMMAND --help' explains a command.\n")
	}
	_, _ = io.WriteString(w, out.String()) // the writer remembers what could not be written
}

// writeFlags writes the flags, under headings where there are many.
func writeFlags(out *strings.Builder, cmd *cobra.Command, width int) {
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	all.AddFlagSet(cmd.LocalFlags())
	all.AddFlagSet(cmd.InheritedFlags())
	if !all.HasAvailableFlags() {
		return
	}
	count := 0
	all.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			count++
		}
	})
	if count < groupedFrom {
		out.WriteString("\nFlags:\n" + all.FlagUsagesWrapped(width))
		return
	}
	grouped := map[string]bool{}
	write := func(title string, names []string) {
		set := pflag.NewFlagSet("", pflag.ContinueOnError)
		set.SortFlags = false
		for _, name := range names {
			if f := all.Lookup(name); f != nil {
				set.AddFlag(f)
				grouped[name] = true
			}
		}
		if set.HasAvailableFlags() {
			out.WriteString("\n" + title + ":\n" + set.FlagUsagesWrapped(width))
		}
	}
	for _, g := range groups {
		if g.title == "Output" {
			var others []string
			all.VisitAll(func(f *pflag.Flag) {
				if !grouped[f.Name] && !slices.Contains(g.flags, f.Name) {
					others = append(others, f.Name)
				}
			})
			write("Other", others)
		}
		write(g.title, g.flags)
	}
}

// refill rewraps paragraphs. Indented lines stay as they are or, where they are
// too wide, go on behind their first word.
func refill(words string, width int) string {
	var out strings.Builder
	for paragraph := range strings.SplitSeq(strings.TrimSpace(words), "\n\n") {
		if out.Len() > 0 {
			out.WriteByte('\n')
		}
		if strings.HasPrefix(paragraph, "  ") {
			for line := range strings.Lines(paragraph + "\n") {
				if text.StringWidth(strings.TrimRight(line, "\n")) <= width {
					out.WriteString(line)
					continue
				}
				name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
				hang(&out, "  "+name+" ", rest, width)
			}
			continue
		}
		hang(&out, "", paragraph, width)
	}
	return out.String()
}

// hang writes first followed by the words, with further lines indented to the
// column where the words begin.
func hang(out *strings.Builder, first, words string, width int) {
	indent := strings.Repeat(" ", text.StringWidth(first))
	line, empty := first, true
	for word := range strings.FieldsSeq(words) {
		if !empty && text.StringWidth(line)+1+text.StringWidth(word) > width {
			out.WriteString(line + "\n")
			line, empty = indent, true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	out.WriteString(strings.TrimRight(line, " ") + "\n")
}

// foldExamples breaks long command lines so that a shell still reads them as
// one: after a backslash outside quotes, at a space inside them.
func foldExamples(examples string, width int) string {
	var out strings.Builder
	for line := range strings.Lines(strings.TrimRight(examples, "\n") + "\n") {
		line = strings.TrimRight(line, "\n")
		current, quoted, empty := "  ", false, true
		for word := range strings.SplitSeq(strings.TrimSpace(line), " ") {
			if !empty && text.StringWidth(current)+1+text.StringWidth(word) > width-2 {
				if !quoted {
					current += " \\"
				}
				out.WriteString(current + "\n")
				current, empty = "      ", true
			}
			if !empty {
				current += " "
			}
			current, empty = current+word, false
			if strings.Count(word, "'")%2 == 1 {
				quoted = !quoted
			}
		}
		out.WriteString(current + "\n")
	}
	return out.String()
}
