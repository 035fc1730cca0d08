package mail_test

import (
	"bufio"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	netmail "net/mail"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/identity/mail"
)

// server is a mail server that fails as a test wants it to.
type server struct {
	mu    sync.Mutex
	mails []string // as they came
	rcpt  func(try int) error
	data  func(try int, c *smtp.Conn) error
	tries int
	user  string // who signed in last
	needs bool   // signing in
	port  int
	trust *tls.Config
}

// start starts a server; change changes it before it listens.
func start(t *testing.T, implicit bool, change func(s *smtp.Server)) *server {
	t.Helper()
	one := &server{}
	certificate, pool := newCertificate(t)
	one.trust = &tls.Config{RootCAs: pool, ServerName: "localhost"}
	s := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) { return &session{server: one, conn: c}, nil }))
	s.Domain, s.TLSConfig, s.AllowInsecureAuth = "localhost", &tls.Config{Certificates: []tls.Certificate{certificate}}, true
	s.EnableSMTPUTF8 = true
	if change != nil {
		change(s)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	one.port = l.Addr().(*net.TCPAddr).Port
	if implicit {
		l = tls.NewListener(l, s.TLSConfig)
	}
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Serve(l) }()
	// Close knows a listener only once Serve does, which may be after the test.
	t.Cleanup(func() { _ = s.Close(); _ = l.Close(); <-done })
	return one
}

func newCertificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	require.NoError(t, err)
	of := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"}, NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, of, of, public, private)
	require.NoError(t, err)
	parsed, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: private}, pool
}

// sender returns what sends to the server.
func (s *server) sender(t *testing.T, change func(c *mail.SMTPConfig)) *mail.SMTP {
	t.Helper()
	cfg := mail.SMTPConfig{Host: "localhost", Port: s.port, From: "Ladderback <no-reply@example.com>", Trust: s.trust, Timeout: time.Minute}
	if change != nil {
		change(&cfg)
	}
	out, err := mail.NewSMTP(cfg)
	require.NoError(t, err)
	return out
}

func (s *server) got() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.mails...)
}

type session struct {
	server *server
	conn   *smtp.Conn
	in     bool
}

func (s *session) Reset()        {}
func (s *session) Logout() error { return nil }

func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, username, password string) error {
		if username != "ladderback" || password != "right" {
			return smtp.ErrAuthFailed
		}
		s.in = true
		s.server.mu.Lock()
		defer s.server.mu.Unlock()
		s.server.user = username
		return nil
	}), nil
}

func (s *session) Mail(string, *smtp.MailOptions) error {
	if s.server.needs && !s.in {
		return smtp.ErrAuthRequired
	}
	return nil
}

func (s *session) Rcpt(string, *smtp.RcptOptions) error {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.tries++
	if s.server.rcpt != nil {
		return s.server.rcpt(s.server.tries)
	}
	return nil
}

func (s *session) Data(r io.Reader) error {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	if s.server.data != nil {
		if err := s.server.data(s.server.tries, s.conn); err != nil {
			return err
		}
	}
	text, err := io.ReadAll(r)
	if err == nil {
		s.server.mails = append(s.server.mails, string(text))
	}
	return err
}

func message() *mail.Message {
	plain, html, err := mail.Write(&mail.Text{Subject: "Vérifiez", Lines: []string{"One & two."}, Button: "Verify", Link: "https://app.example.com/verify#abc", Code: "abc", After: []string{"<script>"}})
	if err != nil {
		panic(err)
	}
	return &mail.Message{ID: "m_1", To: "ada@example.com", Subject: "Vérifiez", Plain: plain, HTML: html, At: time.Unix(1_790_000_000, 0)}
}

// TestDelivers sends a mail by STARTTLS, by TLS from the first byte, and signed in.
func TestDelivers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		implicit, needs bool
		change          func(c *mail.SMTPConfig)
	}{
		"STARTTLS":  {false, false, nil},
		"TLS":       {true, false, func(c *mail.SMTPConfig) { c.TLS = mail.TLS }},
		"signed in": {false, true, func(c *mail.SMTPConfig) { c.Username, c.Password = "ladderback", "right" }},
		"clear":     {false, true, func(c *mail.SMTPConfig) { c.TLS, c.Username, c.Password = mail.Clear, "ladderback", "right" }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, c.implicit, nil)
			s.needs = c.needs
			sender := s.sender(t, c.change)
			require.NoError(t, sender.Send(t.Context(), message()))
			require.Len(t, s.got(), 1)
			m, err := netmail.ReadMessage(strings.NewReader(s.got()[0]))
			require.NoError(t, err)
			require.Equal(t, `"Ladderback" <no-reply@example.com>`, m.Header.Get("From"))
			require.Equal(t, "<ada@example.com>", m.Header.Get("To"))
			require.Equal(t, "<m_1@example.com>", m.Header.Get("Message-Id"))
			require.Equal(t, "auto-generated", m.Header.Get("Auto-Submitted"))
			require.Contains(t, m.Header.Get("Content-Type"), "multipart/alternative")
			require.Contains(t, s.got()[0], "&lt;script&gt;")
			require.NotContains(t, s.got()[0], "<img")
			if c.needs {
				require.Equal(t, "ladderback", s.user)
			}
		})
	}
}

