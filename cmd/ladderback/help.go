package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ladderback/ladderback/docs"
	"github.com/ladderback/ladderback/report/usage"
)

// setHelp makes help fit the terminal, and offers the user documents as topics
// of the help command.
func (a *cli) setHelp(root *cobra.Command) {
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { usage.Help(cmd.OutOrStdout(), cmd, a.width, docs.Names()) })
	for _, cmd := range root.Commands() {
		if cmd.Name() != "help" {
			continue
		}
		cmd.Use = "help [COMMAND | TOPIC]"
		cmd.Short = "Help about a command, or a user document"
		cmd.Long = "Prints the usage of a command, or one of the user documents as plain text:\n\n" + topicList()
		cmd.Example = "  ladderback help backtest\n  ladderback help language | less"
		cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return helpSubjects(root), cobra.ShellCompDirectiveNoFileComp
		}
		cmd.Args = func(_ *cobra.Command, args []string) error {
			if _, topic := subject(root, args); topic == "" && !isCommand(root, args) {
				words := strings.Join(args, " ")
				return usagef("help: no command or topic %q%s", words, usage.Nearest(words, slices.Concat(usage.Subcommands(root), docs.Names())))
			}
			return nil
		}
		cmd.Run = nil
		cmd.RunE = a.begin(func(cmd *cobra.Command, args []string) error {
			about, topic := subject(root, args)
			if topic == "" {
				return about.Help()
			}
			page, err := docs.Text(topic, min(a.width, usage.Widest))
			if err != nil {
				return err
			}
			_, err = io.WriteString(cmd.OutOrStdout(), page)
			return err
		})
	}
}

// subject returns the command, or else the document, that help was requested for.
func subject(root *cobra.Command, args []string) (about *cobra.Command, topic string) {
	if isCommand(root, args) {
		about, _, _ = root.Find(args)
		return about, ""
	}
	if len(args) == 1 && slices.Contains(docs.Names(), args[0]) {
		return nil, args[0]
	}
	return nil, ""
}

func isCommand(root *cobra.Command, args []string) bool {
	about, rest, err := root.Find(args)
	return err == nil && about != nil && len(rest) == 0
}

func helpSubjects(root *cobra.Command) []string {
	var out []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			out = append(out, c.Name()+"\t"+c.Short)
		}
	}
	for _, name := range docs.Names() {
		out = append(out, name+"\t"+docs.Title(name))
	}
	return out
}

func topicList() string {
	var out strings.Builder
	for _, name := range docs.Names() {
		fmt.Fprintf(&out, "  %-16s %s\n", name, docs.Title(name))
	}
	return strings.TrimRight(out.String(), "\n")
}
