package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/app"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/report/progress"
	"github.com/ladderback/ladderback/report/usage"
)

// Exit codes beside those that market.Code gives to errors.
const (
	exitDone        = 0
	exitFailed      = 1 // failed, or differences found
	exitUsage       = 2 // wrong usage, or a refused prompt
	exitInterrupted = 130
)

// cli is what every subcommand needs from the outside: streams, environment and
// the terminal's capabilities. Results go to out, progress and messages to err.
type cli struct {
	app.App // what it shares with other programs: set by run

	in       io.Reader
	out, err io.Writer
	getenv   func(string) string
	environ  []string // all variables, NAME=VALUE; nil: not known
	terminal bool     // err is a terminal: draw progress bars
	asks     bool     // in and err are a terminal: questions are answered
	colour   bool     // out is a terminal that wants colour
	screen   bool     // out is a terminal
	width    int      // columns of out; 80 when not known

	quiet    bool // no progress, no messages
	json     bool // errors as one JSON document on out
	table    bool // the result is for people to read on out
	overDemo bool // the result is over the demo archive, and out does not say so yet
	started  bool // a subcommand's own code is running: errors are not usage errors
}

// checkedWriter remembers a failed write, so that a command that lost its
// result does not report success.
type checkedWriter struct {
	io.Writer
	err error
}

func (w *checkedWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if err != nil {
		w.err = err
	}
	return n, err
}

// errSilent ends a subcommand with exitFailed after it has reported everything.
var errSilent = errors.New("failed")

// errNothing is errSilent of a recording that received nothing, which ends by Ctrl-C as well
// as by itself.
var errNothing = fmt.Errorf("nothing was received: %w", errSilent)

func usagef(format string, args ...any) error { return app.Usagef(format, args...) }

// shared gives what the commands share its surroundings: those of this command line.
func (a *cli) shared() {
	a.App = app.App{In: a.in, Getenv: a.getenv, Say: a.say, Show: a.showProgress, OverDemo: a.demoOpened}
}

// demoOpened has it told under a table that the result is over the demo archive, else at
// once.
func (a *cli) demoOpened() {
	if a.table {
		a.overDemo = true
	} else {
		a.say(app.DemoNotice)
	}
}

// run executes one command line and returns the exit code.
func (a *cli) run(ctx context.Context, args []string) int {
	a.shared()
	a.json = asksForJSON(args)
	out := &checkedWriter{Writer: a.out}
	a.out = out
	root := a.root()
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if out.err != nil && ctx.Err() == nil {
		fmt.Fprintln(a.err, "ladderback: the result could not be written:", out.err)
		return exitFailed
	}
	if a.overDemo && (err == nil || errors.Is(err, errSilent)) {
		fmt.Fprintln(a.out, app.DemoNotice)
		a.overDemo = false
	}
	if err == nil {
		return exitDone
	}
	if a.overDemo {
		a.say(app.DemoNotice)
	}
	if ctx.Err() != nil && !errors.Is(err, errNothing) {
		a.say("interrupted")
		return exitInterrupted
	}
	if errors.Is(err, errSilent) {
		return exitFailed
	}
	return a.tell(cmd, err)
}

// tell reports what went wrong and returns the exit code.
func (a *cli) tell(cmd *cobra.Command, err error) int {
	_, usage := errors.AsType[*app.UsageError](err)
	if !a.started && market.AsError(err) == nil { // the flags' library found it
		err, usage = market.Errorf(market.CodeBadRequest, "%s", err), true
	}
	e := market.AsError(err)
	if e == nil {
		e = &market.Error{Code: market.CodeFailed}
	}
	if a.json {
		envelope := wire.EnvelopeOf(e)
		envelope.Message = err.Error()
		a.printJSON(envelope)
		return e.Code.Exit()
	}
	fmt.Fprintln(a.err, "ladderback:", err)
	if e.Suggestion != "" && !strings.Contains(e.Message, e.Suggestion) {
		fmt.Fprintln(a.err, "This can be read:", e.Suggestion)
	}
	for _, c := range e.Choices {
		fmt.Fprintln(a.err, "Either:", c.Summary)
	}
	if text := advice(err); text != "" {
		a.say("%s", text)
	}
	if usage {
		fmt.Fprintf(a.err, "Run '%s --help' for usage.\n", cmd.CommandPath())
	}
	return e.Code.Exit()
}

// advice suggests what to do about an archive's error; empty if the error
// already says it.
func advice(err error) string {
	switch {
	case errors.Is(err, store.ErrDamaged):
		return `'ladderback archive verify' lists the damage. Importing a source again repairs what came
from it; 'ladderback archive copy' saves what is still readable to a new archive.`
	case errors.Is(err, store.ErrFull), errors.Is(err, identity.ErrFull):
		return "Everything reported as done is kept. Free some space and run it again."
	case errors.Is(err, store.ErrLocked):
		return "Another program is writing to it. Try again when it has finished."
	case errors.Is(err, store.ErrReadOnly):
		return "The file, its folder or the disk is read-only: make it writable, or copy the archive\nelsewhere ('ladderback archive copy')."
	}
	return ""
}

