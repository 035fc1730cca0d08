//go:build unix

package pgtest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"
)

// Proxy stands in front of a server and spoils its connections, in one way at a time.
type Proxy struct {
	*toxiproxy.Proxy
	t testing.TB
}

// NewProxy starts a proxy in front of a server; it ends with the test.
func NewProxy(t testing.TB, server *Server) *Proxy {
	t.Helper()
	return ProxyTo(t, fmt.Sprintf("127.0.0.1:%d", server.Port))
}

// ProxyTo is NewProxy in front of any server, at host:port.
func ProxyTo(t testing.TB, address string) *Proxy {
	t.Helper()
	p := toxiproxy.NewProxy(toxiproxy.NewServer(toxiproxy.NewMetricsContainer(prometheus.NewRegistry()), zerolog.Nop()),
		"proxy", "127.0.0.1:0", address)
	require.NoError(t, p.Start())
	t.Cleanup(p.Stop)
	return &Proxy{p, t}
}

// Address is that of a database through the proxy.
func (p *Proxy) Address(database string) string {
	return "postgres://ladderback@" + p.Listen + "/" + database + "?sslmode=disable"
}

// Cut cuts each connection after the server has sent that many bytes.
func (p *Proxy) Cut(bytes int) {
	p.t.Helper()
	p.add("downstream", "limit_data", fmt.Sprintf(`{"bytes": %d}`, bytes))
}

// Hang lets nothing of what the server says through, and keeps the connections.
func (p *Proxy) Hang() {
	p.t.Helper()
	p.add("downstream", "timeout", `{"timeout": 0}`)
}

// Slow delays what the server says.
func (p *Proxy) Slow(by time.Duration) {
	p.t.Helper()
	p.add("downstream", "latency", fmt.Sprintf(`{"latency": %d}`, by.Milliseconds()))
}

// Drip lets what the server says through in pieces of so many bytes, with a pause between.
func (p *Proxy) Drip(bytes int, pause time.Duration) {
	p.t.Helper()
	p.add("downstream", "slicer", fmt.Sprintf(`{"average_size": %d, "size_variation": 0, "delay": %d}`, bytes, pause.Microseconds()))
}

// Down ends all connections and refuses new ones, until Up.
func (p *Proxy) Down() { p.Stop() }

// Up ends what Down began.
func (p *Proxy) Up() {
	p.t.Helper()
	require.NoError(p.t, p.Start())
}

func (p *Proxy) add(stream, kind, attributes string) {
	p.t.Helper()
	_, err := p.Toxics.AddToxicJson(strings.NewReader(fmt.Sprintf(`{"name": "toxic", "type": %q, "stream": %q, "attributes": %s}`, kind, stream, attributes)))
	require.NoError(p.t, err)
}

// Resume ends what Cut, Hang, Slow or Drip began.
func (p *Proxy) Resume() {
	p.t.Helper()
	require.NoError(p.t, p.Toxics.RemoveToxic(p.t.Context(), "toxic"))
}
