package usage

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Manuals writes the pages of a command and of those below it into a folder, and returns
// how many these are. The version stands at their foot.
func Manuals(folder string, cmd *cobra.Command, version string) (n int, err error) {
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
	if err := os.WriteFile(filepath.Join(folder, name), []byte(manual(cmd, version)), 0o644); err != nil {
		return 0, err
	}
	n = 1
	for _, c := range cmd.Commands() {
		if !c.IsAvailableCommand() {
			continue
		}
		m, err := Manuals(folder, c, version)
		if err != nil {
			return n, err
		}
		n += m
	}
	return n, nil
}

// manual is the page of a command, in the macros of man(7).
func manual(cmd *cobra.Command, version string) string {
	var out strings.Builder
	path := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	fmt.Fprintf(&out, ".TH %q 1 \"\" \"ladderback %s\" \"Ladderback\"\n", strings.ToUpper(path), version)
	fmt.Fprintf(&out, ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n", roff(path), roff(cmd.Short))
	if cmd.Runnable() {
		fmt.Fprintf(&out, ".B %s\n", roff(cmd.UseLine()))
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&out, ".PP\n.B %s\n.I COMMAND\n", roff(cmd.CommandPath()))
	}
	about := cmd.Long
	if about == "" {
		about = cmd.Short + "."
	}
	out.WriteString(".SH DESCRIPTION\n")
	for i, paragraph := range strings.Split(strings.TrimSpace(about), "\n\n") {
		if i > 0 {
			out.WriteString(".PP\n")
		}
		if strings.HasPrefix(paragraph, " ") {
			fmt.Fprintf(&out, ".nf\n%s\n.fi\n", roff(paragraph))
		} else {
			out.WriteString(roff(paragraph) + "\n")
		}
	}
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.AddFlagSet(cmd.LocalFlags())
	flags.AddFlagSet(cmd.InheritedFlags())
	if flags.HasAvailableFlags() {
		out.WriteString(".SH OPTIONS\n")
		flags.VisitAll(func(f *pflag.Flag) { manualFlag(&out, f) })
	}
	if cmd.Example != "" {
		fmt.Fprintf(&out, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(cmd.Example))
	}
	var also []string
	if p := cmd.Parent(); p != nil {
		also = append(also, strings.ReplaceAll(p.CommandPath(), " ", "-"))
	}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			also = append(also, strings.ReplaceAll(c.CommandPath(), " ", "-"))
		}
	}
	out.WriteString(".SH SEE ALSO\n")
	for i, name := range also {
		end := ","
		if i == len(also)-1 {
			end = ""
		}
		fmt.Fprintf(&out, ".BR %s (1)%s\n", roff(name), end)
	}
	return out.String()
}

func manualFlag(out *strings.Builder, f *pflag.Flag) {
	if f.Hidden {
		return
	}
	kind, usage := pflag.UnquoteUsage(f)
	name := "\\fB" + roff("--"+f.Name) + "\\fR"
	if f.Shorthand != "" {
		name = "\\fB" + roff("-"+f.Shorthand) + "\\fR, " + name
	}
	if kind != "" {
		name += " \\fI" + roff(kind) + "\\fR"
	}
	fmt.Fprintf(out, ".TP\n%s\n%s\n", name, roff(usage))
}

// roff is text that roff prints as it stands: a backslash, and a point or quote that
// begins a line, would be a command.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(strings.TrimRight(text, "\n"))
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