// TestFaults meets servers that refuse, for now or for good, break off, or have no TLS.
func TestFaults(t *testing.T) {
	t.Parallel()
	cut := func(_ int, c *smtp.Conn) error { return c.Conn().Close() }
	for name, c := range map[string]struct {
		set       func(s *server)
		server    func(s *smtp.Server)
		change    func(c *mail.SMTPConfig)
		permanent bool
	}{
		"greylisted":      {set: func(s *server) { s.rcpt = func(int) error { return &smtp.SMTPError{Code: 451, Message: "later"} } }},
		"no such mailbox": {set: func(s *server) { s.rcpt = func(int) error { return &smtp.SMTPError{Code: 550, Message: "nobody"} } }, permanent: true},
		"full": {set: func(s *server) {
			s.data = func(int, *smtp.Conn) error { return &smtp.SMTPError{Code: 452, Message: "full"} }
		}},
		"spam": {set: func(s *server) {
			s.data = func(int, *smtp.Conn) error { return &smtp.SMTPError{Code: 554, Message: "spam"} }
		}, permanent: true},
		"cut in DATA":       {set: func(s *server) { s.data = cut }},
		"STARTTLS stripped": {server: func(s *smtp.Server) { s.TLSConfig = nil }},
		"unknown authority": {change: func(c *mail.SMTPConfig) { c.Trust = nil }},
		"another name": {change: func(c *mail.SMTPConfig) {
			c.Host, c.Trust = "127.0.0.1", &tls.Config{RootCAs: c.Trust.RootCAs, ServerName: "127.0.0.1"}
		}},
		"wrong password": {set: func(s *server) { s.needs = true }, change: func(c *mail.SMTPConfig) { c.Username, c.Password = "ladderback", "wrong" }},
		"not signed in":  {set: func(s *server) { s.needs = true }},
		"down":           {change: func(c *mail.SMTPConfig) { c.Port = freePort(t) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, false, c.server)
			if c.set != nil {
				c.set(s)
			}
			sender := s.sender(t, c.change)
			err := sender.Send(t.Context(), message())
			require.Error(t, err)
			_, permanent := errors.AsType[*mail.Permanent](err)
			require.Equal(t, c.permanent, permanent, "%v", err)
			require.Empty(t, s.got())
			require.NotContains(t, err.Error(), "wrong")
			require.NotContains(t, err.Error(), "abc")
		})
	}
}

func freePort(t *testing.T) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// TestSlow meets servers that answer nothing, that never end their greeting, and whose
// every byte takes its time: the time of a mail is bounded.
func TestSlow(t *testing.T) {
	t.Parallel()
	drip := func(text string) func(c net.Conn) {
		return func(c net.Conn) {
			for {
				for i := range len(text) {
					if _, err := c.Write([]byte{text[i]}); err != nil {
						return
					}
					time.Sleep(time.Millisecond)
				}
			}
		}
	}
	for name, answer := range map[string]func(c net.Conn){
		"silent":           func(net.Conn) {},
		"endless greeting": drip("220-mail.example.com\r\n"),
		"endless line":     drip("220 mail "),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			t.Cleanup(func() { _ = l.Close() })
			go func() {
				for {
					c, err := l.Accept()
					if err != nil {
						return
					}
					t.Cleanup(func() { _ = c.Close() })
					go answer(c)
				}
			}()
			s := &server{port: l.Addr().(*net.TCPAddr).Port}
			sender := s.sender(t, func(c *mail.SMTPConfig) { c.Timeout = 300 * time.Millisecond })
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			require.Error(t, sender.Send(ctx, message()))
			require.NoError(t, ctx.Err())
		})
	}
}

// TestSlowData meets a server that takes a mail's text and does not answer it.
func TestSlowData(t *testing.T) {
	t.Parallel()
	s := start(t, false, nil)
	over := make(chan struct{})
	s.data = func(int, *smtp.Conn) error { <-over; return nil }
	t.Cleanup(func() { close(over) })
	sender := s.sender(t, func(c *mail.SMTPConfig) { c.Timeout = time.Second })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	require.Error(t, sender.Send(ctx, message()))
	require.NoError(t, ctx.Err())
}

