package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ladderback/ladderback/app"
)

// workerFlags are the flags of worker, as given.
type workerFlags struct {
	archives                        *[]string
	config, accessAddr, metricsAddr string
	slots                           int
	work                            app.WorkOptions
}

func (a *cli) worker() *cobra.Command {
	var f workerFlags
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Work on the kept runs of servers, on this machine",
		Long: `Works on the runs and sweeps that servers keep, until stopped (Ctrl-C or
SIGTERM): chunks at work are finished, or put back after 20 seconds. It takes
the archive and the store of keys (--access) of the servers, both in PostgreSQL
unless everything is on one machine; start as many as you like. It answers
nothing but /healthz, /readyz and /metrics on --metrics-addr. docs/operations.md
leads from one server to several with workers.`,
		Example: `  ladderback worker --archive postgres://db/archive --access postgres://db/keys
  ladderback worker --config ladderback.yaml --archive postgres://db/archive --slots 4`,
		Args: noArgs,
		RunE: a.begin(func(cmd *cobra.Command, _ []string) error { return a.runWorker(cmd, &f) }),
	}
	flags := cmd.Flags()
	f.archives = a.archiveFlag(flags)
	flags.StringVar(&f.config, "config", "", "configuration file (YAML), as of serve")
	flags.StringVar(&f.accessAddr, "access", "", "store of keys and runs: a file, or postgres://… (default beside the first archive)")
	flags.StringVar(&f.metricsAddr, "metrics-addr", "", "address of the health checks and the Prometheus metrics, or none (default 127.0.0.1:9090)")
	flags.IntVar(&f.slots, "slots", 2, "chunks of one organization at a time; there is one place more, for the others")
	addWork(flags, &f.work)
	return cmd
}

func (a *cli) runWorker(cmd *cobra.Command, f *workerFlags) error {
	if f.slots < 1 {
		return usagef("--slots %d: expected 1 or more", f.slots)
	}
	s, err := a.Settings(f.config)
	if err != nil {
		return err
	}
	if cmd.Flags().Changed("access") {
		s.Access = f.accessAddr
	}
	if cmd.Flags().Changed("metrics-addr") {
		s.MetricsAddr = f.metricsAddr
	}
	log := a.logger(s)
	return a.Work(cmd.Context(), s, app.WorkerOptions{Archives: *f.archives, Slots: f.slots, Work: f.work, Log: log, Tell: a.teller(log)})
}

// addWork adds settings of work on runs that only tests and campaigns change.
func addWork(flags *pflag.FlagSet, w *app.WorkOptions) {
	flags.DurationVar(&w.Chunk, "chunk", 0, "estimated work of a chunk at least")
	flags.DurationVar(&w.Lease, "lease", 0, "after how long a silent worker counts as dead")
	flags.DurationVar(&w.Pause, "pause", 0, "before a chunk that failed is tried again")
	flags.DurationVar(&w.Little, "little", 0, "estimated work that a server does itself while its client waits")
	flags.IntVar(&w.Engine, "engine", 0, "number of the engine")
	for _, name := range []string{"chunk", "lease", "pause", "little", "engine"} {
		_ = flags.MarkHidden(name) // it was just added
	}
}
