// Package servertest starts the whole server over an archive of its own, for tests of
// what talks to it over HTTP.
package servertest

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/app"
	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/simulate"
	"github.com/ladderback/ladderback/archive/sqlite"
)

// Server is a running server.
type Server struct {
	Base    string // its address
	Key     string // of a plan without limits
	Archive string // the file
	App     *app.Server
}

// Options are what a server has beside its archive.
type Options struct {
	Config string    // of the server (YAML); empty: its defaults. addr and metrics_addr are set
	Mails  io.Writer // where mails are written with mail: log; nil: nowhere
	// Agents makes the handler of /mcp; nil: nothing is there.
	Agents func(to app.AgentsOptions) (http.Handler, error)
	Addr   string // to listen on; empty: any on loopback
	Access string // where keys, limits and runs are; empty: beside the archive
}

// Start starts a server over rounds of BTC 5m, which are made for it, until the test ends.
func Start(t testing.TB, rounds int) *Server {
	t.Helper()
	return StartWith(t, rounds, Options{})
}

// StartWith is Start of a server with options.
func StartWith(t testing.TB, rounds int, o Options) *Server {
	t.Helper()
	s, stop, err := Run(context.WithoutCancel(t.Context()), t.TempDir(), rounds, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, stop()) })
	return s
}

// Run is StartWith in a folder, for what has no test of its own, until stop is called.
func Run(ctx context.Context, dir string, rounds int, o Options) (s *Server, stop func() error, err error) {
	s = &Server{Archive: filepath.Join(dir, "archive.db")}
	if err := simulated(ctx, s.Archive, rounds); err != nil {
		return nil, nil, err
	}
	a := &app.App{
		Getenv: func(name string) string {
			return map[string]string{
				"LADDERBACK_ADDR": "127.0.0.1:0", "LADDERBACK_METRICS_ADDR": "none", "LADDERBACK_CACHE": dir,
			}[name]
		},
		Say:  func(string, ...any) {},
		Show: func(string, string) app.Progress { return app.Progress{Set: func(int64, int64) {}, Stop: func() {}} },
	}
	config := ""
	if o.Config != "" {
		config = filepath.Join(dir, "config.yaml")
		if err := os.WriteFile(config, []byte(o.Config), 0o600); err != nil {
			return nil, nil, err
		}
	}
	settings, err := a.Settings(config)
	if err != nil {
		return nil, nil, err
	}
	settings.Addr, settings.MetricsAddr = cmp.Or(o.Addr, "127.0.0.1:0"), "none"
	settings.Access = o.Access
	if o.Mails == nil {
		o.Mails = io.Discard
	}
	s.App, err = a.NewServer(ctx, settings, app.ServeOptions{
		Archives: []string{s.Archive}, LocalKey: true, Works: true, Log: slog.New(slog.DiscardHandler), Mails: o.Mails, Agents: o.Agents,
	})
	if err != nil {
		return nil, nil, err
	}
	if _, s.Key, err = s.App.Keys.CreateEphemeral("enterprise", "local", "local"); err != nil {
		return nil, nil, errors.Join(err, s.App.Close())
	}
	s.Base = s.App.Base
	ctx, end := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- s.App.Serve(ctx, func(string, ...any) {}) }()
	return s, func() error {
		end()
		return errors.Join(<-served, s.App.Close())
	}, nil
}

// simulated writes rounds of BTC 5m into a new archive.
func simulated(ctx context.Context, path string, rounds int) error {
	opened, _, err := sqlite.Create(ctx, path)
	if err != nil {
		return err
	}
	ar := archive.New(opened)
	sim, err := simulate.New(simulate.Config{Seed: 1, Levels: 8, Pairs: []simulate.Pair{{Coin: "BTC", Type: "5m", Rounds: rounds}}})
	if err == nil {
		_, err = sim.Write(ctx, ar, simulate.WriteOptions{})
	}
	return errors.Join(err, ar.Close())
}
