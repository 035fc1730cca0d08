package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/ladderback/ladderback/api"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/identity/accounts"
	"github.com/ladderback/ladderback/internal/sqlstore"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/parser"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/runs"
	"github.com/ladderback/ladderback/tries"
	"github.com/ladderback/ladderback/web"
)

// headerBytes bounds the header of a request.
const headerBytes = 32 << 10

// ServeOptions is what a server is told beside its settings.
type ServeOptions struct {
	Archives []string // addresses; none: the demo archive
	LocalKey bool     // the caller makes a key: the store of keys is made for it
	Works    bool     // on kept runs, too
	Work     WorkOptions
	Log      *slog.Logger
	Mails    io.Writer // where mails are written with mail: log
	// Version and Revision are those of the program.
	Version, Revision string
	// Agents makes the handler of /mcp; nil: nothing is there.
	Agents func(to AgentsOptions) (http.Handler, error)
}

// AgentsOptions is what agents are answered with.
type AgentsOptions struct {
	Routes http.Handler // answer their tools
	Holder string       // header of answers of Routes that says who asks
	// Base is how people reach the server, without a slash at its end; empty: as a request
	// says.
	Base string
	// Metadata is where a client reads how it gets a token, and Scopes are those that it
	// may ask for; empty: keys alone are taken.
	Metadata string
	Scopes   []string
}

// Server is the API over archives, which listens but does not answer yet. It is ended by
// Close, whether it has served or not.
type Server struct {
	Keys    *identity.Keys
	Archive string // address
	Base    string // of the API
	Metrics string // address of the metrics; empty: none

	settings  *Settings
	options   ServeOptions
	held      *WatchedArchive
	api       *api.Server
	scheduler *runs.Scheduler
	tries     *tries.Store // nil: none are counted
	people    peopleParts
	listeners *listeners
	closers   []func() error // the last one first
}

// Close ends what the server has opened.
func (v *Server) Close() error {
	var errs []error
	for _, c := range slices.Backward(v.closers) {
		errs = append(errs, c())
	}
	v.closers = nil
	return errors.Join(errs...)
}

// Routes answers requests as the server does at its address, but for agents.
func (v *Server) Routes() http.Handler { return v.api }

// NewServer opens what a server needs, and the addresses that it answers on.
func (a *App) NewServer(ctx context.Context, s *Settings, o ServeOptions) (_ *Server, err error) {
	v := &Server{settings: s, options: o}
	defer func() {
		if err != nil {
			err = errors.Join(err, v.Close())
		}
	}()
	end := a.serverHeap()
	v.closers = append(v.closers, func() error { end(); return nil })
	a.Packing = &s.Packs
	if v.held, err = a.OpenWatched(ctx, o.Archives, s.MemoryMB<<20); err != nil {
		return nil, err
	}
	v.closers = append(v.closers, v.held.Close)
	v.Archive = v.held.ar.Address()
	users, keys, closeKeys, err := a.openKeys(ctx, s, &o)
	if err != nil {
		return nil, err
	}
	v.Keys, v.closers = keys, append(v.closers, closeKeys)
	var closeTries func() error
	if v.tries, closeTries, err = a.triesOf(ctx, o.Archives, o.Log); err != nil {
		return nil, err
	}
	v.closers = append(v.closers, closeTries)
	scheduler, closeScheduler, err := a.scheduler(ctx, s.Access, o.Archives, o.Work.config(runs.Config{
		Tries: v.tries,
		Slots: s.Runs, Workers: s.RunWorkers, GracePeriod: min(softStop, s.Timeouts.Stop), Log: o.Log,
		Source:  func(ctx context.Context) replay.Source { return v.api.Rounds(ctx) },
		Observe: func(kind runs.TaskKind, outcome string, took time.Duration) { v.api.ObserveTask(kind, outcome, took) },
	}))
	if err != nil {
		return nil, err
	}
	v.scheduler, v.closers = scheduler, append(v.closers, closeScheduler)
	if err := v.assemble(users); err != nil {
		return nil, err
	}
	routes, err := v.withAgents()
	if err != nil {
		return nil, err
	}
	if v.listeners, err = s.listen(v.api, routes); err != nil {
		return nil, err
	}
	v.closers = append(v.closers, v.listeners.Close)
	v.Base, v.Metrics = v.listeners.base, v.listeners.metrics
	v.rehearse()
	return v, nil
}

// rehearse searches the archive, beside what follows, for what clients will: the first search
// of a process connects, prepares its statements and, in PostgreSQL, looks at a sample of what
// there is.
func (v *Server) rehearse() {
	ctx, cancel := context.WithCancel(context.Background())
	ar, ended := v.held.ar, make(chan struct{})
	go func() {
		defer close(ended)
		// Who asks is told what is wrong.
		_, _ = ar.Markets(ctx, store.MarketQuery{Search: rehearsed, Page: store.Page{Limit: 1}})
		_, _ = ar.Events(ctx, store.GroupQuery{Search: rehearsed, Page: store.Page{Limit: 1}})
		debug.FreeOSMemory() // a start leaves as much garbage as a heap holds that has little in use
	}()
	v.closers = append(v.closers, func() error {
		cancel()
		<-ended
		return nil
	})
}

