package mail

import (
	"bytes"
	"context"
	_ "embed" // the template
	htmltemplate "html/template"
	"strings"
	texttemplate "text/template"
	"time"
)

// Message is a mail. Plain and HTML say the same.
type Message struct {
	ID          string // of Message-ID, before the @: the same each time that it is tried
	To          string
	Subject     string
	Plain, HTML string
	At          time.Time
}

// Sender hands mails on. It is safe for concurrent use.
type Sender interface {
	// Send hands a mail on. A *Permanent error: trying again is of no use.
	Send(ctx context.Context, m *Message) error
	// Kind names how mails leave: "smtp", or "log".
	Kind() string
}

// Permanent is the refusal of a mail that another try will not change.
type Permanent struct{ Cause error }

// Error implements error.
func (p *Permanent) Error() string { return p.Cause.Error() }

// Unwrap returns the cause.
func (p *Permanent) Unwrap() error { return p.Cause }

// Text is what a mail says.
type Text struct {
	Subject string
	Lines   []string // paragraphs before the link
	Button  string   // on the link; empty: there is none
	Link    string
	Code    string // what the link carries, to paste
	After   []string
}

//go:embed mail.html
var page string

var (
	asPlain = texttemplate.Must(texttemplate.New("plain").Parse(`{{range .Lines}}{{.}}

{{end}}{{if .Link}}{{.Button}}:
{{.Link}}

Or paste this code there: {{.Code}}

{{end}}{{range .After}}{{.}}

{{end}}`))
	asHTML = htmltemplate.Must(htmltemplate.New("html").Parse(page))
)

// Write makes the two forms of a text.
func Write(t *Text) (plain, html string, err error) {
	var p, h bytes.Buffer
	if err := asPlain.Execute(&p, t); err != nil {
		return "", "", err
	}
	if err := asHTML.Execute(&h, t); err != nil {
		return "", "", err
	}
	return strings.TrimRight(p.String(), "\n") + "\n", h.String(), nil
}
