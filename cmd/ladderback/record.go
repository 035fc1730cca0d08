package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
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
	stopMetrics, err := a.serveMetrics(f.metricsAddr, c.Registry)
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
		return errSilent
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
	return k.Alone(ctx, c.SeriesNames())
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
	asked := 0
	last := time.Time{}
	found, err := record.Backfill(ctx, c, names, func(n, found int) {
		asked = n
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
		a.printJSON(struct {
			Wanting int `json:"wanting"`
			Asked   int `json:"asked"`
			Found   int `json:"found"`
		}{len(names), asked, found})
	default:
		t := listing.NewTable(a.out)
		listing.NumbersRight(t, 2)
		t.AppendRow(table.Row{"without official winner", listing.Grouped(int64(len(names))), "markets that the archive has captures of"})
		t.AppendRow(table.Row{"asked for", listing.Grouped(int64(asked)), ""})
		t.AppendRow(table.Row{"known to the exchange", listing.Grouped(int64(found)), "imported"})
		t.Render()
	}
	return err
}

// seriesSlug matches what the exchange may call a series.
var seriesSlug = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// serveMetrics answers Prometheus until the function that it returns is called.
func (a *cli) serveMetrics(addr string, reg *prometheus.Registry) (stop func(), err error) {
	if addr == "" || addr == "none" {
		return func() {}, nil
	}
	reg.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	l, err := app.ListenOn("metrics-addr", addr)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(reg, promhttp.HandlerOpts{}))
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = srv.Serve(l) }() // ends when it is closed
	a.say("Metrics on http://%s/metrics", l.Addr())
	return func() { _ = srv.Close() }, nil
}

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
			fmt.Fprint(a.err, front, statusLine(before, now, every, time.Since(begun)), back)
			before = now
		}
	}()
	return func() { close(done); <-ended }
}

// statusLine describes the state of a recording, and its rate since the last one.
func statusLine(before, now record.Status, since, all time.Duration) string {
	line := fmt.Sprintf("%s, %.0f messages/s, lag %s, %s, %s/day",
		listing.Plural(int(now.Rounds), "round"), float64(now.Messages-before.Messages)/since.Seconds(),
		now.Lag.Round(time.Millisecond), listing.Plural(int(now.Gaps), "gap"),
		listing.Bytes(int64(float64(now.Written)*float64(24*time.Hour)/float64(max(all, time.Second)))))
	if now.Connections == 0 {
		line += ", not connected"
	}
	if now.Waiting > 1 {
		line += fmt.Sprintf(", %d files waiting for the archive", now.Waiting)
	}
	if now.Problem != "" {
		line += " (" + now.Problem + ")"
	}
	return line
}

// recorded reports the result of a recording.
func (a *cli) recorded(s record.Status, took time.Duration) {
	if a.json {
		a.printJSON(struct {
			Messages  int64            `json:"messages"`
			Bytes     int64            `json:"bytes"`
			Written   int64            `json:"written_bytes"`
			Gaps      int64            `json:"gaps"`
			Rejected  map[string]int64 `json:"rejected"`
			Waiting   int              `json:"files_waiting"`
			Watermark *market.Instant  `json:"watermark"`
		}{s.Messages, s.Bytes, s.Written, s.Gaps, s.Rejected, s.Waiting, listing.Known(s.Watermark)})
		return
	}
	rejected := int64(0)
	for _, n := range s.Rejected {
		rejected += n
	}
	t := listing.NewTable(a.out)
	listing.NumbersRight(t, 2)
	for _, row := range []struct {
		name, n, note string
	}{
		{"messages", listing.Grouped(s.Messages), listing.Bytes(s.Bytes)},
		{"written", listing.Bytes(s.Written), ""},
		{"gaps declared", listing.Grouped(s.Gaps), "one per token"},
		{"rejected", listing.Grouped(rejected), rejectedText(s.Rejected)},
		{"files waiting", listing.Grouped(int64(s.Waiting)), "for the archive; the next run imports them"},
		{"whole until", listing.ToSecond(s.Watermark), "UTC"},
	} {
		if row.name == "files waiting" && s.Waiting == 0 || row.name == "rejected" && rejected == 0 || row.name == "whole until" && s.Watermark == 0 {
			continue
		}
		t.AppendRow(table.Row{row.name, row.n, row.note})
	}
	t.Render()
	if s.Messages == 0 {
		why := "no round was found, or the exchange could not be reached"
		if s.Problem != "" {
			why = s.Problem
		}
		a.say("Nothing was received: %s.", why)
	}
	a.say("took %s", took.Round(time.Second))
}

// rejectedText lists the reasons why messages are rejected on import.
func rejectedText(of map[string]int64) string {
	var reasons []string
	for _, reason := range slices.Sorted(maps.Keys(of)) {
		reasons = append(reasons, fmt.Sprintf("%s: %s", reason, listing.Grouped(of[reason])))
	}
	return "an import leaves them out: " + strings.Join(reasons, "; ")
}
