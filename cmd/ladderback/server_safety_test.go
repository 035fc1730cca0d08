//go:build unix

package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/pgtest"
)

// certificateFiles makes a certificate for 127.0.0.1 that signs itself.
func certificateFiles(t *testing.T) (cert, key string) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "ladderback test"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &k.PublicKey, k)
	require.NoError(t, err)
	private, err := x509.MarshalECPrivateKey(k)
	require.NoError(t, err)
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	require.NoError(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private}), 0o600))
	return cert, key
}

// TestTLS serves TLS and HTTP/2 by files, and says what is wrong with them
// before it serves anything.
func TestTLS(t *testing.T) {
	t.Parallel()
	cert, key := certificateFiles(t)
	p, apiKey := small(t, "LADDERBACK_TLS_CERT="+cert, "LADDERBACK_TLS_KEY="+key)
	require.True(t, strings.HasPrefix(p.base, "https://"), p.base)
	pool := x509.NewCertPool()
	text, err := os.ReadFile(cert)
	require.NoError(t, err)
	require.True(t, pool.AppendCertsFromPEM(text))
	for _, http2 := range []bool{false, true} {
		c := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: http2}}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.base+"/v1/tags", nil)
		require.NoError(t, err)
		r.Header.Set("X-API-Key", apiKey)
		resp, err := c.Do(r)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, http.StatusOK, resp.StatusCode)
		require.Equal(t, "max-age=31536000", resp.Header.Get("Strict-Transport-Security"))
		require.Equal(t, map[bool]int{false: 1, true: 2}[http2], resp.ProtoMajor)
		c.CloseIdleConnections()
	}
	old, err := tls.Dial("tcp", p.addr(), &tls.Config{RootCAs: pool, MaxVersion: tls.VersionTLS11})
	require.Error(t, err, "TLS 1.1: %v", old)
	require.Equal(t, exitDone, p.stop(syscall.SIGTERM))

	_, another := certificateFiles(t)
	garbage := filepath.Join(t.TempDir(), "garbage.pem")
	require.NoError(t, os.WriteFile(garbage, []byte("no certificate"), 0o600))
	archive, err := smallArchive()
	require.NoError(t, err)
	accessFile, _ := newKeys(t, "pro")
	for name, c := range map[string]struct{ cert, key, says string }{
		"missing":   {cert + ".not", key, "no such file"},
		"no key":    {cert, key + ".not", "no such file"},
		"garbage":   {garbage, key, "tls_cert " + garbage},
		"mismatch":  {cert, another, "private key does not match"},
		"cert only": {cert, "", "tls_cert and tls_key go together"},
		"key only":  {"", key, "tls_cert and tls_key go together"},
	} {
		p := begin(t, []string{"LADDERBACK_TLS_CERT=" + c.cert, "LADDERBACK_TLS_KEY=" + c.key},
			"serve", "--addr", "127.0.0.1:0", "--metrics-addr", "none", "--archive", archive, "--access", accessFile)
		<-p.ended
		require.Equal(t, exitFailed, p.cmd.ProcessState.ExitCode(), name)
		require.Contains(t, p.log.String(), c.says, name)
		require.NotContains(t, p.log.String(), "Serving", name)
		require.Equal(t, 1, strings.Count(p.log.String(), "\n"), "%s: one line: %s", name, p.log.String())
	}
}

