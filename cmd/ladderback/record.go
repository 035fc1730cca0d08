package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	"github.com/ladderback/ladderback/app"
	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/archive/ingest"
	"github.com/ladderback/ladderback/archive/record"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/report/listing"
)

// recordFlags are the flags of record, as given.
type recordFlags struct {
	archives                 *[]string
	config, out, metricsAddr string
	coins, types, series     []string
	length, rotate           time.Duration
	asJSON, backfill         bool
}

func (a *cli) record() *cobra.Command {
	var f recordFlags
	cmd := &cobra.Command{
		Use:   "record",
		Short: "Record Polymarket's public feed into an archive, files, or both",
		Long: `Records the up/down rounds of the coins and lengths given, from before their
start until their outcome is official, from Polymarket's public feed: into an
archive (--archive), into rotated .jsonl.zst files (--out), or both. It stops
after --for, or on Ctrl-C or SIGTERM, and writes out what it has received.

Whatever it misses is declared as a gap: every lost connection, until the next
full book of each token, every step of the clock, and what an earlier run of the same
folder did not see to its end. Nothing received is exit code 1. While the archive is
unavailable, captures wait in files and are imported later.

--backfill asks the exchange's metadata API, a page at a time, for the markets that
the archive has captures of and no official winner, and imports the answers. Stopped
and run again it asks for what is left.

The base addresses of the exchange are settings: record.gamma and record.feed in
a configuration file, or $LADDERBACK_RECORD_GAMMA and $LADDERBACK_RECORD_FEED.`,
		Example: `  ladderback record --coins BTC,ETH --types 5m,15m --archive live.db
  ladderback record --coins BTC --types 5m --out feed/ --for 24h --metrics-addr 127.0.0.1:9091`,
		Args: func(cmd *cobra.Command, args []string) error {
			a.json = f.asJSON
			if err := a.checkRecord(&f); err != nil {
				return err
			}
			return noArgs(cmd, args)
		},
		RunE: a.begin(func(cmd *cobra.Command, _ []string) error { return a.runRecord(cmd.Context(), &f) }),
	}
	flags := cmd.Flags()
	f.archives = a.archiveToWrite(flags)
	flags.StringVar(&f.out, "out", "", "folder for the files, which are kept")
	flags.StringSliceVar(&f.coins, "coins", []string{"BTC"}, "tickers")
	flags.StringSliceVar(&f.types, "types", []string{"5m", "15m"}, "lengths of rounds: 5m, 15m, 1h, 4h, 1d")
	flags.StringSliceVar(&f.series, "series", nil, "slugs of more series of up/down rounds, as the exchange names them")
	flags.DurationVar(&f.length, "for", 0, "how long to record, such as 24h (default until stopped)")
	flags.DurationVar(&f.rotate, "rotate", 0, "how often to close a file and import it into the archive (default 1m with an archive, else 1h)")
	flags.StringVar(&f.metricsAddr, "metrics-addr", "none", "address of the Prometheus metrics, or none")
	flags.StringVar(&f.config, "config", "", "configuration file (YAML)")
	flags.BoolVar(&f.backfill, "backfill", false, "record nothing: ask for metadata and winners of the markets that the archive has captures of")
	flags.BoolVar(&f.asJSON, "json", false, "print the result as JSON")
	return cmd
}

// checkDestination refuses to record into nothing.
func (a *cli) checkDestination(f *recordFlags) error {
	if f.out == "" || f.backfill {
		addrs, err := a.Addresses(*f.archives)
		if err != nil {
			return err
		}
		if len(addrs) == 0 && f.backfill {
			return usagef("record --backfill needs --archive ADDR (or $%s): whose markets to ask for", app.ArchiveEnv)
		}
		if len(addrs) == 0 {
			return usagef("record needs --archive ADDR (or $%s), --out FOLDER, or both: where to put what it receives", app.ArchiveEnv)
		}
	}
	return nil
}

// checkRecord refuses flags that make no sense.
func (a *cli) checkRecord(f *recordFlags) error {
	if err := a.checkDestination(f); err != nil {
		return err
	}
	for i, coin := range f.coins {
		f.coins[i] = strings.ToUpper(coin)
		if !market.KnownCoin(f.coins[i]) {
			return usagef("--coins %s: expected tickers such as BTC, ETH and SOL", coin)
		}
	}
	for _, t := range f.types {
		if err := oneOf("types", t, "5m", "15m", "1h", "4h", "1d"); err != nil {
			return err
		}
	}
	for _, s := range f.series {
		if _, _, ok := market.ParseSeriesSlug(s); !ok && !seriesSlug.MatchString(s) {
			return usagef("--series %s: expected the slug of a series, such as btc-up-or-down-5m: lower-case letters, digits and dashes", s)
		}
	}
	switch {
	case f.length < 0:
		return usagef("--for %s: expected a duration, such as 24h", f.length)
	case f.rotate != 0 && f.rotate < time.Second:
		return usagef("--rotate %s: expected 1s or more", f.rotate)
	}
	return nil
}

