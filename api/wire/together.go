package wire

import (
	"context"
	"net"
	"net/http"
)

// Together listens as l does, on connections that send an answer of Send at once, if WithConn is
// the server's ConnContext: net/http sends the first 4 kB by themselves, and what a kernel does
// for a packet is a fifth of a small answer.
func Together(l net.Listener) net.Listener { return together{l} }

type together struct{ net.Listener }

// Accept implements net.Listener.
func (l together) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if plain, ok := c.(*net.TCPConn); ok {
		return &conn{tcp: plain}, err
	}
	return c, err
}

// tcp is what net/http asks of a connection.
type tcp interface {
	net.Conn
	CloseWrite() error
}

// conn is a connection that can keep the beginning of an answer until more of it comes. It is
// written to by one goroutine at a time.
type conn struct {
	tcp
	keeps bool
	kept  []byte
}

// Write implements net.Conn.
func (c *conn) Write(p []byte) (int, error) {
	if !c.keeps {
		return c.tcp.Write(p)
	}
	if len(c.kept) == 0 && len(p) <= 4<<10 {
		c.kept = append(c.kept, p...)
		return len(p), nil
	}
	both := net.Buffers{c.kept, p}
	n, err := both.WriteTo(c.tcp)
	n -= int64(len(c.kept))
	c.kept = c.kept[:0]
	return int(max(n, 0)), err
}

// whole has an answer sent whole: all that send writes.
func (c *conn) whole(w http.ResponseWriter, send func()) {
	c.keeps = true
	send()
	_ = http.NewResponseController(w).Flush() // to Write
	c.keeps = false
	if len(c.kept) == 0 {
		return
	}
	_, err := c.tcp.Write(c.kept)
	if c.kept = c.kept[:0]; err != nil {
		_ = c.Close() // net/http does not know that the answer is not whole
	}
}

type connKey struct{}

// WithConn is http.Server.ConnContext.
func WithConn(ctx context.Context, c net.Conn) context.Context {
	if c, ok := c.(*conn); ok {
		return context.WithValue(ctx, connKey{}, c)
	}
	return ctx
}