// TestUnreadableRequests sends what is refused before a handler sees it: in plain text
// what is no HTTP, by the status alone; the rest in the envelope, with an id that the log
// has.
func TestUnreadableRequests(t *testing.T) {
	t.Parallel()
	p, key := small(t)
	auth := "Host: x\r\nAuthorization: Bearer " + key + "\r\n"
	big := strings.Repeat("x", 40<<10)
	for name, c := range map[string]struct {
		text   string
		status int
		code   string
	}{
		"large header":   {"GET /v1/tags HTTP/1.1\r\n" + auth + "X-Padding: " + big + "\r\n\r\n", 431, ""},
		"many headers":   {"GET /v1/tags HTTP/1.1\r\n" + auth + strings.Repeat("X-Padding: "+big[:100]+"\r\n", 400) + "\r\n", 431, ""},
		"long query":     {"GET /v1/tags?" + big + " HTTP/1.1\r\n" + auth + "\r\n", 431, ""},
		"bad escape":     {"GET /v1/markets/%zz HTTP/1.1\r\n" + auth + "\r\n", 400, ""},
		"no host":        {"GET /v1/tags HTTP/1.1\r\nAuthorization: Bearer " + key + "\r\n\r\n", 400, ""},
		"no HTTP":        {"hello\r\n\r\n", 400, ""},
		"TLS":            {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400, ""},
		"two lengths":    {"POST /v1/ai/parse HTTP/1.1\r\n" + auth + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", 400, ""},
		"encoding":       {"POST /v1/ai/parse HTTP/1.1\r\n" + auth + "Transfer-Encoding: gzip\r\n\r\n{}", 501, ""},
		"header no text": {"GET /v1/tags HTTP/1.1\r\n" + auth + "X-\x00: y\r\n\r\n", 400, ""},
		"large body":     {"POST /v1/ai/parse HTTP/1.1\r\n" + auth + "Content-Length: 65537\r\n\r\n" + strings.Repeat(" ", 65537), 413, "payload_too_large"},
		"large chunks": {"POST /v1/ai/backtest HTTP/1.1\r\n" + auth + "Transfer-Encoding: chunked\r\n\r\n" +
			strings.Repeat("1000\r\n"+strings.Repeat(" ", 0x1000)+"\r\n", 17) + "0\r\n\r\n", 413, "payload_too_large"},
		"whole server": {"OPTIONS * HTTP/1.1\r\n" + auth + "\r\n", 404, "not_found"},
		"broken chunk": {"POST /v1/ai/backtest HTTP/1.1\r\n" + auth + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400, "bad_request"},
	} {
		resp, body := p.written(strings.Replace(c.text, auth, auth+"Connection: close\r\n", 1))
		require.Equal(t, c.status, resp.StatusCode, "%s: %s", name, body)
		if c.code == "" {
			require.Contains(t, resp.Header.Get("Content-Type"), "text/plain", name)
			continue
		}
		require.Equal(t, "application/json", resp.Header.Get("Content-Type"), name)
		require.NotEmpty(t, resp.Header.Get("X-Request-Id"), name)
		var e map[string]string
		require.NoError(t, json.Unmarshal(body, &e), "%s: %s", name, body)
		require.Equal(t, c.code, e["error"], name)
		require.NotEmpty(t, e["message"], name)
		id := resp.Header.Get("X-Request-Id")
		require.Eventually(t, func() bool { return strings.Contains(p.log.String(), id) }, time.Minute, time.Millisecond, name)
	}
	// What fits is let in.
	resp, body := p.written("GET /v1/tags?" + strings.Repeat("x", 20<<10) + " HTTP/1.1\r\nConnection: close\r\n" + auth + "\r\n")
	require.Equal(t, http.StatusOK, resp.StatusCode, string(body))
	resp, body = p.written("POST /v1/ai/parse HTTP/1.1\r\nConnection: close\r\n" + auth + "Content-Length: 65536\r\n\r\n{}" + strings.Repeat(" ", 65534))
	require.Equal(t, http.StatusUnprocessableEntity, resp.StatusCode, string(body))
}

// TestSecretsStayIn runs a server with all kinds of secrets, makes it fail in many
// ways, and looks for them in everything that it tells.
func TestSecretsStayIn(t *testing.T) {
	t.Parallel()
	const password, modelKey = "pw-Hunter2-Secret", "sk-Model-Secret-0123456789"
	withPassword := func(addr string) string {
		u, err := url.Parse(addr)
		require.NoError(t, err)
		u.User = url.UserPassword(u.User.Username(), password)
		return u.String()
	}
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, `{"error":{"message":"Incorrect API key provided: `+r.Header.Get("Authorization")+`"}}`, http.StatusUnauthorized)
	}))
	t.Cleanup(model.Close)
	addr := withPassword(pgtest.Database(t))
	r := ladderback(t, "simulate", "--archive", addr, "--markets", "2", "--coins", "BTC", "--types", "5m")
	require.Equal(t, exitDone, r.code, r.err)
	key, revoked, admin := newKey(t, addr, "pro"), newKey(t, addr, "pro"), newKey(t, addr, "enterprise")
	require.Equal(t, exitDone, ladderback(t, "keys", "revoke", revoked, "--access", addr).code)
	unknown := "lb_" + strings.Repeat("A", 43) + "000000"
	p := serve(t, []string{"LADDERBACK_LLM_BASE_URL=" + model.URL, "LADDERBACK_LLM_API_KEY=" + modelKey, "LADDERBACK_LLM_MODEL=m"},
		"--archive", addr, "--access", addr)

	answers := ""
	send := func(method, path string, h http.Header, body string) {
		_, text := p.send(method, path, h, body)
		answers += string(text)
	}
	for _, secret := range []string{key, revoked, admin, unknown, key[:len(key)-1] + "!", modelKey, password} {
		for _, header := range []http.Header{
			{"Authorization": {"Bearer " + secret}}, {"X-API-Key": {secret}}, {"Authorization": {"Basic " + secret}}, {"Authorization": {secret}},
			{"Cookie": {"key=" + secret}}, {"X-Request-Id": {secret}}, {"User-Agent": {secret}}, {"Referer": {"https://x/?key=" + secret}},
		} {
			send(http.MethodGet, "/v1/tags", header, "")
			send(http.MethodGet, "/v1/markets?api_key="+url.QueryEscape(secret)+"&limit=x", header, "")
			send(http.MethodPost, "/v1/ai/parse", header, `{"prompt":"buy BTC 5m up below 40c"}`)
			send(http.MethodPost, "/v1/ai/backtest", header, `{"prompt":"buy BTC 5m up below 40c","sampleSize":2}`)
			send(http.MethodDelete, "/v1/ai/parse", header, secret)
		}
		if secret == password {
			continue // nobody takes that out of a path: no client has it
		}
		p.send(http.MethodGet, "/v1/markets/"+url.PathEscape(secret), http.Header{"X-API-Key": {key}}, "")
		p.send(http.MethodGet, "/"+url.PathEscape(secret)+"/v1", nil, "")
	}
	for _, path := range []string{"/readyz", "/healthz", "/openapi.json", "/docs"} {
		send(http.MethodGet, path, nil, "")
	}
	require.Equal(t, exitDone, p.stop(syscall.SIGTERM), p.log.String())
	require.Contains(t, p.log.String(), "/v1/ai/parse", "there is a log")

	told := map[string]string{"log": p.log.String() + p.out.String(), "answers": answers}
	// Starts that fail.
	for name, bad := range map[string]string{
		"refused": "postgres://u:" + password + "@127.0.0.1:1/x", "no such database": strings.Replace(addr, "/test_", "/nobody_", 1),
		"broken": "postgres://u:" + password + "@[::1/x", "bad port": "postgres://u:" + password + "@h:port/x", "as parameter": "postgres:///x?host=/nowhere&password=" + password,
		"bad option": "postgres://u:" + password + "@127.0.0.1:1/x?sslmode=perhaps", "bad pool": addr + "&pool_max_conns=many",
	} {
		for _, args := range [][]string{{"--archive", bad}, {"--archive", addr, "--access", bad}} {
			ctx := fmt.Sprint(name, args[0], len(args))
			p := begin(t, nil, append([]string{"serve", "--addr", "127.0.0.1:0", "--metrics-addr", "none"}, args...)...)
			select {
			case <-p.ended:
			case <-time.After(time.Minute):
				t.Fatalf("%s: still running: %s", ctx, p.log.String())
			}
			require.NotZero(t, p.cmd.ProcessState.ExitCode(), ctx)
			told[ctx] = p.log.String() + p.out.String()
		}
	}
	for where, text := range told {
		for _, secret := range []string{key, revoked, admin, unknown, modelKey, password, key[:len(key)-1]} {
			if at := strings.Index(text, secret); at >= 0 {
				t.Errorf("%s has a secret: …%s…", where, text[max(0, at-200):at+10])
			}
		}
	}
}

