package ingest

import (
	"bufio"
	"encoding/json"
	"io"
	"sync"
	"unicode/utf8"
)

// maxRejectText is how much of a rejected line is kept, and maxRejects how much
// of all of them, in bytes: what is packed well is not to fill a disk.
const (
	maxRejectText = 64 << 10
	maxRejects    = 64 << 20
)

// Reject is one line of a rejects file: a JSON object. Base64 is standard base64.
type Reject struct {
	File   string `json:"file"`
	Line   int64  `json:"line"` // from 1; of metadata that is no JSON lines, the number of the object
	Reason string `json:"reason"`
	Text   string `json:"text,omitempty"`
	Base64 []byte `json:"base64,omitempty"` // in place of Text when the line is no UTF-8
	Cut    bool   `json:"cut,omitempty"`    // only the beginning of the line is kept
}

// rejects writes rejected lines; nil keeps none. It is safe for concurrent use.
type rejects struct {
	mu      sync.Mutex
	w       *bufio.Writer
	written int
	cut     int64 // lines that were not kept
	err     error
}

func newRejects(w io.Writer) *rejects {
	if w == nil {
		return nil
	}
	return &rejects{w: bufio.NewWriter(w)}
}

func (r *rejects) add(file string, line int64, reason string, text []byte) {
	if r == nil {
		return
	}
	r.mu.Lock()
	full := r.written >= maxRejects
	if full {
		r.cut++
	}
	r.mu.Unlock()
	if full {
		return
	}
	v := Reject{File: file, Line: line, Reason: reason}
	if len(text) > maxRejectText {
		text, v.Cut = text[:maxRejectText], true
	}
	if utf8.Valid(text) {
		v.Text = string(text)
	} else {
		v.Base64 = text
	}
	out, err := json.Marshal(v)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		r.written += len(out) + 1
		_, err = r.w.Write(append(out, '\n'))
	}
	if err != nil && r.err == nil {
		r.err = err
	}
}

func (r *rejects) flush() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.w.Flush(); err != nil && r.err == nil {
		r.err = err
	}
	return r.err
}
