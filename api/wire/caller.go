package wire

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Bearer returns the token of "Authorization: Bearer <token>"; empty: none, or several headers,
// of which servers on the way may have read another than this one would.
func Bearer(r *http.Request) string {
	scheme, token, _ := strings.Cut(strings.TrimSpace(r.Header.Get("Authorization")), " ")
	if len(r.Header["Authorization"]) > 1 || !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// KeyOf returns the key that a request carries in one of the headers that
// its route takes. Where both headers are there, they must carry the same key:
// else it is not known who asks.
func KeyOf(r *http.Request, bearerOnly bool) string {
	token, keys := Bearer(r), r.Header["X-Api-Key"]
	if bearerOnly || len(keys) == 0 {
		return token
	}
	key := strings.TrimSpace(keys[0])
	if len(keys) > 1 || len(r.Header["Authorization"]) > 0 && token != key {
		return ""
	}
	return key
}

// IsLoopback reports whether a host, with or without a port, is this machine.
func IsLoopback(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	if strings.EqualFold(host, "localhost") || strings.HasSuffix(strings.ToLower(host), ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
