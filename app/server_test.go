package app

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/runs"
)

// inQuiet are settings for tests: addresses of any port, and nothing of the environment.
func inQuiet(t *testing.T) *Settings {
	t.Helper()
	s, err := quiet(nil).Settings("")
	require.NoError(t, err)
	s.Addr, s.MetricsAddr, s.Timeouts.Stop = "127.0.0.1:0", "127.0.0.1:0", 30*time.Second
	return s
}

func get(t *testing.T, client *http.Client, url string) (*http.Response, string) {
	t.Helper()
	answer, err := client.Get(url)
	require.NoError(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer, string(body)
}

// TestServer: a server answers at its addresses from the archive that it is given, those who
// ask as agents too, and is gone with everything that it opened once it is ended.
func TestServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.db")
	archiveOf(t, path, "the first")
	s := inQuiet(t)
	options := ServeOptions{Archives: []string{path}, Works: true, Log: slog.New(slog.DiscardHandler), Mails: io.Discard}
	_, err := quiet(nil).NewServer(t.Context(), s, options)
	require.ErrorContains(t, err, "or serve with --local-key", "there are no keys")

	options.LocalKey = true
	var told AgentsOptions
	options.Agents = func(to AgentsOptions) (http.Handler, error) {
		told = to
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "agents") }), nil
	}
	v, err := quiet(nil).NewServer(t.Context(), s, options)
	require.NoError(t, err)
	require.Equal(t, path, v.Archive)
	require.Empty(t, told.Base+told.Metadata, "keys alone are taken")
	require.NotEmpty(t, told.Holder)
	require.NotNil(t, told.Routes)
	ctx, stop := context.WithCancel(t.Context())
	var serving sync.WaitGroup
	serving.Go(func() { require.NoError(t, v.Serve(ctx, func(string, ...any) {})) })
	answer, body := get(t, http.DefaultClient, v.Base+"/readyz")
	require.Equal(t, http.StatusOK, answer.StatusCode, body)
	require.Empty(t, answer.Header.Get("Strict-Transport-Security"))
	_, body = get(t, http.DefaultClient, v.Base+"/mcp")
	require.Equal(t, "agents", body)
	_, body = get(t, http.DefaultClient, v.Metrics)
	require.Contains(t, body, "ladderback_")
	answer, _ = get(t, http.DefaultClient, v.Base+"/metrics")
	require.Equal(t, http.StatusNotFound, answer.StatusCode, "metrics are on an address of their own")
	answer, _ = get(t, http.DefaultClient, v.Base+"/v1/markets")
	require.Equal(t, http.StatusUnauthorized, answer.StatusCode)
	stop()
	serving.Wait()
	require.NoError(t, v.Close())
	_, err = http.Get(v.Base + "/healthz")
	require.Error(t, err)

	// What cannot be listened on ends it before anything is answered.
	s.MetricsAddr = "nowhere"
	_, err = quiet(nil).NewServer(t.Context(), s, options)
	require.ErrorContains(t, err, `--metrics-addr "nowhere": expected an address`)
	s.MetricsAddr, s.Addr = "none", "127.0.0.1:0"
	s.TLSCert, s.TLSKey = "no.pem", "no.key"
	_, err = quiet(nil).NewServer(t.Context(), s, options)
	require.ErrorContains(t, err, "tls_cert no.pem")
}

// TestPlansOfAServer: a local key is of a plan that is there even where plans are configured.
func TestPlansOfAServer(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	s := inQuiet(t)
	s.Plans = []identity.Plan{{Name: "desk", Finest: "1s"}}
	for _, local := range []bool{true, false} { // the first makes the keys
		_, keys, closeKeys, err := quiet(nil).openKeys(t.Context(), s, &ServeOptions{Archives: []string{path}, LocalKey: local})
		require.NoError(t, err)
		_, _, err = keys.CreateEphemeral("desk", "", "own")
		require.NoError(t, err)
		_, _, err = keys.CreateEphemeral("enterprise", "", "own")
		require.Equal(t, local, err == nil, "%v", err)
		require.NoError(t, closeKeys())
	}
	require.Len(t, s.PlansInEffect(), 1, "what is configured stays so")
}

// certificate makes a certificate of its own for 127.0.0.1.
func certificate(t *testing.T) (cert, key string, pool *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	of := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, of, of, &private.PublicKey, private)
	require.NoError(t, err)
	secret, err := x509.MarshalECPrivateKey(private)
	require.NoError(t, err)
	write := func(name, kind string, b []byte) string {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b}), 0o600))
		return path
	}
	pool = x509.NewCertPool()
	parsed, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	pool.AddCert(parsed)
	return write("cert.pem", "CERTIFICATE", der), write("key.pem", "EC PRIVATE KEY", secret), pool
}