// rehearsed is a text that many rounds have.
const rehearsed = "updown"

// agentsPath is where agents ask.
const agentsPath = "/mcp"

// withAgents returns the routes, and beside them what answers agents.
func (v *Server) withAgents() (http.Handler, error) {
	routes := v.api
	if v.options.Agents == nil {
		return routes, nil
	}
	to := AgentsOptions{Routes: routes.Agents(), Holder: api.HolderHeader}
	if v.people.service != nil {
		to.Base = v.people.service.BaseURL()
	}
	if v.people.grants != nil {
		to.Metadata, to.Scopes = v.people.grants.MetadataURL(), accounts.Scopes[:]
	}
	agents, err := v.options.Agents(to)
	if err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == agentsPath {
			agents.ServeHTTP(w, r)
			return
		}
		routes.ServeHTTP(w, r)
	}), nil
}

// assemble makes the API out of what has been opened.
func (v *Server) assemble(store *identity.Store) error {
	s, o := v.settings, &v.options
	model, err := s.LanguageModel(func(c *parser.ModelConfig) {
		c.Logger = o.Log
		c.Observe = func(call parser.ModelCall) { v.api.ObserveModel(call) }
	})
	if err != nil {
		return err
	}
	v.people, err = s.people(peopleNeeds{
		store: store, keys: v.Keys, scheduler: v.scheduler, log: o.Log, mails: o.Mails, assets: web.Files(),
		watermark: func(ctx context.Context) (market.Instant, error) { return v.api.Watermark(ctx) },
	})
	if err != nil {
		return err
	}
	v.api, err = api.New(api.Config{
		Catalogue: v.held.ar, Rounds: v.held.ar, Keys: v.Keys, Model: model, Log: o.Log,
		CORSOrigins: s.CORSOrigins, Runs: s.Runs, QueuedRuns: s.QueuedRuns, RunWorkers: s.RunWorkers,
		RequestTimeout: s.Timeouts.Request, WriteTimeout: s.Timeouts.Write,
		Scheduler: v.scheduler, Tries: v.tries, Little: o.Work.Little, Page: web.Files(), People: v.people.handler, Forms: v.people.forms, Grants: v.people.grants, Meter: v.people.meter,
		LogRequests: s.LogRequests, SlowRequest: s.SlowRequest, Version: o.Version, Revision: o.Revision,
	})
	return err
}

// Serve answers until ctx ends, then lets requests in flight finish. tell gets what
// people should know meanwhile.
func (v *Server) Serve(ctx context.Context, tell func(format string, args ...any)) error {
	watching, stop := context.WithCancel(ctx)
	defer stop()
	go v.held.watch(watching, v.api, v.options.Log)
	defer context.AfterFunc(ctx, v.api.Stop)()
	var working sync.WaitGroup
	answered, closed := untilAnswered(ctx, v.api)
	if v.options.Works {
		working.Go(func() { v.scheduler.Work(answered) })
	}
	v.people.work(watching, &working)
	defer working.Wait()
	defer closed()
	defer stop()
	return v.listeners.serve(ctx, v.settings, v.options.Log, tell)
}

// untilAnswered returns a context that ends with ctx, but not while clients wait for
// what the workers of this process do, and at the latest when closed is called.
func untilAnswered(ctx context.Context, server *api.Server) (answered context.Context, closed func()) {
	answered, closed = context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() {
		for server.Asked() && answered.Err() == nil {
			time.Sleep(20 * time.Millisecond)
		}
		closed()
	})
	return answered, closed
}

// openKeys opens the keys and limits. With --local-key, or accounts, they are made or
// migrated.
func (a *App) openKeys(ctx context.Context, s *Settings, o *ServeOptions) (*identity.Store, *identity.Keys, func() error, error) {
	addr, err := a.AccessAddress(ctx, s.Access, o.Archives)
	if err != nil {
		return nil, nil, nil, err
	}
	store, err := OpenAccess(ctx, addr, o.LocalKey || s.Accounts.Enabled)
	if errors.Is(err, identity.ErrNotInitialized) {
		return nil, nil, nil, fmt.Errorf("%w; or serve with --local-key", err)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	plans := s.PlansInEffect()
	if _, ok := plans["enterprise"]; o.LocalKey && !ok {
		plans["enterprise"] = identity.DefaultPlans()["enterprise"]
	}
	return store, identity.NewKeys(store, plans, nil), store.Close, nil
}

// scheduler opens the table of runs, which stands beside the keys, and makes it if it is
// not there.
func (a *App) scheduler(ctx context.Context, accessFlag string, archives []string, cfg runs.Config) (*runs.Scheduler, func() error, error) {
	addr, err := a.AccessAddress(ctx, accessFlag, archives)
	if err != nil {
		return nil, nil, err
	}
	if _, err := os.Stat(addr); sqlstore.DialectOf(addr) == sqlstore.SQLite && errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%s: no such file: name the keys of the server with --access, or make the first with `ladderback keys create`", addr)
	}
	if cfg.Store, err = runs.Open(ctx, addr); err != nil {
		return nil, nil, err
	}
	return runs.NewScheduler(cfg), cfg.Store.Close, nil
}
