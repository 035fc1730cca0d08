package mcp

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ladderback/ladderback/client"
)

// bodyBytes bounds the body of a request.
const bodyBytes = 1 << 20

// asked is the context key under which a request's own context is: of protocols before
// 2026-07-28 the context of a handler does not end when its client has gone.
type asked struct{}

// NewHandler returns the handler of the protocol's streamable HTTP transport, beside the
// routes that it asks for its callers, with their keys. The parameter tools chooses
// toolsets, separated by commas. No request depends on an earlier one: any process may
// answer it.
func NewHandler(routes http.Handler, c Config) (http.Handler, error) {
	direct := &http.Client{Transport: inProcess{routes}}
	c.Client = func(_ context.Context, r sdk.Request) (*client.Client, error) {
		key := ""
		if e := r.GetExtra(); e != nil {
			key = bearer(e.Header)
		}
		return client.New("http://ladderback.internal", key, client.WithHTTP(direct), client.WithRetries(1, 0)), nil
	}
	servers := map[string]*sdk.Server{}
	for _, sets := range [][]string{{Study}, {Family}, {Study, Family}, {Family, Study}} {
		c.Toolsets = sets
		s, err := NewServer(c)
		if err != nil {
			return nil, err
		}
		servers[strings.Join(sets, ",")] = s
	}
	choose := func(r *http.Request) *sdk.Server {
		names := r.URL.Query().Get("tools")
		if names == "" {
			names = Study
		}
		return servers[names]
	}
	streams := sdk.NewStreamableHTTPHandler(choose, &sdk.StreamableHTTPOptions{
		Stateless: true, MaxRequestBodyBytes: bodyBytes, PropagateRequestCancellation: true, Logger: c.Log,
	})
	crossOrigin := http.NewCrossOriginProtection()
	return crossOrigin.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if choose(r) == nil {
			refuse(w, http.StatusBadRequest, "bad_request", "tools: expected "+strings.Join(Toolsets[:], ", ")+", or both")
			return
		}
		if r.Method == http.MethodPost && !known(direct, w, r) {
			return
		}
		streams.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), asked{}, r.Context())))
	})), nil
}

// bearer returns the key of a request; empty: it has none.
func bearer(h http.Header) string {
	scheme, key, _ := strings.Cut(h.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(key)
}

// known reports whether a request has a key that the routes take; else it has been
// answered.
func known(direct *http.Client, w http.ResponseWriter, r *http.Request) bool {
	q, err := http.NewRequestWithContext(r.Context(), http.MethodGet, "http://ladderback.internal/v1/usage", nil)
	if err != nil {
		refuse(w, http.StatusInternalServerError, "internal_error", "the request could not be checked")
		return false
	}
	q.RemoteAddr = r.RemoteAddr
	if key := bearer(r.Header); key != "" {
		q.Header.Set("Authorization", "Bearer "+key)
	}
	answer, err := direct.Do(q)
	if err != nil {
		return false // the client has gone
	}
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusOK {
		return true
	}
	if answer.StatusCode == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="ladderback"`)
	}
	for _, name := range []string{"Content-Type", "Retry-After", "X-Request-Id"} {
		if v := answer.Header.Values(name); len(v) > 0 {
			w.Header()[name] = slices.Clone(v)
		}
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = io.Copy(w, answer.Body)
	return false
}

func refuse(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": code, "message": message})
}

// inProcess answers requests by a handler, without a connection.
type inProcess struct{ routes http.Handler }

// RoundTrip implements http.RoundTripper. The body of the answer is written as it is read.
func (p inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	body, into := io.Pipe()
	w := &answering{header: http.Header{}, into: into, begun: make(chan struct{})}
	in := r.Clone(ctx)
	in.RequestURI = r.URL.RequestURI()
	if in.Body == nil {
		in.Body = http.NoBody
	}
	go func() {
		var fault error = io.ErrUnexpectedEOF // of a handler that panics
		defer func() {
			_ = recover()
			w.WriteHeader(http.StatusInternalServerError) // unless it has begun
			_ = into.CloseWithError(fault)
		}()
		p.routes.ServeHTTP(w, in)
		w.WriteHeader(http.StatusOK)
		fault = nil
	}()
	select {
	case <-w.begun:
	case <-r.Context().Done():
		cancel()
		_ = body.Close()
		return nil, r.Context().Err()
	}
	return &http.Response{
		Status: http.StatusText(w.status), StatusCode: w.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.sent, Body: reading{body, cancel}, ContentLength: -1, Request: r,
	}, nil
}

// answering is the writer of a handler that is asked in process.
type answering struct {
	header, sent http.Header
	into         *io.PipeWriter
	once         sync.Once
	status       int
	begun        chan struct{}
}

func (w *answering) Header() http.Header { return w.header }

func (w *answering) WriteHeader(status int) {
	w.once.Do(func() {
		w.status, w.sent = status, w.header.Clone()
		close(w.begun)
	})
}

func (w *answering) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.into.Write(b)
}

// Flush does nothing: nothing is held back.
func (w *answering) Flush() { w.WriteHeader(http.StatusOK) }

// reading is the body of an answer; closed, it ends the request.
type reading struct {
	*io.PipeReader
	cancel context.CancelFunc
}

func (r reading) Close() error {
	r.cancel()
	return r.PipeReader.Close()
}
