package api

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/go-chi/cors"

	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/market"
)

// observed gives every request an id and the archive of now, recovers panics, logs, and
// measures.
func (s *Server) observed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		entry := &wire.RequestLog{ID: newRequestID()}
		r = r.WithContext(s.catalogue.pinned(wire.WithLog(r.Context(), entry)))
		w.Header().Set("X-Request-Id", entry.ID)
		ww := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		begun := time.Now()
		if err := s.deadline(w); err != nil {
			s.log.LogAttrs(r.Context(), slog.LevelWarn, "set time limit", slog.String("request_id", entry.ID), slog.String("cause", err.Error()))
		}
		s.metrics.inFlight.Inc()
		defer func() {
			v := recover()
			if v != nil && v != http.ErrAbortHandler { //nolint:errorlint // the value itself is the signal
				s.recovered(ww, r, v)
			}
			s.metrics.inFlight.Dec()
			s.record(r, ww, entry, time.Since(begun))
			if v == http.ErrAbortHandler { //nolint:errorlint // as above
				panic(v)
			}
		}()
		next.ServeHTTP(ww, r)
	})
}

// recovered answers a panic as a 500 with the request's id, as long as nothing
// was sent.
func (s *Server) recovered(w middleware.WrapResponseWriter, r *http.Request, v any) {
	s.log.LogAttrs(r.Context(), slog.LevelError, "panic",
		slog.String("request_id", wire.LogOf(r.Context()).ID), slog.String("cause", fmt.Sprint(v)), slog.String("stack", string(debug.Stack())))
	if w.Status() == 0 {
		s.fail(w, r, internal(r.Context()))
	}
}

func (s *Server) record(r *http.Request, w middleware.WrapResponseWriter, entry *wire.RequestLog, took time.Duration) {
	route := "none"
	if rc := chi.RouteContext(r.Context()); rc != nil && rc.RoutePattern() != "" {
		route = rc.RoutePattern()
	}
	status := w.Status()
	switch {
	case entry.Cut:
		status = market.StatusClientGone
	case status == 0:
		status = http.StatusOK
	}
	s.metrics.latency.WithLabelValues(route, methodLabel(r.Method), strconv.Itoa(status)).Observe(took.Seconds())
	s.meter(r, route, entry, status)
	level, failed := slog.LevelInfo, status >= http.StatusInternalServerError
	if took >= s.cfg.SlowRequest && !entry.Long {
		level, failed = slog.LevelWarn, true
	}
	if s.cfg.LogRequests == LogNone || s.cfg.LogRequests == LogFailed && !failed {
		return
	}
	if h := s.log.Handler(); h.Enabled(r.Context(), level) {
		line := slog.NewRecord(time.Now(), level, "request", 0) // a Logger would look for who called it
		line.AddAttrs(slog.String("request_id", entry.ID), slog.String("method", r.Method), slog.String("route", route),
			slog.String("path", loggedPath(r, route)), slog.Int("status", status), slog.Int("bytes", w.BytesWritten()),
			slog.Float64("took_ms", float64(took.Microseconds())/1000), slog.String("key", entry.Key))
		_ = h.Handle(r.Context(), line) // nobody is left to tell
	}
}

// meter counts what a request of a key did, if anybody asks.
func (s *Server) meter(r *http.Request, route string, entry *wire.RequestLog, status int) {
	if s.cfg.Meter == nil || entry.Key == "" {
		return
	}
	did := identity.Request{Bulk: entry.Bulk}
	switch path := strings.TrimPrefix(route, "/app"); {
	case status >= http.StatusBadRequest:
		did.Refusal = cmp.Or(entry.Code, market.CodeInternal)
	case r.Method == http.MethodPost && (path == runsPath || path == "/v1/ai/backtest" || path == "/v1/ai/sweeps"):
		did.Backtest = true
	}
	s.cfg.Meter.Count(entry.Key, did)
}

// loggedPath is the path of a request as it is logged: one that holds the token of a
// link stands for the token.
func loggedPath(r *http.Request, route string) string {
	if strings.Contains(route, "/{token}") {
		return route
	}
	return r.URL.Path
}

// deadline bounds how long the client may take to read the next part of its
// answer, from now on, after the time that it takes to make it.
func (s *Server) deadline(w http.ResponseWriter) error {
	err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.cfg.RequestTimeout + s.cfg.WriteTimeout))
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return err
}

// newRequestID returns 64 random bits in hexadecimal. It tells requests apart, and is no secret.
func newRequestID() string {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], rand.Uint64())
	return hex.EncodeToString(b[:])
}

// crossOrigin lets pages of the configured origins call the API; none are allowed
// by default. Cookies and other credentials that a browser adds by itself are never
// asked for.
func (s *Server) crossOrigin() func(http.Handler) http.Handler {
	if len(s.cfg.CORSOrigins) == 0 { // the library would allow every origin
		return func(next http.Handler) http.Handler { return next }
	}
	return cors.Handler(cors.Options{
		AllowedOrigins: s.cfg.CORSOrigins,
		AllowedMethods: methods[:],
		AllowedHeaders: []string{"Accept", "Authorization", "Content-Type", "Idempotency-Key", "If-None-Match", "Last-Event-ID", "X-API-Key"},
		ExposedHeaders: []string{
			"ETag", "Idempotency-Replayed", "Location", "Retry-After", "X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", wire.IgnoredHeader,
		},
		MaxAge: int((10 * time.Minute).Seconds()),
	})
}
