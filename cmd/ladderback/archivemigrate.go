package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/archive/store"
)

func (a *app) archiveMigrate() *cobra.Command {
	var archives *[]string
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Upgrade an older archive to this program's format",
		Long: `Upgrades an archive made by an older version to this program's format, and
makes what backtests read faster by where it is missing. A file is first copied
beside itself if its tables change; back up PostgreSQL yourself. An archive that
is already up to date is left alone.`,
		Example: "  ladderback archive migrate --archive real.db",
		Args: func(cmd *cobra.Command, args []string) error {
			if _, err := a.ToWrite(*archives, "archive migrate"); err != nil {
				return err
			}
			return noArgs(cmd, args)
		},
	}
	archives = a.archiveToWrite(cmd.Flags())
	cmd.RunE = a.begin(func(cmd *cobra.Command, _ []string) error {
		target, err := a.ToWrite(*archives, "archive migrate")
		if err != nil {
			return err
		}
		ar, err := a.OpenOne(cmd.Context(), target)
		older := errors.Is(err, store.ErrOlder)
		if err != nil && !older {
			return err // nothing is made where nothing is
		}
		if err == nil {
			if err := ar.Close(); err != nil {
				return err
			}
		}
		ar, err = a.Create(cmd.Context(), target) // says what it did
		if err != nil {
			return err
		}
		made, err := care.Tops(cmd.Context(), ar.Store())
		switch {
		case err != nil:
		case made > 0:
			a.say("Made the tops of %s rounds.", grouped(int64(made)))
		case !older:
			a.say("The archive is already up to date: nothing was done.")
		}
		return errors.Join(err, ar.Close())
	})
	return cmd
}