func (a *cli) runRecord(ctx context.Context, f *recordFlags) (err error) {
	s, err := a.Settings(f.config)
	if err != nil {
		return err
	}
	c := record.Config{
		Coins: f.coins, Types: f.types, Series: f.series, Gamma: s.Record.Gamma, Feed: s.Record.Feed,
		Dir: f.out, KeepFiles: f.out != "", Rotate: f.rotate, Registry: prometheus.NewRegistry(),
		Check: ingest.MessageCheck(),
	}
	if !a.quiet {
		c.Log = slog.New(slog.NewJSONHandler(a.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	}
	if addrs, err := a.Addresses(*f.archives); err != nil {
		return err
	} else if len(addrs) > 0 {
		keeper, err := a.Keeper(ctx, *f.archives)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, keeper.Close()) }()
		if err := a.keepIn(ctx, f, &c, keeper); err != nil {
			return err
		}
	}
	if f.backfill {
		return a.runBackfill(ctx, c)
	}
	r, err := record.New(c)
	if err != nil {
		return err
	}
	stopMetrics, err := app.ServeMetrics(f.metricsAddr, c.Registry, a.say)
	if err != nil {
		return err
	}
	defer stopMetrics()
	if f.length > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.length)
		defer cancel()
	}
	begun := time.Now()
	stopStatus := a.showStatus(r, begun)
	err = r.Run(ctx)
	stopStatus()
	status := r.Status()
	a.recorded(status, time.Since(begun))
	if err == nil && status.Messages == 0 {
		return errNothing
	}
	return err
}

// keepIn makes c hand its files to an archive that no other recorder feeds with the same.
func (a *cli) keepIn(ctx context.Context, f *recordFlags, c *record.Config, k *app.Keeper) (err error) {
	c.Keeper = k
	if c.Dir == "" {
		if c.Dir, err = k.Spool(); err != nil {
			return err
		}
	}
	if f.backfill {
		return nil
	}
	return k.ClaimSeries(ctx, c.SeriesNames())
}

// runBackfill asks for the metadata that the keeper's archive is without.
func (a *cli) runBackfill(ctx context.Context, c record.Config) error {
	ar := c.Keeper.(*app.Keeper).Archive()
	if ar == nil {
		return errors.New("backfill: the archive does not answer")
	}
	names, err := care.Wanting(ctx, ar.Store(), market.Polymarket)
	if err != nil {
		return err
	}
	done := listing.Backfilled{Wanting: len(names)}
	last := time.Time{}
	done.Found, err = record.Backfill(ctx, c, names, func(n, found int) {
		done.Asked = n
		if time.Since(last) > time.Second || n == len(names) {
			last = time.Now()
			a.say("%s of %s asked for, %s known", listing.Grouped(int64(n)), listing.Plural(len(names), "market"), listing.Grouped(int64(found)))
		}
	})
	if ctx.Err() != nil {
		a.say("Stopped. What was answered is imported; run it again to go on.")
		err = nil
	}
	switch {
	case err != nil && a.json: // the error is the document
	case a.json:
		a.printJSON(done)
	default:
		listing.Backfill(a.out, done)
	}
	return err
}

// seriesSlug matches what the exchange may call a series.
var seriesSlug = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// showStatus shows the recording's progress, once a second on a terminal, otherwise
// every half minute.
func (a *cli) showStatus(r *record.Recorder, begun time.Time) (stop func()) {
	if a.quiet {
		return func() {}
	}
	every, front, back := 30*time.Second, "", "\n"
	if a.terminal {
		every, front, back = time.Second, "\r\033[K", ""
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(every)
		defer tick.Stop()
		before := r.Status()
		for {
			select {
			case <-done:
				fmt.Fprint(a.err, front)
				return
			case <-tick.C:
			}
			now := r.Status()
			fmt.Fprint(a.err, front, listing.StatusLine(before, now, every, time.Since(begun)), back)
			before = now
		}
	}()
	return func() { close(done); <-ended }
}

// recorded reports the result of a recording.
func (a *cli) recorded(s record.Status, took time.Duration) {
	if a.json {
		a.printJSON(listing.RecordedDocument(s))
		return
	}
	listing.Recorded(a.out, s)
	if s.Messages == 0 {
		why := "no round was found, or the exchange could not be reached"
		if s.Problem != "" {
			why = s.Problem
		}
		a.say("Nothing was received: %s.", why)
	}
	a.say("took %s", took.Round(time.Second))
}
