// Command mailbox is a mail server for tests: it takes mail over STARTTLS from who has
// signed in, for anybody, and writes each as a line of JSON. Its first line says where it
// listens.
//
//	mailbox CERTIFICATE
//
// CERTIFICATE is the file that its certificate is written to, for clients to trust.
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"math/big"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// Who may send.
const (
	username = "ladderback"
	password = "mailbox-password"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: mailbox CERTIFICATE")
	}
	if err := run(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(file string) error {
	certificate, err := newCertificate(file)
	if err != nil {
		return err
	}
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	out := &lines{to: json.NewEncoder(os.Stdout)}
	if err := out.write(map[string]int{"port": at.Addr().(*net.TCPAddr).Port}); err != nil {
		return err
	}
	s := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &session{out: out}, nil }))
	s.Domain = "localhost"
	s.TLSConfig = &tls.Config{Certificates: []tls.Certificate{certificate}}
	return s.Serve(at)
}

// newCertificate makes a certificate of this machine, and writes it.
func newCertificate(file string) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	now := time.Now()
	whose := &x509.Certificate{
		SerialNumber: big.NewInt(now.Unix()), NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour), DNSNames: []string{"localhost"},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, whose, whose, key.Public(), key)
	if err != nil {
		return tls.Certificate{}, err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, os.WriteFile(file, text, 0o600)
}

// lines writes one value a line.
type lines struct {
	mu sync.Mutex
	to *json.Encoder
}

func (l *lines) write(v any) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to.Encode(v)
}

// session takes mails of one connection.
type session struct {
	out *lines
	in  bool // signed in
	to  []string
}

var errNotSignedIn = &smtp.SMTPError{Code: 530, EnhancedCode: smtp.EnhancedCode{5, 7, 0}, Message: "sign in first"}

// AuthMechanisms implements smtp.AuthSession.
func (*session) AuthMechanisms() []string { return []string{sasl.Plain} }

// Auth implements smtp.AuthSession.
func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, name, secret string) error {
		if name != username || secret != password {
			return errors.New("wrong")
		}
		s.in = true
		return nil
	}), nil
}

// Mail implements smtp.Session.
func (s *session) Mail(string, *smtp.MailOptions) error {
	if !s.in {
		return errNotSignedIn
	}
	return nil
}

// Rcpt implements smtp.Session.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = append(s.to, to)
	return nil
}

// Reset implements smtp.Session.
func (s *session) Reset() { s.to = nil }

// Logout implements smtp.Session.
func (*session) Logout() error { return nil }

// Data implements smtp.Session.
func (s *session) Data(r io.Reader) error {
	m, err := mail.ReadMessage(r)
	if err != nil {
		return err
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	if err != nil {
		return err
	}
	parts := map[string]string{}
	if err := read(m.Header.Get("Content-Type"), m.Header.Get("Content-Transfer-Encoding"), m.Body, parts); err != nil {
		return err
	}
	return s.out.write(map[string]any{"to": s.to, "subject": subject, "text": parts["text/plain"], "html": parts["text/html"]})
}

// read puts the parts of a body under their types.
func read(kind, encoding string, body io.Reader, into map[string]string) error {
	media, params, err := mime.ParseMediaType(kind)
	if err != nil {
		return err
	}
	if strings.HasPrefix(media, "multipart/") {
		parts := multipart.NewReader(body, params["boundary"])
		for {
			part, err := parts.NextRawPart()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			if err := read(part.Header.Get("Content-Type"), part.Header.Get("Content-Transfer-Encoding"), part, into); err != nil {
				return err
			}
		}
	}
	if strings.EqualFold(encoding, "quoted-printable") {
		body = quotedprintable.NewReader(body)
	}
	text, err := io.ReadAll(body)
	into[media] = string(text)
	return err
}
