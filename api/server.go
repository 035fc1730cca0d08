package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/maypok86/otter/v2"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"golang.org/x/time/rate"

	"github.com/ladderback/ladderback/api/grants"
	"github.com/ladderback/ladderback/api/history"
	"github.com/ladderback/ladderback/api/lists"
	workbench "github.com/ladderback/ladderback/api/page"
	"github.com/ladderback/ladderback/api/page/forms"
	"github.com/ladderback/ladderback/api/people"
	"github.com/ladderback/ladderback/api/places"
	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/parser"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/runs"
	"github.com/ladderback/ladderback/tries"
)

// Catalogue is what the data routes read from. *archive.Archive implements it.
type Catalogue interface {
	history.Catalogue
	lists.Catalogue
	Days(ctx context.Context, c market.Category) ([]store.Day, error)
}

// Config configures a Server. A zero field takes its default where it has one.
type Config struct {
	Catalogue Catalogue
	Keys      *identity.Keys
	Rounds    replay.Source // what backtests run over; usually the Catalogue
	Model     *parser.Model // reads prompts; nil: the rules alone
	Log       *slog.Logger  // nil: nothing is logged
	// LogRequests is which requests are logged, one of LogRequests. Default all.
	LogRequests string
	// SlowRequest is how long a request may take before it is logged as slow,
	// as a warning. Backtests and bulk answers never count as slow. Default 1
	// s.
	SlowRequest time.Duration
	// Version and Revision name the build in the metrics; both may be empty.
	Version, Revision string
	// CORSOrigins are the origins whose pages may call the API from a browser;
	// "*": any. Default none.
	CORSOrigins []string
	// RequestTimeout bounds the time a data route may take. Default 30 s.
	RequestTimeout time.Duration
	// WriteTimeout bounds how long a client may take to read one part of an
	// answer. Default 30 s.
	WriteTimeout time.Duration
	// Runs is how many backtests run at a time, and QueuedRuns how many more
	// may wait; any beyond that are refused. Defaults 2 and 16.
	Runs, QueuedRuns int
	// RunWorkers is how many markets one backtest replays in parallel. Default:
	// one per core.
	RunWorkers int
	// Scheduler keeps runs, and the server's clients ask it for them; nil: none are kept.
	// Its Replay is usually the server's.
	Scheduler *runs.Scheduler
	// Tries is where backtests and sweeps are counted, by organization, and what it holds
	// out; nil: nowhere.
	Tries *tries.Store
	// Little is how much estimated work, in time of one processor, a backtest is at most
	// that the server replays itself while its client waits; more is left to the workers
	// of Scheduler. Default 4 s.
	Little time.Duration
	// People has the routes of sessions and accounts. Default: sessions of Keys alone.
	People *people.Handler
	// Forms has the pages on which people come in; nil: there are none.
	Forms *forms.Forms
	// Grants answers clients that act for people, at its addresses and where agents ask; nil:
	// there are none.
	Grants *grants.Handler
	// Meter counts what keys do by day; nil: nobody does.
	Meter *identity.Meter
	// Page holds the files of the workbench page: index.html, and those that it names
	// below assets/. nil: there is none, and a browser is led to the documentation.
	Page fs.FS
}

// Values of Config.LogRequests.
const (
	LogAll    = "all"
	LogFailed = "failed" // those with a status of 500 and more, and slow ones
	LogNone   = "none"
)

// LogRequests lists them.
var LogRequests = [...]string{LogAll, LogFailed, LogNone}

// Server serves the API. It is safe for concurrent use.
type Server struct {
	cfg       Config
	catalogue *current
	keys      *identity.Keys
	log       *slog.Logger
	metrics   *instruments
	places    *places.Places
	asked     atomic.Int64 // backtests that clients wait for and workers do
	typing    *otter.Cache[string, *rate.Limiter]
	history   *history.Handler
	lists     *lists.Handler
	docs      []byte // the page at /docs
	handler   http.Handler
	examples  examples
	stopping  context.Context // ends with Stop
	stop      context.CancelFunc
}