// TestTLS: with a certificate the API is https and HTTP/2, and says so for a year; requests in
// flight are finished when it stops.
func TestTLS(t *testing.T) {
	t.Parallel()
	s := inQuiet(t)
	var pool *x509.CertPool
	s.TLSCert, s.TLSKey, pool = certificate(t)
	s.MetricsAddr = "none"
	begun, end := make(chan bool), make(chan bool)
	l, err := s.listen(nil, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		begun <- true
		<-end
		fmt.Fprint(w, "whole")
	}))
	require.NoError(t, err)
	require.Regexp(t, `^https://127\.0\.0\.1:\d+$`, l.base)
	require.Empty(t, l.metrics)
	ctx, stop := context.WithCancel(t.Context())
	var serving sync.WaitGroup
	stopping := make(chan string, 1)
	serving.Go(func() {
		require.NoError(t, l.serve(ctx, s, slog.New(slog.DiscardHandler), func(text string, _ ...any) { stopping <- text }))
	})
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}}
	var asking sync.WaitGroup
	asking.Go(func() {
		answer, body := get(t, client, l.base+"/")
		require.Equal(t, "whole", body)
		require.Equal(t, 2, answer.ProtoMajor)
		require.Equal(t, "max-age=31536000", answer.Header.Get("Strict-Transport-Security"))
	})
	<-begun
	stop()
	require.Contains(t, <-stopping, "finishing the requests in flight")
	close(end)
	asking.Wait()
	serving.Wait()
	require.NoError(t, l.Close(), "it is closed already")
}

// TestWorkerChecks: a worker is ready while its archive and the store of runs answer; where
// nobody gave it an address and the usual one is taken it goes on without.
func TestWorkerChecks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.db")
	archiveOf(t, path, "the first")
	a, s := quiet(nil), inQuiet(t)
	_, _, err := a.scheduler(t.Context(), "", []string{path}, runs.Config{})
	require.ErrorContains(t, err, "make the first with `ladderback keys create`")
	require.NoFileExists(t, filepath.Join(dir, "a-access.db"))
	keys, err := OpenAccess(t.Context(), filepath.Join(dir, "a-access.db"), true)
	require.NoError(t, err)
	require.NoError(t, keys.Close())
	scheduler, closeRuns, err := a.scheduler(t.Context(), "", []string{path}, runs.Config{Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	held, err := a.OpenWatched(t.Context(), []string{path}, 0)
	require.NoError(t, err)

	var said string
	tell := func(format string, args ...any) { said = fmt.Sprintf(format, args...) }
	stop, err := s.health(held.ar, scheduler, prometheus.NewRegistry(), tell)
	require.NoError(t, err)
	base := said[len("Metrics on ") : len(said)-len("/metrics")]
	ready := func(status int, says string) {
		t.Helper()
		answer, body := get(t, http.DefaultClient, base+"/readyz")
		require.Equal(t, status, answer.StatusCode)
		require.Contains(t, body, says)
	}
	ready(http.StatusOK, "ready")
	require.NoError(t, closeRuns())
	ready(http.StatusServiceUnavailable, "the store of runs does not answer")
	require.NoError(t, held.Close())
	ready(http.StatusServiceUnavailable, "the archive does not answer")
	_, body := get(t, http.DefaultClient, base+"/healthz")
	require.Equal(t, "ok\n", body)
	stop()
	_, err = http.Get(base + "/healthz")
	require.Error(t, err)

	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	s.MetricsAddr = taken.Addr().String()
	_, err = s.health(held.ar, scheduler, prometheus.NewRegistry(), tell)
	require.ErrorContains(t, err, "--metrics-addr: ", "somebody asked for this address")
	for _, none := range []string{"", "none"} {
		s.MetricsAddr, said = none, ""
		stop, err := s.health(held.ar, scheduler, prometheus.NewRegistry(), tell)
		require.NoError(t, err)
		stop()
		require.Empty(t, said)
		stop, err = ServeMetrics(none, prometheus.NewRegistry(), tell)
		require.NoError(t, err)
		stop()
		require.Empty(t, said)
	}
	registry := prometheus.NewRegistry()
	stop, err = ServeMetrics("127.0.0.1:0", registry, tell)
	require.NoError(t, err)
	_, body = get(t, http.DefaultClient, said[len("Metrics on "):])
	require.Contains(t, body, "go_goroutines")
	stop()
}

// TestOpenAccess: keys are opened where they are, and made where that is asked for; a place
// that cannot be written says what to name instead.
func TestOpenAccess(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keys.db")
	_, err := OpenAccess(t.Context(), path, false)
	require.ErrorIs(t, err, identity.ErrNotInitialized)
	require.NoFileExists(t, path)
	s, err := OpenAccess(t.Context(), path, true)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	s, err = OpenAccess(t.Context(), path, false)
	require.NoError(t, err)
	require.NoError(t, s.Close())
}
