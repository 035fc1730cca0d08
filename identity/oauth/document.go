package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/maypok86/otter/v2"

	"github.com/ladderback/ladderback/market"
)

// Bounds of metadata documents.
const (
	documentBytes   = 16 << 10
	documentTimeout = 5 * time.Second // of all of a fetch
	documentLife    = 10 * time.Minute
	documentsKept   = 1000
	fetchesAtATime  = 4
)

// documents fetches the metadata documents of clients, which are addresses that strangers
// chose: https alone, to public addresses alone, without redirects, and little of each.
// https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/
type documents struct {
	loopback bool // http and https on loopback, too
	http     *http.Client
	kept     *otter.Cache[string, *Client]
	turns    chan struct{}
}

func newDocuments(loopback bool) *documents {
	d := &documents{loopback: loopback, turns: make(chan struct{}, fetchesAtATime)}
	dialer := &net.Dialer{Timeout: documentTimeout, ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address) // what the name was resolved to
		if err != nil {
			return err
		}
		if a := at.Addr().Unmap(); !public(a) && !(loopback && a.IsLoopback()) {
			return fmt.Errorf("%s is no public address", a)
		}
		return nil
	}}
	d.http = &http.Client{
		Timeout: documentTimeout,
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSHandshakeTimeout: documentTimeout, DisableKeepAlives: true,
			MaxResponseHeaderBytes: documentBytes, ForceAttemptHTTP2: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return errors.New("it leads elsewhere") },
	}
	d.kept = otter.Must(&otter.Options[string, *Client]{
		MaximumSize: documentsKept, ExpiryCalculator: otter.ExpiryWriting[string, *Client](documentLife),
		Executor: func(f func()) { f() }, // no goroutine outlives a call
	})
	return d
}

// notPublic are networks that are no part of the internet, though an address in them is a
// global one: https://www.iana.org/assignments/iana-ipv4-special-registry and -ipv6-.
var notPublic = prefixes("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24", "240.0.0.0/4", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16")

func prefixes(list ...string) (out []netip.Prefix) {
	for _, one := range list {
		out = append(out, netip.MustParsePrefix(one))
	}
	return out
}

// public reports whether an address is one of the internet.
func public(a netip.Addr) bool {
	return a.IsGlobalUnicast() && !a.IsPrivate() && !slices.ContainsFunc(notPublic, func(p netip.Prefix) bool { return p.Contains(a) })
}

// address reads the id of a client as the address of its document.
func (d *documents) address(id string) (*url.URL, error) {
	u, err := url.Parse(id)
	switch {
	case err != nil, u.Host == "", u.User != nil, u.Fragment != "", u.RawQuery != "", u.Path == "", u.Path == "/",
		path.Clean(u.Path) != strings.TrimSuffix(u.Path, "/"), strings.ContainsAny(u.EscapedPath(), "%\\"):
	case u.Scheme == "https" && u.Port() == "", d.loopback && IsLoopback(u.Hostname()) && (u.Scheme == "https" || u.Scheme == "http"):
		return u, nil
	}
	return nil, market.Errorf(market.CodeBadRequest, "client_id: %q: expected one that this server knows, or the address of a client's document, such as https://example.com/client.json", id)
}

// client returns the client whose document is at the address that is its id.
// CodeBadRequest: there is none, or it is none.
func (d *documents) client(ctx context.Context, id string) (*Client, error) {
	u, err := d.address(id)
	if err != nil {
		return nil, err
	}
	if c, ok := d.kept.GetIfPresent(id); ok {
		return c, nil
	}
	select {
	case d.turns <- struct{}{}:
		defer func() { <-d.turns }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	c, err := d.fetch(ctx, u)
	if err == nil && c.ID != id {
		err = fmt.Errorf("its client_id is %q", c.ID)
	}
	if err != nil {
		return nil, &market.Error{Code: market.CodeBadRequest, Cause: err, Message: fmt.Sprintf("client_id: the document at %s is not there, or is none of a client", id)}
	}
	d.kept.Set(id, c)
	return c, nil
}

// fetch reads the document at an address.
func (d *documents) fetch(ctx context.Context, u *url.URL) (*Client, error) {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	q.Header.Set("Accept", "application/json")
	q.Header.Set("User-Agent", "ladderback")
	a, err := d.http.Do(q)
	if err != nil {
		return nil, err
	}
	defer a.Body.Close()
	kind, _, err := mime.ParseMediaType(a.Header.Get("Content-Type"))
	if a.StatusCode != http.StatusOK || err != nil || kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		return nil, fmt.Errorf("status %d, type %q", a.StatusCode, kind)
	}
	text, err := io.ReadAll(io.LimitReader(a.Body, documentBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > documentBytes {
		return nil, fmt.Errorf("it has over %d bytes", documentBytes)
	}
	var doc struct {
		Client
		Method  string   `json:"token_endpoint_auth_method"`
		Secret  string   `json:"client_secret"`
		Grants  []string `json:"grant_types"`
		Answers []string `json:"response_types"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	switch {
	case doc.Method != "" && doc.Method != "none", doc.Secret != "":
		return nil, errors.New("its token_endpoint_auth_method is not none")
	case len(doc.Grants) > 0 && !slices.Contains(doc.Grants, "authorization_code"), len(doc.Answers) > 0 && !slices.Contains(doc.Answers, "code"):
		return nil, errors.New("it asks for no authorization code")
	}
	return &doc.Client, doc.Client.check()
}