// TestInjection: nothing in an address or a subject becomes a header.
func TestInjection(t *testing.T) {
	t.Parallel()
	s := start(t, false, nil)
	sender := s.sender(t, nil)
	for _, to := range []string{"ada@example.com\r\nBcc: eve@example.com", "ada@example.com\nX: y", "ada@example.com>, <eve@example.com", ""} {
		m := message()
		m.To = to
		err := sender.Send(t.Context(), m)
		_, permanent := errors.AsType[*mail.Permanent](err)
		require.True(t, permanent, "%q: %v", to, err)
	}
	m := message()
	m.Subject = "a\r\nBcc: eve@example.com"
	require.NoError(t, sender.Send(t.Context(), m))
	require.Len(t, s.got(), 1)
	got, err := netmail.ReadMessage(strings.NewReader(s.got()[0]))
	require.NoError(t, err)
	require.Empty(t, got.Header.Get("Bcc"))
}

func TestConfigurations(t *testing.T) {
	t.Parallel()
	for _, c := range []mail.SMTPConfig{
		{}, {Host: "localhost"}, {Host: "localhost", From: "nobody"}, {Host: "localhost", From: "a@example.com", TLS: "perhaps"},
		{Host: "localhost", From: "a@example.com", Port: 70_000},
	} {
		_, err := mail.NewSMTP(c)
		require.Error(t, err, strconv.Itoa(c.Port))
	}
}

// TestAnotherServer delivers to a mail server of another make, which requires STARTTLS and
// signing in. It needs Python with aiosmtpd: LADDERBACK_AIOSMTPD names the interpreter,
// which scripts/test.sh installs.
func TestAnotherServer(t *testing.T) {
	t.Parallel()
	python := os.Getenv("LADDERBACK_AIOSMTPD")
	if python == "" {
		if os.Getenv("CI") != "" {
			t.Fatal("LADDERBACK_AIOSMTPD is not set: CI needs a Python that has aiosmtpd")
		}
		t.Skip("LADDERBACK_AIOSMTPD is not set: a Python that has aiosmtpd")
	}
	certificate, pool := newCertificate(t)
	key, err := x509.MarshalPKCS8PrivateKey(certificate.PrivateKey)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "server.pem")
	pair := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})...)
	require.NoError(t, os.WriteFile(file, pair, 0o600))
	s := &server{port: freePort(t), trust: &tls.Config{RootCAs: pool, ServerName: "localhost"}}
	cmd := exec.Command(python, "-c", aiosmtpd, file, strconv.Itoa(s.port))
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Stderr = os.Stderr
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	require.True(t, lines.Scan(), "it does not start")
	require.Equal(t, "ready", lines.Text())

	require.Error(t, s.sender(t, nil).Send(t.Context(), message()), "not signed in")
	require.Error(t, s.sender(t, func(c *mail.SMTPConfig) { c.TLS = mail.Clear }).Send(t.Context(), message()), "in the clear")
	wrong := s.sender(t, func(c *mail.SMTPConfig) {
		c.Username, c.Password = "ladderback", "wrong"
		c.Timeout = 3 * time.Second // this server does not answer to what follows a refusal
	}).Send(t.Context(), message())
	require.Error(t, wrong)
	_, permanent := errors.AsType[*mail.Permanent](wrong)
	require.False(t, permanent)
	sender := s.sender(t, func(c *mail.SMTPConfig) { c.Username, c.Password = "ladderback", "right" })
	require.NoError(t, sender.Send(t.Context(), message()))
	require.True(t, lines.Scan())
	require.Equal(t, "no-reply@example.com ada@example.com", lines.Text())
	m := message()
	m.To = "ada@example.com\r\nRCPT TO:<eve@example.com>"
	require.Error(t, sender.Send(t.Context(), m))
}

// aiosmtpd is that server: it prints the sender and the recipients of each mail.
const aiosmtpd = `
import ssl, sys, time
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

class Handler:
    async def handle_DATA(self, server, session, envelope):
        print(envelope.mail_from, *envelope.rcpt_tos, flush=True)
        return "250 OK"

def auth(server, session, envelope, mechanism, data):
    return AuthResult(success=data.login == b"ladderback" and data.password == b"right")

context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1])
Controller(Handler(), hostname="localhost", port=int(sys.argv[2]), tls_context=context, require_starttls=True,
           authenticator=auth, auth_required=True, server_hostname="localhost").start()
print("ready", flush=True)
time.sleep(600)
`
