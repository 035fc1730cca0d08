package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/ladderback/ladderback/archive/postgres"
	"github.com/ladderback/ladderback/archive/sqlite/file"
	"github.com/ladderback/ladderback/backtest"
)

// version is the program's own version.
const version = "0.1.0"

func (a *cli) version() *cobra.Command {
	var show showFlags
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of the program, its engine and its archives",
		Long: `Prints the version of the program, its engine and its archives. The build is the
commit recorded by Go, or unknown if that was turned off or the source had no history.`,
		Example: "  ladderback version --json",
		Args:    a.args(&show, noArgs),
		RunE: a.begin(func(*cobra.Command, []string) error {
			v := buildInfo{version, backtest.Engine, file.Version, postgres.Version, revision(), runtime.Version()}
			return a.answer(v, func() {
				fmt.Fprintf(a.out, "ladderback %s\nengine     %d\narchive    %d (a file), %d (in PostgreSQL)\nbuild      %s, %s\n", v.Version, v.Engine, v.Archive, v.Tables, v.Build, v.Go)
			})
		}),
	}
	show.add(cmd)
	return cmd
}

// buildInfo is the output of version.
type buildInfo struct {
	Version string `json:"version"`
	Engine  int    `json:"engine"`
	Archive int    `json:"archive"`          // of a file
	Tables  int    `json:"archive_postgres"` // of tables in PostgreSQL, which count by themselves
	Build   string `json:"build"`
	Go      string `json:"go"`
}

// noArgs refuses arguments by name.
func noArgs(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("expected no arguments, got %q", args[0])
	}
	return nil
}

// revision names the commit that the program was built from, where the build
// recorded it.
func revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	commit, dirty := "unknown", ""
	if v := info.Main.Version; v != "" && v != "(devel)" {
		commit = v // of a module that was downloaded
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = " (modified)"
		}
	}
	return commit + dirty
}
