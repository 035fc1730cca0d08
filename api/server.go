package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/ladderback/ladderback/api/access"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/parser"
	"github.com/ladderback/ladderback/replay"
)

// Config says what a Server needs. The zero value of a field with a default
// takes the default.
type Config struct {
	Catalogue Catalogue
	Guard     *access.Guard
	Rounds    replay.Source // what backtests run over
	Model     *parser.Model // reads prompts; nil: the rules alone do
	Log       *slog.Logger  // nil: nothing is logged
	// CORSOrigins are the origins whose pages may call the API from a browser;
	// "*": any. Default none.
	CORSOrigins []string
	// RequestTimeout bounds the time a data route may take. Default 30 s.
	RequestTimeout time.Duration
	// WriteTimeout bounds how long a client may take to read a part of an
	// answer. Default 30 s.
	WriteTimeout time.Duration
	// Runs is how many backtests run at a time, QueuedRuns how many more may wait
	// for their turn; further ones are refused. Defaults 2 and 16.
	Runs, QueuedRuns int
	// RunWorkers is how many markets a backtest replays at a time. Default one a
	// core.
	RunWorkers int
}

// Server answers the routes. It is safe for concurrent use.
type Server struct {
	cfg       Config
	catalogue Catalogue
	guard     *access.Guard
	log       *slog.Logger
	metrics   *instruments
	runs      *runs
	handler   http.Handler
}

// New makes a server.
func New(cfg Config) (*Server, error) {
	if cfg.Catalogue == nil || cfg.Guard == nil || cfg.Rounds == nil {
		return nil, errors.New("api: Catalogue, Rounds and Guard are needed")
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	cfg.RequestTimeout = cmp.Or(cfg.RequestTimeout, 30*time.Second)
	cfg.WriteTimeout = cmp.Or(cfg.WriteTimeout, 30*time.Second)
	cfg.Runs, cfg.QueuedRuns = cmp.Or(cfg.Runs, 2), cmp.Or(cfg.QueuedRuns, 16)
	s := &Server{cfg: cfg, catalogue: cfg.Catalogue, guard: cfg.Guard, log: cfg.Log, metrics: newInstruments()}
	s.metrics.registry.MustRegister(newConnections(cfg.Catalogue, cfg.Guard))
	s.runs = newRuns(cfg.Runs, cfg.QueuedRuns, s.metrics)
	s.handler = s.routes()
	return s, nil
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// MetricsHandler answers Prometheus, on an address of its own.
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

func (s *Server) routes() http.Handler {
	r := chi.NewRouter()
	r.Use(s.observed, s.crossOrigin, middleware.GetHead)
	r.NotFound(func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, &apiError{code: codeNotFound, message: "no such route: " + r.URL.Path})
	})
	r.MethodNotAllowed(s.methodNotAllowed(r))

	alive := s.handle(func(w http.ResponseWriter, _ *http.Request) error {
		writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
		return nil
	})
	r.Get("/v1/health", alive)
	r.Get("/healthz", alive)
	r.Get("/readyz", s.handle(s.ready))
	r.Get("/openapi.json", serveFile("application/json", openAPI))
	r.Get("/docs", serveFile("text/html; charset=utf-8", docsPage))

	r.Group(func(r chi.Router) {
		r.Use(s.authenticated(false, false), s.bounded)
		r.Get("/v1/series", s.handle(s.listSeries))
		r.Get("/v1/events", s.handle(s.listEvents))
		r.Get("/v1/markets", s.handle(s.listMarkets))
		r.Get("/v1/markets/{id_or_slug}", s.handle(s.getMarket))
		r.Get("/v1/tags", s.handle(s.listTags))
	})
	r.Group(func(r chi.Router) { // bounded by themselves: bulk answers take their time
		r.Use(s.authenticated(false, false))
		for _, p := range []point{pricePoints, bookPoints, metricPoints} {
			r.Get("/v1/markets/{id_or_slug}/"+string(p), s.handle(s.history(historyRoute{point: p})))
		}
		r.Get("/v1/tokens/{token_id}/prices", s.handle(s.history(historyRoute{pricePoints, true})))
		r.Get("/v1/tokens/{token_id}/books", s.handle(s.history(historyRoute{bookPoints, true})))
	})
	r.With(s.authenticated(true, false)).Get("/v1/usage", s.handle(s.usage))
	r.With(s.authenticated(false, false)).Get("/v1/ai/conditions", s.handle(s.conditions))
	r.Group(func(r chi.Router) {
		r.Use(s.authenticated(false, true), s.canBacktest)
		r.Post("/v1/ai/backtest", s.handle(s.backtest))
		r.Post("/v1/ai/parse", s.handle(s.parse))
	})
	return r
}

// methods are those that routes may have.
var methods = [...]string{http.MethodGet, http.MethodHead, http.MethodPost}

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
		s.fail(w, r, &apiError{
			code: codeMethodNotAllowed, allow: allow,
			message: fmt.Sprintf("method %s is not allowed on %s; allowed: %s", r.Method, r.URL.Path, allow),
		})
	}
}

// unhurried lifts the time limit on reading from the connection, once the
// request has been read: it would end an answer that takes longer.
func unhurried(w http.ResponseWriter) error {
	err := http.NewResponseController(w).SetReadDeadline(time.Time{})
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return err
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
	if _, err := s.catalogue.Watermarks(ctx, ""); err != nil {
		return unavailable("the archive", err)
	}
	writeJSON(w, http.StatusOK, map[string]string{"status": "ready"})
	return nil
}

// unreachable reports whether err means that the archive is down, or out of
// time, rather than wrong.
func unreachable(err error) bool {
	var netErr net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, store.ErrLocked) ||
		errors.Is(err, store.ErrUnreachable) || errors.Is(err, store.ErrClosed) || errors.Is(err, store.ErrChanged) ||
		errors.As(err, &netErr)
}

// Routes lists every route as "METHOD pattern", for the document of the API.
func (s *Server) Routes() []string {
	var out []string
	_ = chi.Walk(s.handler.(chi.Routes), func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		out = append(out, method+" "+route)
		return nil
	})
	return out
}
