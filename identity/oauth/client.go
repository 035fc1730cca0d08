package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/identity/accounts"
	"github.com/ladderback/ladderback/market"
)

// Client is a program that may ask people for a grant. It has no secret: what proves that
// an answer reached it is PKCE.
type Client struct {
	ID   string `koanf:"id" json:"client_id"`
	Name string `koanf:"name" json:"client_name"` // that people are shown
	// Redirects are where answers may go: https, or http on loopback, there with any port.
	Redirects []string `koanf:"redirect_uris" json:"redirect_uris"`
}

// mostRedirects bounds the redirects of a client.
const mostRedirects = 32

// check says why the client cannot be one.
func (c *Client) check() (err error) {
	if c.ID == "" {
		return errors.New("client_id: missing")
	}
	if c.Name, err = accounts.CheckName(c.Name); err != nil {
		return fmt.Errorf("client_name: %w", err)
	}
	if n := len(c.Redirects); n == 0 || n > mostRedirects {
		return fmt.Errorf("redirect_uris: expected 1 to %d", mostRedirects)
	}
	for _, one := range c.Redirects {
		u, err := url.Parse(one)
		if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" || u.Opaque != "" ||
			u.Scheme != "https" && (u.Scheme != "http" || !IsLoopback(u.Hostname())) {
			return fmt.Errorf("redirect_uris: %q: expected https, or http on loopback", one)
		}
	}
	return nil
}

// Host is where the client is said to be from: that of its id, if that is an address.
func (c *Client) Host() string {
	u, err := url.Parse(c.ID)
	if err != nil {
		return ""
	}
	return u.Host
}

// leadsTo reports whether an answer may go to an address. On loopback it may have any
// port: a program does not know which is free (RFC 8252, 7.3).
func (c *Client) leadsTo(address string) bool {
	if slices.Contains(c.Redirects, address) {
		return true
	}
	want, ok := withoutPort(address)
	return ok && slices.ContainsFunc(c.Redirects, func(one string) bool {
		have, ok := withoutPort(one)
		return ok && have == want
	})
}

// withoutPort returns an address of http on loopback without its port; false for others.
func withoutPort(address string) (string, bool) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" || u.User != nil || u.Fragment != "" || !IsLoopback(u.Hostname()) {
		return "", false
	}
	u.Host = u.Hostname()
	return u.String(), true
}

// IsLoopback reports whether a host, without a port, is this machine by its name.
func IsLoopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && a.Unmap().IsLoopback()
}

// client returns the client of an id. CodeBadRequest: there is none.
func (s *Server) client(ctx context.Context, id string) (*Client, error) {
	for i := range s.cfg.Clients {
		if s.cfg.Clients[i].ID == id {
			return &s.cfg.Clients[i], nil
		}
	}
	if s.documents == nil {
		return nil, market.Errorf(market.CodeBadRequest, "client_id: %q is none that this server knows", id)
	}
	return s.documents.client(ctx, id)
}