func (a *cli) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "ladderback",
		Short: "Replay trading strategies over captured order books of prediction markets",
		Long: `Ladderback keeps captured prices and order books of up/down prediction markets
in an archive, and replays strategies written in plain English over them.

Without --archive, commands that read use a simulated demo archive, made on
first use.`,
		Example:       `  ladderback backtest 'Buy Up on BTC 15m when Up drops below 35 cents, take profit at 55c'`,
		Version:       version,
		SilenceUsage:  true,
		SilenceErrors: true,
		CompletionOptions: cobra.CompletionOptions{
			HiddenDefaultCmd: false,
		},
	}
	root.SetVersionTemplate("ladderback {{.Version}}\n")
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.PersistentFlags().BoolVarP(&a.quiet, "quiet", "q", false, "no progress and no messages on standard error")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if args := cmd.Flags().Args(); len(args) > 0 && cmd.HasSubCommands() && cmd.Args != nil {
			if err := subcommandOf(cmd, args); cmd.Name() != "markets" {
				return err // the flag is one of the subcommand that was meant
			}
		}
		return usagef("%s%s", usage.FlagError(err), usage.NearestFlag(cmd, err.Error()))
	})
	root.AddCommand(a.commands()...)
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "completion":
			cmd.Example = "  ladderback completion bash > /etc/bash_completion.d/ladderback"
			cmd.Args = subcommandOf
			cmd.RunE = a.begin(func(cmd *cobra.Command, _ []string) error { return cmd.Help() })
			for _, shell := range cmd.Commands() {
				shell.Example = completionExamples[shell.Name()]
			}
		}
	}
	a.setHelp(root)
	a.setCompletion(root)
	return root
}

// completionExamples show how each shell takes its script.
var completionExamples = map[string]string{
	"bash":       "  ladderback completion bash > /etc/bash_completion.d/ladderback",
	"zsh":        `  ladderback completion zsh > "${fpath[1]}/_ladderback"`,
	"fish":       "  ladderback completion fish > ~/.config/fish/completions/ladderback.fish",
	"powershell": "  ladderback completion powershell | Out-String | Invoke-Expression",
}

// begin wraps the code of a subcommand: from here on an error is a failure, not
// a usage error.
func (a *cli) begin(f func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		a.started = true
		return f(cmd, args)
	}
}

// say writes a message for people to standard error, unless --quiet.
func (a *cli) say(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintf(a.err, format+"\n", args...)
	}
}

// printJSON writes v as one indented JSON document.
func (a *cli) printJSON(v any) {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		fmt.Fprintln(a.err, "ladderback:", err)
	}
}

// asksForJSON looks for --json before flags are parsed, so that a mistake in the
// flags is reported as JSON too.
func asksForJSON(args []string) bool {
	for i, arg := range args {
		switch {
		case arg == "--":
			return false
		case arg == "--json", arg == "--format=json", arg == "--format" && i+1 < len(args) && args[i+1] == "json":
			return true
		}
	}
	return false
}

// wantsJSON reports whether --json or --format json was given, and refuses
// --json together with another format.
func (a *cli) wantsJSON(cmd *cobra.Command, jsonFlag bool, format *string) error {
	if jsonFlag && cmd.Flags().Changed("format") && *format != "json" {
		return usagef("--json and --format %s: expected one of them", *format)
	}
	if jsonFlag {
		*format = "json"
	}
	a.json, a.table = *format == "json", *format == "table"
	return nil
}

// oneOf refuses a flag's value that is not in the list.
func oneOf(flag, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return usagef("--%s %q: expected one of %s", flag, value, strings.Join(allowed, ", "))
}

// startProgress starts to show work called label, counted in unit. The caller ends it with
// Stop.
func (a *cli) startProgress(label string, unit progress.Unit) *progress.Bar {
	return progress.Start(a.err, label, unit, a.terminal, a.quiet)
}

// parallel is how a command replays: with so many workers, told of on a bar.
func parallel(workers int, bar *progress.Bar) replay.Parallel {
	return replay.Parallel{Workers: workers, Progress: func(done, total int) { bar.Set(int64(done), int64(total)) }}
}

// showProgress is startProgress for what the commands share.
func (a *cli) showProgress(label, things string) app.Progress {
	p := a.startProgress(label, progress.Count(things))
	return app.Progress{Set: p.Set, Stop: p.Stop}
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

func terminalWidth(f *os.File) int {
	if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 20 {
		return w
	}
	return 80
}
