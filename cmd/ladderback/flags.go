package main

import (
	"github.com/spf13/pflag"

	base "github.com/ladderback/ladderback/app"
)

// archiveFlag adds --archive to a command that reads.
func (a *app) archiveFlag(flags *pflag.FlagSet) *[]string {
	return flags.StringArray("archive", nil,
		"the archive at `ADDR`: a file, or postgres://…; repeat as crypto=ADDR and sports=ADDR for one per category (default $"+base.ArchiveEnv+", else the demo archive)")
}

// archiveToWrite adds --archive to a command that writes.
func (a *app) archiveToWrite(flags *pflag.FlagSet) *[]string {
	return flags.StringArray("archive", nil, "the archive at `ADDR` to write to: a file, or postgres://… (default $"+base.ArchiveEnv+")")
}
