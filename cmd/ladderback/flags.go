package main

import (
	"github.com/spf13/pflag"

	"github.com/ladderback/ladderback/app"
)

// archiveFlag adds --archive to a command that reads.
func (a *cli) archiveFlag(flags *pflag.FlagSet) *[]string {
	return flags.StringArray("archive", nil,
		"the archive at `ADDR`: a file, or postgres://…; repeat as crypto=ADDR and sports=ADDR for one per category (default $"+app.ArchiveEnv+", else the demo archive)")
}

// archiveToWrite adds --archive to a command that writes.
func (a *cli) archiveToWrite(flags *pflag.FlagSet) *[]string {
	return flags.StringArray("archive", nil, "the archive at `ADDR` to write to: a file, or postgres://… (default $"+app.ArchiveEnv+")")
}

// windowFlags adds --from and --to, under which --start and --end work too.
func windowFlags(flags *pflag.FlagSet, from, to *string, fromHelp, toHelp string) {
	flags.StringVar(from, "from", "", fromHelp)
	flags.StringVar(to, "to", "", toHelp)
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		switch name {
		case "start":
			name = "from"
		case "end":
			name = "to"
		}
		return pflag.NormalizedName(name)
	})
}
