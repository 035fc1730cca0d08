package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/report/listing"
	"github.com/ladderback/ladderback/report/progress"
)

func (a *cli) archiveInfo() *cobra.Command {
	var archives *[]string
	var show showFlags
	var coverage bool
	cmd := &cobra.Command{
		Use:     "info",
		Short:   "Contents and size of an archive; --coverage lists each market; times are UTC",
		Example: "  ladderback archive info --archive real.db --coverage",
		Args:    a.args(&show, noArgs),
	}
	archives = a.archiveFlag(cmd.Flags())
	show.add(cmd)
	cmd.Flags().BoolVar(&coverage, "coverage", false, "how well each market was captured")
	cmd.RunE = a.onArchive(archives, func(ctx context.Context, ar *archive.Archive) error {
		if coverage {
			return a.printCoverage(ctx, ar)
		}
		info, err := care.InfoOf(ctx, ar.Store())
		if err != nil {
			return err
		}
		return a.answer(listing.InfoDocument(info), func() { listing.Info(a.out, info) })
	})
	return cmd
}

func (a *cli) printCoverage(ctx context.Context, ar *archive.Archive) error {
	records := []listing.Coverage{}
	bar := a.startProgress("Reading", progress.Count("markets"))
	err := care.CoverageOf(ctx, ar.Store(), store.MarketQuery{UpDown: true, Page: store.Page{Sort: store.ByEnd, Ascending: true}}, func(c *care.Coverage) error {
		records = append(records, listing.CoverageOf(c))
		bar.Set(int64(len(records)), 0)
		return nil
	})
	bar.Stop()
	if err != nil {
		return err
	}
	return a.answer(records, func() { listing.CoverageTable(a.out, records) })
}
