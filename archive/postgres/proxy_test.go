//go:build unix

package postgres_test

import (
	"fmt"
	"strings"
	"testing"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/pgtest"
)

// proxy stands in front of a server and spoils its connections.
type proxy struct{ *toxiproxy.Proxy }

func newProxy(t testing.TB, server *pgtest.Server) *proxy {
	t.Helper()
	p := toxiproxy.NewProxy(toxiproxy.NewServer(toxiproxy.NewMetricsContainer(prometheus.NewRegistry()), zerolog.Nop()),
		"postgres", "127.0.0.1:0", fmt.Sprintf("127.0.0.1:%d", server.Port))
	require.NoError(t, p.Start())
	t.Cleanup(p.Stop)
	return &proxy{p}
}

// address is that of a database through the proxy.
func (p *proxy) address(database string) string {
	return "postgres://ladderback@" + p.Listen + "/" + database + "?sslmode=disable"
}

// cut cuts each connection after the server has sent that many bytes.
func (p *proxy) cut(t testing.TB, bytes int) {
	t.Helper()
	p.add(t, fmt.Sprintf(`{"name": "toxic", "type": "limit_data", "stream": "downstream", "attributes": {"bytes": %d}}`, bytes))
}

// hang lets nothing of what the server says through, and keeps the connections.
func (p *proxy) hang(t testing.TB) {
	t.Helper()
	p.add(t, `{"name": "toxic", "type": "timeout", "stream": "downstream", "attributes": {"timeout": 0}}`)
}

func (p *proxy) add(t testing.TB, toxic string) {
	t.Helper()
	_, err := p.Toxics.AddToxicJson(strings.NewReader(toxic))
	require.NoError(t, err)
}

// resume ends what cut or hang began.
func (p *proxy) resume(t testing.TB) {
	t.Helper()
	require.NoError(t, p.Toxics.RemoveToxic(t.Context(), "toxic"))
}
