package mcp

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ladderback/ladderback/client"
)

// bodyBytes bounds the body of a request.
const bodyBytes = 1 << 20

// asked is the context key under which a request's own context is: of protocols before
// 2026-07-28 the context of a handler does not end when its client has gone.
type asked struct{}

// Door is where agents come in over HTTP.
type Door struct {
	// Routes answer the tools, for whoever bears the key or token of a request.
	Routes http.Handler
	// Holder is the header of answers of Routes that says whom requests count against;
	// empty: each key or token stands for itself.
	Holder string
	// Base is how people reach the server, without a slash at its end; empty: as a request
	// says.
	Base string
	// Metadata is the address at which a client reads how it gets a token, and Scopes are
	// those that it may ask for; empty: keys alone are taken.
	Metadata string
	Scopes   []string
}

// holderOf is the context key of whom a request counts against.
type holderOf struct{}

// NewHandler returns the handler of the protocol's streamable HTTP transport. The parameter
// tools chooses toolsets, separated by commas. No request depends on an earlier one: any
// process may answer it.
func NewHandler(d Door, c Config) (http.Handler, error) {
	direct := &http.Client{Transport: inProcess{d.Routes}}
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
		DisableLocalhostProtection: true, // ownHost does it, and knows how people reach the server
	})
	crossOrigin := http.NewCrossOriginProtection()
	if d.Base != "" { // behind a proxy, the host that a request names may be another
		if err := crossOrigin.AddTrustedOrigin(d.Base); err != nil {
			return nil, err
		}
	}
	return crossOrigin.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !d.ownHost(r) {
			refuse(w, http.StatusForbidden, "forbidden", "this server answers to loopback names only, such as localhost")
			return
		}
		if choose(r) == nil {
			refuse(w, http.StatusBadRequest, "bad_request", "tools: expected "+strings.Join(Toolsets[:], ", ")+", or both")
			return
		}
		ctx := context.WithValue(r.Context(), asked{}, r.Context())
		if r.Method == http.MethodPost {
			holder, ok := d.known(direct, w, r)
			if !ok {
				return
			}
			if isBatch(r) {
				refuse(w, http.StatusBadRequest, "bad_request", "body: expected one message, not a batch")
				return
			}
			if id, ok := ofTask(w, r); !ok {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusBadRequest)
				_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{
					"code": sdk.CodeHeaderMismatch, "message": "header mismatch: Mcp-Name: expected the taskId of the body",
				}})
				return
			}
			ctx = context.WithValue(ctx, holderOf{}, holder)
		}
		streams.ServeHTTP(w, r.WithContext(ctx))
	})), nil
}

// isBatch reports whether the body of a request is a list of messages, which the revisions
// that are spoken do not have. The body can be read as before.
func isBatch(r *http.Request) bool {
	body := bufio.NewReader(r.Body)
	r.Body = struct {
		io.Reader
		io.Closer
	}{body, r.Body}
	for {
		c, _, err := body.ReadRune()
		if err != nil {
			return false
		}
		if !unicode.IsSpace(c) {
			_ = body.UnreadRune() // the last one was read
			return c == '['
		}
	}
}

// ofTask reports whether a request about a task names it in its header, too, by which it may
// have been led here; all else it leaves to the protocol's own handler. id is that of the
// message, null where there is none. The body can be read as before.
func ofTask(w http.ResponseWriter, r *http.Request) (id json.RawMessage, ok bool) {
	if !slices.Contains(taskMethods[:], r.Header.Get("Mcp-Method")) {
		return nil, true
	}
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyBytes))
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(text), r.Body), r.Body}
	var m struct {
		ID     json.RawMessage `json:"id"`
		Params struct {
			ID string `json:"taskId"`
		} `json:"params"`
	}
	if err != nil || json.Unmarshal(text, &m) != nil {
		return nil, true
	}
	return m.ID, r.Header.Get("Mcp-Name") == m.Params.ID
}

// ownHost reports whether a request names the server as it may: one that comes in on
// loopback by a loopback name, so that no page can reach the server through a name of its
// own that resolves to it; or as people reach it.
func (d *Door) ownHost(r *http.Request) bool {
	at, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok || !isLoopback(at.String()) || isLoopback(r.Host) {
		return true
	}
	base, err := url.Parse(d.Base)
	return err == nil && base.Host != "" && strings.EqualFold(base.Host, r.Host)
}

// isLoopback reports whether a host, with or without a port, is this machine.
func isLoopback(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && ip.Unmap().IsLoopback()
}

// bearer returns the key of a request; empty: it has none.
func bearer(h http.Header) string {
	scheme, key, _ := strings.Cut(h.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(key)
}

// known returns whom a request counts against; false: it has no key or token that the
// routes take, and has been answered.
func (d *Door) known(direct *http.Client, w http.ResponseWriter, r *http.Request) (holder string, ok bool) {
	q, err := http.NewRequestWithContext(r.Context(), http.MethodGet, "http://ladderback.internal/v1/usage", nil)
	if err != nil {
		refuse(w, http.StatusInternalServerError, "internal_error", "the request could not be checked")
		return "", false
	}
	q.RemoteAddr = r.RemoteAddr
	key := bearer(r.Header)
	if key != "" {
		q.Header.Set("Authorization", "Bearer "+key)
	}
	answer, err := direct.Do(q)
	if err != nil {
		return "", false // the client has gone
	}
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusOK {
		return cmp.Or(answer.Header.Get(d.Holder), key), true
	}
	if answer.StatusCode == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", d.challenge(key != ""))
	}
	for _, name := range []string{"Content-Type", "Retry-After", "X-Request-Id"} {
		if v := answer.Header.Values(name); len(v) > 0 {
			w.Header()[name] = slices.Clone(v)
		}
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = io.Copy(w, answer.Body)
	return "", false
}

// challenge says how a request would be let in (RFC 6750, RFC 9728).
func (d *Door) challenge(tried bool) string {
	out := `Bearer realm="ladderback"`
	if tried {
		out += `, error="invalid_token"`
	}
	if d.Metadata != "" {
		out += fmt.Sprintf(`, resource_metadata="%s", scope="%s"`, d.Metadata, strings.Join(d.Scopes, " "))
	}
	return out
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