// TestMetricsHaveNoSecrets scrapes a server that was sent keys in all places.
func TestMetricsHaveNoSecrets(t *testing.T) {
	t.Parallel()
	p, key := small(t)
	p.get("/"+key, key)
	p.get("/v1/markets/"+key+"?key="+key, key)
	p.send(strings.ToUpper(key[3:20]), "/v1/tags", http.Header{"X-API-Key": {key}}, "")
	require.NotContains(t, p.scrape(), key[3:20])
	require.NotContains(t, strings.ToLower(p.scrape()), strings.ToLower(key[3:20]))
}

// TestStops ends a server with each of the two signals while an answer is on its
// way: it arrives in whole.
func TestStops(t *testing.T) {
	t.Parallel()
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			p, key := small(t)
			_, want := p.send(http.MethodGet, hourly("books", "1s"), http.Header{"Authorization": {"Bearer " + key}, "Accept": {"text/csv"}}, "")
			c := p.dial(true)
			_, err := fmt.Fprintf(c, "GET %s HTTP/1.0\r\nAccept: text/csv\r\nAuthorization: Bearer %s\r\n\r\n", hourly("books", "1s"), key)
			require.NoError(t, err)
			require.Eventually(t, func() bool { return p.metric("ladderback_requests_in_flight") == 1 }, time.Minute, 5*time.Millisecond)
			require.NoError(t, p.cmd.Process.Signal(s))
			require.Eventually(t, func() bool { return strings.Contains(p.log.String(), "Stopping") }, time.Minute, 5*time.Millisecond)
			require.Eventually(t, func() bool {
				_, err := net.DialTimeout("tcp", p.addr(), time.Second)
				return err != nil
			}, time.Minute, 5*time.Millisecond, "no new connections are taken")
			answer, err := io.ReadAll(c)
			require.NoError(t, err)
			_, body, found := strings.Cut(string(answer), "\r\n\r\n")
			require.True(t, found)
			require.Greater(t, len(body), 10<<20, "too small to be on its way for long")
			require.Equal(t, sha256.Sum256(want), sha256.Sum256([]byte(body)), "%d bytes of %d", len(body), len(want))
			<-p.ended
			require.Equal(t, exitDone, p.cmd.ProcessState.ExitCode(), p.log.String())
		})
	}
}

// TestStopsInTime: a client that does not read its answer is cut off, and that is no failure.
func TestStopsInTime(t *testing.T) {
	t.Parallel()
	p, key := small(t, "LADDERBACK_TIMEOUTS_STOP=1s")
	c := p.dial(true)
	_, err := fmt.Fprintf(c, "GET %s HTTP/1.0\r\nAccept: text/csv\r\nAuthorization: Bearer %s\r\n\r\n", hourly("books", "1s"), key)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return p.metric("ladderback_requests_in_flight") == 1 }, time.Minute, 5*time.Millisecond)
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	<-p.ended
	require.Equal(t, exitDone, p.cmd.ProcessState.ExitCode(), p.log.String())
	require.Contains(t, p.log.String(), "cut off")
	require.NotContains(t, p.log.String(), "interrupted")
}
