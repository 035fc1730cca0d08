package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/pack"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/report/listing"
	"github.com/ladderback/ladderback/report/progress"
)

// packFlags are those of archive pack.
type packFlags struct {
	to                string
	undo, dryRun, all bool
}

func (f *packFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.to, "to", "", "`ADDR` that packs go to: a folder, or s3://BUCKET/PREFIX (default: where the last ones went)")
	flags.BoolVar(&f.all, "all", false, "also pack what is less than 32 MB together")
	flags.BoolVar(&f.undo, "undo", false, "move everything back into the archive and remove the packs")
	flags.BoolVar(&f.dryRun, "dry-run", false, "show what would be done, without changing anything")
}

func (f *packFlags) check() error {
	if f.undo && (f.to != "" || f.all) {
		return usagef("--undo takes neither --to nor --all")
	}
	if f.to != "" {
		if err := pack.Check(f.to); err != nil {
			return usagef("--to: %s", err)
		}
	}
	return nil
}

func (a *cli) archivePack() *cobra.Command {
	var show showFlags
	var archives *[]string
	var f packFlags
	cmd := &cobra.Command{
		Use:   "pack",
		Short: "Move captures of closed markets into files or a bucket; --undo moves them back",
		Long: `Moves the blocks of markets that have ended out of the archive into packs: objects
of 32 to 128 MB in a folder, or in a bucket that speaks S3. Everything reads them
from there, with the same results; what is imported later stays in the archive
until the next run. An interrupted run may be repeated. A bucket that is not
Amazon's is s3://BUCKET/PREFIX?endpoint=https://HOST, with &region=REGION where it
has one. Its keys are taken from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or
from LADDERBACK_PACKS_ACCESS_KEY and LADDERBACK_PACKS_SECRET_KEY; the archive does
not keep them.`,
		Example: `  ladderback archive pack --archive real.db --to /mnt/packs
  ladderback archive pack --archive real.db --to 's3://captures?endpoint=https://s3.example.com'
  ladderback archive pack --archive real.db --undo`,
		Args: a.args(&show, func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			if _, err := a.ToWrite(*archives, "archive pack"); err != nil {
				return err
			}
			return noArgs(cmd, args)
		}),
	}
	archives = a.archiveToWrite(cmd.Flags())
	show.add(cmd)
	f.add(cmd.Flags())
	cmd.RunE = a.onArchive(archives, func(ctx context.Context, ar *archive.Archive) error {
		target, err := a.ToWrite(*archives, "archive pack")
		if err != nil {
			return err
		}
		if f.undo {
			return a.unpack(ctx, a.Packs(target), ar.Store(), f.dryRun)
		}
		return a.pack(ctx, a.Packs(target), ar.Store(), &f)
	})
	return cmd
}

// packRecord is what packing did, as JSON.
type packRecord struct {
	DryRun  bool   `json:"dry_run"`
	To      string `json:"to"`
	Packs   int    `json:"packs"`
	Blocks  int64  `json:"blocks"`
	Bytes   int64  `json:"bytes"`
	Left    int64  `json:"bytes_left"`
	Orphans int    `json:"orphans_removed"`
}

func (a *cli) pack(ctx context.Context, p *pack.Packs, s store.Store, f *packFlags) error {
	bar := a.startProgress("Packing", progress.Count("markets"))
	r, err := p.Pack(ctx, s, pack.Options{To: f.to, All: f.all, DryRun: f.dryRun, Progress: bar.Set})
	bar.Stop()
	if err != nil {
		if r != nil && r.Packs > 0 {
			a.say("%s with %s were written before this; the next run goes on from there.", listing.Plural(r.Packs, "pack"), listing.Plural(int(r.Blocks), "block"))
		}
		return err
	}
	if a.json {
		a.printJSON(packRecord{f.dryRun, r.To, r.Packs, r.Blocks, r.Bytes, r.Left, r.Orphans})
		return nil
	}
	did, removed := "packed", "removed"
	if f.dryRun {
		did, removed = "would be packed", "would be removed"
	}
	switch {
	case r.Packs == 0 && r.Left == 0 && r.Markets == 0:
		fmt.Fprintln(a.out, "nothing to pack: no market with captures has ended")
	case r.Packs == 0 && r.Left == 0:
		fmt.Fprintf(a.out, "nothing to pack: what there is of the %s that have ended is in packs already, or of unfinished imports\n", listing.Plural(r.Markets, "market"))
	case r.Packs > 0:
		fmt.Fprintf(a.out, "%s: %s (%s) in %s, in %s\n", did, listing.Plural(int(r.Blocks), "block"), listing.Bytes(r.Bytes), listing.Plural(r.Packs, "pack"), r.To)
	}
	if r.Left > 0 {
		fmt.Fprintf(a.out, "%s of closed markets stay in the archive: less than a pack takes (--all packs them too)\n", listing.Bytes(r.Left))
	}
	if r.Orphans > 0 {
		fmt.Fprintf(a.out, "%s: %s that an interrupted run had left\n", removed, listing.Plural(r.Orphans, "object"))
	}
	return nil
}

func (a *cli) unpack(ctx context.Context, p *pack.Packs, s store.Store, dryRun bool) error {
	bar := a.startProgress("Moving back", progress.Count("blocks"))
	r, err := p.Undo(ctx, s, dryRun, bar.Set)
	bar.Stop()
	if err != nil {
		return err
	}
	problems := make([]string, len(r.Left))
	for i, err := range r.Left {
		problems[i] = err.Error()
	}
	if a.json {
		a.printJSON(struct {
			DryRun   bool     `json:"dry_run"`
			Packs    int      `json:"packs"`
			Blocks   int64    `json:"blocks"`
			Bytes    int64    `json:"bytes"`
			Problems []string `json:"problems"`
		}{dryRun, r.Packs, r.Blocks, r.Bytes, problems})
	} else {
		did := "moved back"
		if dryRun {
			did = "would be moved back"
		}
		fmt.Fprintf(a.out, "%s: %s (%s) from %s\n", did, listing.Plural(int(r.Blocks), "block"), listing.Bytes(r.Bytes), listing.Plural(r.Packs, "pack"))
		for _, text := range problems {
			fmt.Fprintln(a.out, "stays in its pack:", text)
		}
	}
	if len(problems) > 0 {
		return errSilent
	}
	return nil
}
