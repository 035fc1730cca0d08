package mail

import (
	"context"
	"fmt"
	"io"
	"sync"
)

// Log writes mails where somebody at the server reads them, with the links that they
// carry. It is for trying out: whoever reads it can use them.
type Log struct {
	mu sync.Mutex
	to io.Writer
}

var _ Sender = (*Log)(nil)

// NewLog returns a sender that writes to a terminal or a file.
func NewLog(to io.Writer) *Log { return &Log{to: to} }

// Kind implements Sender.
func (*Log) Kind() string { return "log" }

// Send implements Sender.
func (l *Log) Send(_ context.Context, m *Message) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := fmt.Fprintf(l.to, "--- mail to %s: %s\n%s---\n", m.To, m.Subject, m.Plain)
	return err
}
