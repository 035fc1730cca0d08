package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	netmail "net/mail"
	"strings"
	"time"

	"github.com/wneessen/go-mail"
)

// Ways of keeping the way to a mail server private.
const (
	StartTLS = "starttls" // required: without it nothing is sent
	TLS      = "tls"      // from the first byte
	Clear    = "none"     // not at all
)

// SMTPConfig says how to reach a mail server. A zero field takes its default.
type SMTPConfig struct {
	Host     string
	Port     int    // default 587, or 465 with TLS
	TLS      string // StartTLS, TLS or Clear; default StartTLS
	Username string // empty: without signing in
	Password string
	From     string        // "Ladderback <no-reply@example.com>"
	Timeout  time.Duration // of one mail; default 30 s
	// Trust is how the server's certificate is checked; nil: as the system does.
	Trust *tls.Config
}

// SMTP hands mails to a mail server, each over a connection of its own.
type SMTP struct {
	cfg  SMTPConfig
	from *netmail.Address
}

var _ Sender = (*SMTP)(nil)

// NewSMTP checks a configuration. It does not connect.
func NewSMTP(cfg SMTPConfig) (*SMTP, error) {
	if cfg.Host == "" {
		return nil, errors.New("mail: the host of the mail server is missing")
	}
	from, err := netmail.ParseAddress(cfg.From)
	if err != nil {
		return nil, fmt.Errorf("mail: from %q: expected an address such as Ladderback <no-reply@example.com>", cfg.From)
	}
	switch cfg.TLS {
	case "":
		cfg.TLS = StartTLS
	case StartTLS, TLS, Clear:
	default:
		return nil, fmt.Errorf("mail: tls %q: expected %s, %s or %s", cfg.TLS, StartTLS, TLS, Clear)
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = 30 * time.Second
	}
	s := &SMTP{cfg, from}
	_, err = s.client()
	return s, err
}

// Kind implements Sender.
func (*SMTP) Kind() string { return "smtp" }

func (s *SMTP) client() (*mail.Client, error) {
	opts := []mail.Option{mail.WithTimeout(s.cfg.Timeout), mail.WithoutNoop()}
	if s.cfg.Trust != nil {
		opts = append(opts, mail.WithTLSConfig(s.cfg.Trust))
	}
	port := s.cfg.Port
	switch s.cfg.TLS {
	case TLS:
		opts = append(opts, mail.WithSSL())
		if port == 0 {
			port = 465
		}
	case Clear:
		opts = append(opts, mail.WithTLSPolicy(mail.NoTLS))
	default:
		opts = append(opts, mail.WithTLSPolicy(mail.TLSMandatory))
	}
	if port == 0 {
		port = 587
	}
	opts = append(opts, mail.WithPort(port))
	if s.cfg.Username != "" {
		auth := mail.SMTPAuthAutoDiscover // never in the clear
		if s.cfg.TLS == Clear {
			auth = mail.SMTPAuthPlainNoEnc
		}
		opts = append(opts, mail.WithSMTPAuth(auth), mail.WithUsername(s.cfg.Username), mail.WithPassword(s.cfg.Password))
	}
	return mail.NewClient(s.cfg.Host, opts...)
}

// Send implements Sender.
func (s *SMTP) Send(ctx context.Context, m *Message) error {
	msg := mail.NewMsg()
	if err := msg.FromFormat(s.from.Name, s.from.Address); err != nil {
		return &Permanent{err}
	}
	if strings.ContainsAny(m.To, "\r\n") {
		return &Permanent{errors.New("the address has a line break")}
	}
	if err := msg.To(m.To); err != nil {
		return &Permanent{err}
	}
	_, domain, _ := strings.Cut(s.from.Address, "@")
	msg.SetMessageIDWithValue(m.ID + "@" + domain)
	msg.SetDateWithValue(m.At)
	msg.Subject(m.Subject)
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetBodyString(mail.TypeTextPlain, m.Plain)
	msg.AddAlternativeString(mail.TypeTextHTML, m.HTML)
	client, err := s.client()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	err = client.DialAndSendWithContext(ctx, msg)
	var refused *mail.SendError
	if !errors.As(err, &refused) {
		return err // the server was not reached, or not as it has to be
	}
	// After the mail was taken, only the end of the conversation can fail.
	if msg.IsDelivered() {
		return nil
	}
	aboutMail := refused.Reason == mail.ErrSMTPRcptTo || refused.Reason == mail.ErrSMTPData || refused.Reason == mail.ErrSMTPDataClose
	if aboutMail && !refused.IsTemp() && refused.ErrorCode() >= 500 {
		return &Permanent{err}
	}
	return err // of the server, or of how it is set up
}