// New returns a server.
func New(cfg Config) (*Server, error) {
	if cfg.Catalogue == nil || cfg.Keys == nil || cfg.Rounds == nil {
		return nil, errors.New("api: Catalogue, Rounds and Keys are needed")
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	cfg.RequestTimeout = cmp.Or(cfg.RequestTimeout, 30*time.Second)
	cfg.SlowRequest = cmp.Or(cfg.SlowRequest, time.Second)
	cfg.WriteTimeout = cmp.Or(cfg.WriteTimeout, 30*time.Second)
	cfg.Little = cmp.Or(cfg.Little, little)
	cfg.Runs, cfg.QueuedRuns = cmp.Or(cfg.Runs, 2), cmp.Or(cfg.QueuedRuns, 16)
	s := &Server{cfg: cfg, catalogue: &current{}, keys: cfg.Keys, log: cfg.Log, metrics: newInstruments()}
	s.stopping, s.stop = context.WithCancel(context.Background())
	s.Replace(cfg.Catalogue, cfg.Rounds)
	s.metrics.registry.MustRegister(inOrder{newConnections(s.catalogue, cfg.Keys), newFreshness(s.catalogue)}, buildInfo(cfg.Version, cfg.Revision))
	s.typing = newTyping()
	s.places = places.New(cfg.Runs, cfg.QueuedRuns, s.metrics.runs, s.metrics.refused)
	s.lists = lists.New(func(ctx context.Context) lists.Catalogue { return s.catalogue.of(ctx) })
	s.history = history.New(history.Config{
		Catalogue: func(ctx context.Context) history.Catalogue { return s.catalogue.of(ctx) },
		Keys:      s.keys, Log: s.log, RequestTimeout: cfg.RequestTimeout, WriteTimeout: cfg.WriteTimeout,
		Served: s.metrics.served, Limited: func() { s.metrics.limited.WithLabelValues("bulk").Inc() },
	})
	page, err := docsWithGuide(cfg.Page)
	if err == nil && cfg.People == nil {
		s.cfg.People, err = people.New(people.Config{Keys: cfg.Keys})
	}
	if err != nil {
		return nil, fmt.Errorf("api: %w", err)
	}
	s.docs = page
	if s.handler, err = s.routes(); err != nil {
		return nil, err
	}
	return s, nil
}

// ServeHTTP serves one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Stop has those who wait for a kept run, which may take longer than the server has, ask
// again: their streams end, and waits are refused. All else is answered as before.
func (s *Server) Stop() { s.stop() }

// MetricsHandler serves the Prometheus metrics, which have an address of their
// own.
func (s *Server) MetricsHandler() http.Handler {
	return promhttp.HandlerFor(s.metrics.registry, promhttp.HandlerOpts{})
}

// handle adapts a handler that returns its error.
func (s *Server) handle(f func(w http.ResponseWriter, r *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := f(w, r); err != nil {
			s.fail(w, r, err)
		}
	}
}

func (s *Server) routes() (http.Handler, error) {
	r := chi.NewRouter()
	r.Use(s.observed, wire.Checked(s.fail), s.crossOrigin(), middleware.GetHead)
	r.NotFound(s.handle(func(_ http.ResponseWriter, r *http.Request) error { return noRoute(r) }))
	r.MethodNotAllowed(s.methodNotAllowed(r))

	for _, one := range s.routeTable() {
		if strings.HasPrefix(one.path, "/v1/shared/") { // read by the page as well
			s.register(r.With(smaller()), one)
		} else {
			s.register(r, one)
		}
	}
	s.page(r)
	s.entrance(r)
	r.Get("/openapi.json", s.serveDocument)
	r.Get("/docs", workbench.File("text/html; charset=utf-8", s.docs))
	s.readable(r)
	return r, s.workbench(r)
}

// noRoute says that nothing is at the path of a request.
func noRoute(r *http.Request) error {
	if r.URL.Path == "/" {
		return market.Errorf(market.CodeNotFound, "no such route: /; the documentation is at /docs")
	}
	return market.Errorf(market.CodeNotFound, "no such route: %s", r.URL.Path)
}

// methods are those that routes may have.
var methods = [...]string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete}

// methodNotAllowed names the methods that a path has.
func (s *Server) methodNotAllowed(routes chi.Routes) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		allow := ""
		path := r.URL.EscapedPath()
		for _, m := range methods {
			find := m
			if m == http.MethodHead {
				find = http.MethodGet
			}
			if routes.Match(chi.NewRouteContext(), find, path) {
				if allow != "" {
					allow += ", "
				}
				allow += m
			}
		}
		if allow == "" { // CONNECT, which has no path
			s.fail(w, r, market.Errorf(market.CodeNotFound, "no such route: %s", path))
			return
		}
		w.Header().Set("Allow", allow)
		s.fail(w, r, market.Errorf(market.CodeMethodNotAllowed, "method %s is not allowed on %s; allowed: %s", r.Method, r.URL.Path, allow))
	}
}

// bounded gives a request a time limit.
func (s *Server) bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), s.cfg.RequestTimeout)
		defer cancel()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// ready reports whether the archive answers.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	if _, err := s.catalogue.of(ctx).Watermarks(ctx, ""); err != nil {
		if market.CodeOf(err) == market.CodeUnavailable {
			return err // says which, and why
		}
		return wire.Unavailable("the archive", err)
	}
	wire.WriteJSON(w, http.StatusOK, health{"ready"})
	return nil
}

// outOfReach reports whether an error without a code of its own means that the
// archive is down, or out of time, rather than wrong.
func outOfReach(err error) bool {
	var netErr net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &netErr)
}
