package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"

	"github.com/ladderback/ladderback/api"
	"github.com/ladderback/ladderback/api/wire"
	"golang.org/x/sync/errgroup"
)

// listeners are the addresses that a server listens on, and their handlers.
type listeners struct {
	servers       []*http.Server
	at            []net.Listener
	base, metrics string // of the API, and of the metrics; empty: none
}

// listen opens the addresses of the API, which routes answers, and of the metrics.
func (s *Settings) listen(server *api.Server, routes http.Handler) (*listeners, error) {
	certificate, err := s.Certificate()
	if err != nil {
		return nil, err
	}
	public, err := ListenOn("addr", s.Addr)
	if err != nil {
		return nil, err
	}
	if certificate != nil {
		routes = strictly(routes)
	}
	l := &listeners{
		servers: []*http.Server{s.httpServer(routes)}, at: []net.Listener{wire.Together(public)}, base: "http://" + public.Addr().String(),
	}
	if certificate != nil {
		l.base, l.at[0] = "https://"+public.Addr().String(), tls.NewListener(public, certificate)
	}
	if s.MetricsAddr == "" || s.MetricsAddr == "none" {
		return l, nil
	}
	private, err := ListenOn("metrics-addr", s.MetricsAddr)
	if err != nil {
		return nil, errors.Join(err, public.Close())
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", server.MetricsHandler())
	l.servers, l.at = append(l.servers, s.httpServer(mux)), append(l.at, private)
	l.metrics = "http://" + private.Addr().String() + "/metrics"
	return l, nil
}

// Close closes the addresses.
func (l *listeners) Close() error {
	var errs []error
	for _, at := range l.at {
		if err := at.Close(); !errors.Is(err, net.ErrClosed) { // serving ended with it
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// ListenOn listens on an address given by a flag or the setting of the same name.
func ListenOn(flag, addr string) (net.Listener, error) {
	if err := CheckListen(flag, addr); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	return l, nil
}

// strictly tells browsers to come back by TLS alone, for a year.
func strictly(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Strict-Transport-Security", "max-age=31536000")
		h.ServeHTTP(w, r)
	})
}

func (s *Settings) httpServer(h http.Handler) *http.Server {
	return &http.Server{
		ConnContext: wire.WithConn,
		Handler:     h, MaxHeaderBytes: headerBytes, DisableGeneralOptionsHandler: true,
		ReadHeaderTimeout: s.Timeouts.Header,
		ReadTimeout:       s.Timeouts.Body,
		IdleTimeout:       s.Timeouts.Idle,
	}
}

// serve answers until ctx ends, then lets requests in flight finish, and cuts off what takes
// too long.
func (l *listeners) serve(ctx context.Context, s *Settings, log *slog.Logger, tell func(string, ...any)) error {
	group, gctx := errgroup.WithContext(context.WithoutCancel(ctx))
	for i, srv := range l.servers {
		srv.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelWarn)
		group.Go(func() error {
			err := srv.Serve(l.at[i])
			if errors.Is(err, http.ErrServerClosed) {
				return nil
			}
			return err
		})
	}
	group.Go(func() error {
		select {
		case <-ctx.Done():
		case <-gctx.Done():
		}
		tell("Stopping: finishing the requests in flight.")
		stop, cancel := context.WithTimeout(context.Background(), s.Timeouts.Stop)
		defer cancel()
		var errs []error
		for _, srv := range l.servers {
			err := srv.Shutdown(stop)
			if errors.Is(err, context.DeadlineExceeded) {
				tell("Requests that took longer than %s are cut off.", s.Timeouts.Stop)
				err = srv.Close()
			}
			errs = append(errs, err)
		}
		return errors.Join(errs...)
	})
	return group.Wait()
}
