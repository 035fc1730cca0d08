package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"time"
)

// Client asks one server with one key. It is safe for concurrent use. Its key is never
// part of what it prints.
type Client struct {
	base    string
	http    *http.Client
	sign    func(*http.Request)
	tries   int
	longest time.Duration
	agent   string
}

// Option changes a client.
type Option func(*Client)

// WithHTTP uses h for all requests, but for redirects to another host, which are never
// followed.
func WithHTTP(h *http.Client) Option { return func(c *Client) { c.http = h } }

// WithRetries asks up to tries times in all (at least once), and waits no longer than
// longest between two tries: an answer that asks for more, as after a day's quota, is
// returned as its error. The defaults are 4 tries and 30 s.
func WithRetries(tries int, longest time.Duration) Option {
	return func(c *Client) { c.tries, c.longest = max(1, tries), longest }
}

// WithUserAgent puts the name of a program before the client's own.
func WithUserAgent(name string) Option {
	return func(c *Client) { c.agent = name + " " + c.agent }
}

// New returns a client of the server at base, such as http://127.0.0.1:8080, with an API
// key; an empty key suits routes that need none.
func New(base, key string, options ...Option) *Client {
	c := &Client{
		base: strings.TrimRight(base, "/"), http: http.DefaultClient, tries: 4, longest: 30 * time.Second,
		agent: "ladderback-go/" + version(),
		sign: func(r *http.Request) {
			if key != "" {
				r.Header.Set("Authorization", "Bearer "+key)
			}
		},
	}
	for _, o := range options {
		o(c)
	}
	own := *c.http
	own.CheckRedirect = sameHost
	c.http = &own
	return c
}

// version is that of this module as it is built in.
func version() string {
	const module = "github.com/ladderback/ladderback"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if info.Main.Path == module {
		return cmp.Or(info.Main.Version, "devel")
	}
	for _, d := range info.Deps {
		if d.Path == module {
			return d.Version
		}
	}
	return "unknown"
}

// sameHost follows redirects on one host alone: the key is for nobody else.
func sameHost(r *http.Request, via []*http.Request) error {
	first := via[0].URL
	if r.URL.Host != first.Host || r.URL.Scheme != first.Scheme {
		return fmt.Errorf("the server leads to another one, %s://%s, which is not followed", r.URL.Scheme, r.URL.Host)
	}
	if len(via) > 5 {
		return errors.New("more than five redirects")
	}
	return nil
}

// String names the server, not the key.
func (c *Client) String() string { return "client of " + c.base }

// call is one request, which may be sent several times.
type call struct {
	method, path string // path: escaped, with what it is asked for
	query        url.Values
	body         any // nil: none
	accept       string
	header       http.Header
	// again says that it may be repeated when nobody knows whether it has arrived.
	again bool
}

// send sends a call until it is answered, and returns the answer, whose body the caller
// closes. Refusals for now (429, 503) are tried again, as the server did nothing; a
// broken connection is where a.again says so.
func (c *Client) send(ctx context.Context, a call) (*http.Response, error) {
	var text []byte
	if a.body != nil {
		var err error
		if text, err = json.Marshal(a.body); err != nil {
			return nil, fmt.Errorf("%s %s: %w", a.method, a.path, err)
		}
	}
	for try := 1; ; try++ {
		r, err := c.once(ctx, a, text)
		if err == nil && r.StatusCode < 300 {
			return r, nil
		}
		wait, again := time.Duration(0), false
		if err == nil {
			err = errorOf(r)
			var e *Error
			again = errors.As(err, &e) && (e.Status == http.StatusTooManyRequests || e.Status == http.StatusServiceUnavailable)
			wait = e.RetryAfter
		} else {
			again = a.again && !errors.As(err, new(*redirected))
		}
		if !again || try >= c.tries || wait > c.longest || ctx.Err() != nil {
			return nil, fmt.Errorf("%s %s: %w", a.method, a.path, ended(ctx, err))
		}
		if err := sleep(ctx, min(c.longest, wait+jitter(try))); err != nil {
			return nil, fmt.Errorf("%s %s: %w", a.method, a.path, err)
		}
	}
}

// ended is the error of the last try, with the end of the caller's patience where that has come.
func ended(ctx context.Context, err error) error {
	if end := context.Cause(ctx); end != nil && !errors.Is(err, end) {
		return fmt.Errorf("%w: %w", end, err)
	}
	return err
}

// redirected is a redirect that is not followed.
type redirected struct{ error }

// once sends a call once.
func (c *Client) once(ctx context.Context, a call, text []byte) (*http.Response, error) {
	to := c.base + a.path
	if len(a.query) > 0 {
		to += "?" + a.query.Encode()
	}
	var body io.Reader
	if text != nil {
		body = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, a.method, to, body)
	if err != nil {
		return nil, err
	}
	for name, values := range a.header {
		r.Header[name] = values
	}
	r.Header.Set("Accept", cmp.Or(a.accept, "application/json"))
	r.Header.Set("User-Agent", c.agent)
	if text != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	c.sign(r)
	answer, err := c.http.Do(r)
	var e *url.Error
	if errors.As(err, &e) {
		if answer != nil { // a redirect that sameHost refused
			return nil, &redirected{e.Err}
		}
		return nil, e.Err // the address is named by the caller, without what may be secret in it
	}
	return answer, err
}

// jitter is how long to wait after a try beyond what the server asks for: it doubles, by
// chance between half of it and all.
func jitter(try int) time.Duration {
	most := 200 * time.Millisecond << min(try-1, 8)
	return most/2 + rand.N(most/2) //nolint:gosec // spreads requests, keeps no secret
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

// ask sends a call and reads its answer into out; nil: there is nothing to read.
func (c *Client) ask(ctx context.Context, a call, out any) error {
	r, err := c.send(ctx, a)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	if out == nil {
		return nil
	}
	text, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(text, out)
	}
	if err != nil {
		return fmt.Errorf("%s %s: the answer is not what was expected: %w", a.method, a.path, err)
	}
	return nil
}

// get asks for what is at a path.
func get[T any](ctx context.Context, c *Client, path string, q url.Values) (*T, error) {
	out := new(T)
	if err := c.ask(ctx, call{method: http.MethodGet, path: path, query: q, again: true}, out); err != nil {
		return nil, err
	}
	return out, nil
}
