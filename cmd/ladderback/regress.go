package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/regress"
	"github.com/ladderback/ladderback/report/progress"
	"github.com/ladderback/ladderback/report/terminal"
)

// regressFlags are the flags of regress, as given.
type regressFlags struct {
	parser   string
	archives *[]string
	show     showFlags
	update   bool
	junit    string
	workers  int
}

func (a *cli) regress() *cobra.Command {
	var f regressFlags
	cmd := &cobra.Command{
		Use:   "regress SUITE",
		Short: "Run a suite of strategies and show what differs from the recorded results",
		Long: `Runs every case of a suite (a YAML file, or a folder of them) with the rules
parser over the archive, and compares with the recorded results, field by field.
Exit code 1 when a case differs or has nothing recorded, 2 when the suite cannot
be read. --update records what came out in a lock beside each suite (mine.yaml.lock);
the suite itself is never written. Times are UTC.`,
		Example: `  ladderback regress examples/suites
  ladderback regress mine.yaml --archive real.db --junit results.xml
  ladderback regress mine.yaml --archive real.db --update`,
		Args: a.args(&f.show, func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0 || strings.TrimSpace(args[0]) == "":
				return usagef("expected a SUITE: a YAML file, or a folder of them")
			case len(args) > 1:
				return usagef("expected one SUITE, got %d: use a folder for several", len(args))
			case f.update && f.junit != "":
				return usagef("--update or --junit, not both: recording compares nothing")
			case f.junit == "-":
				return usagef("--junit -: expected a file")
			}
			return checkWorkers(cmd.Flags(), f.workers)
		}),
		RunE: a.begin(func(cmd *cobra.Command, args []string) error { return a.runRegress(cmd, &f, args[0]) }),
	}
	flags := cmd.Flags()
	f.archives = a.archiveFlag(flags)
	f.show.add(cmd)
	flags.StringVar(&f.parser, "parser", "rules", "who reads the prompts: rules, auto (the language model when configured) or llm")
	flags.BoolVar(&f.update, "update", false, "record the results in SUITE.lock, beside the suite")
	flags.StringVar(&f.junit, "junit", "", "write the outcome as JUnit XML to this file")
	flags.IntVar(&f.workers, "workers", 0, "cases to run in parallel (default one per core); does not affect results")
	return cmd
}

func (a *cli) runRegress(cmd *cobra.Command, f *regressFlags, path string) error {
	suites, err := regress.Load(path)
	if err != nil {
		return err
	}
	model, err := a.ModelFor(f.parser)
	if err != nil {
		return err
	}
	lock, err := a.HoldOut(cmd.Context(), *f.archives)
	if err != nil {
		return err
	}
	ar, err := a.Open(cmd.Context(), *f.archives, market.Crypto)
	if err != nil {
		return err
	}
	defer ar.Close()

	bar := a.startProgress("Running", progress.Count("cases"))
	outcome, err := regress.Run(cmd.Context(), lock.Held(ar), suites, model, parallel(f.workers, bar))
	bar.Stop()
	if err != nil {
		return err
	}
	return a.regressed(f, suites, outcome)
}

// regressed writes what came of suites.
func (a *cli) regressed(f *regressFlags, suites []*regress.Suite, outcome *regress.Outcome) error {
	if f.junit != "" {
		if err := a.write("--junit", f.junit, outcome.WriteJUnit); err != nil {
			return err
		}
	}
	if f.update {
		changed, err := outcome.Update()
		if err != nil {
			return err
		}
		for _, name := range changed {
			a.say("Recorded in %s.", name)
		}
		for _, s := range suites {
			if s.Inline {
				a.say("%s still contains results, under archive and expect: they are no longer read; delete them.", s.Name)
			}
		}
	}
	if err := a.show(&f.show, outcome, func(s terminal.Screen) error { return outcome.WriteTable(a.out, s.Width, s.Color) }); err != nil {
		return err
	}
	if _, notSame := outcome.Count(); notSame > 0 && !f.update {
		return errSilent
	}
	return nil
}
