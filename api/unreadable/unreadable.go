// Package unreadable answers requests that net/http refuses before any handler runs.
package unreadable

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"strconv"

	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/market"
)

// Listener returns a listener that answers what net/http itself refuses
// (malformed requests, headers that are too long) the way the rest of the API
// does: with an error envelope and a request id, which note returns for a status.
// net/http would send plain text before any handler runs. Only plain TCP connections
// are changed; those under TLS still get plain text.
func Listener(l net.Listener, note func(status int) (id string)) net.Listener {
	return &refusing{l, note}
}

type refusing struct {
	net.Listener
	note func(status int) string
}

// Accept implements net.Listener.
func (l *refusing) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok && err == nil {
		return &refusingConn{tcp, l.note}, nil
	}
	return c, err
}

// refusingConn is a connection that net/http writes its refusals to.
type refusingConn struct {
	*net.TCPConn
	note func(status int) string
}

// The first bytes of a refusal of net/http, and the header that it sends with
// each and that no answer of ours has.
var (
	refusalBegin  = []byte("HTTP/1.1 ")
	refusalHeader = []byte("\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")
)

// Write implements net.Conn. net/http sends a refusal in one write.
func (c *refusingConn) Write(p []byte) (int, error) {
	const digits = 3
	if at := len(refusalBegin); len(p) > at+digits && bytes.HasPrefix(p, refusalBegin) && p[at] >= '4' {
		line, _, found := bytes.Cut(p, refusalHeader)
		if status, err := strconv.Atoi(string(p[at : at+digits])); found && err == nil && !bytes.Contains(line, []byte("\n")) {
			if _, err := c.TCPConn.Write(refusal(status, c.note)); err != nil {
				return 0, err
			}
			return len(p), nil
		}
	}
	return c.TCPConn.Write(p)
}

// refusal is the whole answer to a request that could not be read.
func refusal(status int, note func(status int) string) []byte {
	e := wire.Envelope{Error: market.CodeBadRequest, Message: "the request is not valid HTTP"}
	switch status {
	case http.StatusRequestHeaderFieldsTooLarge:
		e = wire.Envelope{Error: market.CodeHeadersTooLarge, Message: "the header of the request is too large"}
	case http.StatusBadRequest:
	default:
		status, e.Message = http.StatusBadRequest, "the request uses an unsupported HTTP feature"
	}
	id := note(status)
	body, _ := backtest.CompactJSON(e) // of plain texts
	return fmt.Appendf(nil, "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nX-Request-Id: %s\r\nConnection: close\r\n\r\n%s",
		status, http.StatusText(status), len(body), id, body)
}
