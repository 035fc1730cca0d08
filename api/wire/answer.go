package wire

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/ladderback/ladderback/backtest"
)

// KeptBuffer is the size in bytes of the largest buffer kept for reuse.
const KeptBuffer = 4 << 20

// Buffer is a reusable buffer.
type Buffer struct{ B []byte }

var buffers = sync.Pool{New: func() any { return &Buffer{} }}

// TakeBuffer returns an empty buffer. Give returns it.
func TakeBuffer() *Buffer {
	b := buffers.Get().(*Buffer)
	b.B = b.B[:0]
	return b
}

// Give returns the buffer for reuse. The caller must not use it again.
func (b *Buffer) Give() {
	if cap(b.B) <= KeptBuffer {
		buffers.Put(b)
	}
}

// Done answers that something was done, and nothing else.
func Done(w http.ResponseWriter, err error) error {
	if err == nil {
		w.WriteHeader(http.StatusNoContent)
	}
	return err
}

// WriteJSON sends v as JSON.
func WriteJSON(w http.ResponseWriter, status int, v any) {
	body, err := backtest.CompactJSON(v)
	if err != nil {
		status, body = http.StatusInternalServerError, []byte(`{"error":"internal_error","message":"internal error"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client has gone: nobody is left to tell
}

// Send sends a 200 with a JSON body, in parts, in the given encoding. If it fails, nothing
// has been sent.
func Send(ctx context.Context, w http.ResponseWriter, e Encoding, parts ...[]byte) error {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	if e != Identity {
		packed := TakeBuffer()
		defer packed.Give()
		z := NewEncoder(e, packed)
		_, err := z.Write(parts[0])
		for _, p := range parts[1:] {
			_, more := z.Write(p)
			err = errors.Join(err, more)
		}
		if err = errors.Join(err, z.Close()); err != nil {
			return err
		}
		h.Set("Content-Encoding", string(e))
		parts = [][]byte{packed.B}
	}
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	h.Set("Content-Length", strconv.Itoa(n))
	send := func() {
		w.WriteHeader(http.StatusOK)
		for _, p := range parts {
			_, _ = w.Write(p) // the client has gone: nobody is left to tell
		}
	}
	if c, ok := ctx.Value(connKey{}).(*conn); ok {
		c.whole(w, send)
	} else {
		send()
	}
	return nil
}

// Write appends to the buffer; it never fails.
func (b *Buffer) Write(p []byte) (int, error) {
	b.B = append(b.B, p...)
	return len(p), nil
}

// Unhurried lifts the read deadline of the connection once the request has been
// read; it would cut off an answer that takes longer. The log expects that this one does.
func Unhurried(w http.ResponseWriter, r *http.Request) error {
	LogOf(r.Context()).Long = true
	err := http.NewResponseController(w).SetReadDeadline(time.Time{})
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return err
}

// SomeText returns a text to be written as null where it is empty: not known.
func SomeText(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
