// Package overwrite detects that an SQLite file was written to by something other
// than SQLite.
package overwrite

import (
	"encoding/binary"
	"io/fs"
	"os"
	"sync"
	"time"
)

// Watch detects that a file was written to by something other than SQLite: that
// another archive was copied over it, say. While a database in WAL mode is open,
// only checkpoints change its file, and they leave a trace in the index of the log:
// a file that changes without one was overwritten. Where there is no index, as for
// a file opened as immutable, any change counts; a file in rollback mode is not
// judged.
type Watch struct {
	Never bool // nothing may be written to the file at all

	mu      sync.Mutex
	index   *os.File // of the log; nil: not opened yet
	header  Header   // when it was looked at last
	trace   trace
	size    int64
	written time.Time
	gone    bool // overwritten
	closed  bool
}

// trace is what the checkpoints leave in the index of the log.
type trace struct {
	salt       uint64 // of the log, which changes when the log begins anew
	frames     uint32 // in the log
	done, upTo uint32 // frames merged into the file, and those that a checkpoint sets out to merge
}

// Header is what the index of the log begins with: two copies of what each transaction
// that writes changes, one after the other. While it is the same, none has.
type Header [headerLen]byte

// Where these are in the index: WalIndexHdr and WalCkptInfo in SQLite's wal.c,
// which are part of its file format (https://sqlite.org/walformat.html).
const (
	headerLen = 96
	framesAt  = 16
	saltAt    = 32
	doneAt    = 96
	upToAt    = 128
	traceLen  = 132
)

// Overwritten reports whether something other than SQLite has written to the file.
// Once true, it stays true.
func (w *Watch) Overwritten(path string) bool {
	_, gone, _ := w.Stat(path, nil)
	return gone
}

// Stat is os.Stat of the path, and whether something other than SQLite has written to
// the file. Of a file other than the one that was opened, unless that is nil, the second
// is not asked.
func (w *Watch) Stat(path string, opened fs.FileInfo) (now fs.FileInfo, gone bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.gone || w.closed {
		now, err = os.Stat(path)
		return now, w.gone, err
	}
	before, ok := w.look(path) // at the trace first: a checkpoint leaves it before it writes
	if now, err = os.Stat(path); err != nil || opened != nil && !os.SameFile(now, opened) {
		return now, false, err
	}
	return now, w.judge(path, before, ok, now), nil
}

// judge is Overwritten for what was looked at, in that order.
func (w *Watch) judge(path string, before trace, ok bool, now fs.FileInfo) bool {
	if w.written.IsZero() || w.size == now.Size() && w.written.Equal(now.ModTime()) {
		w.keep(before, now)
		return false
	}
	if w.Never {
		w.gone = true
		return true
	}
	after, still := w.look(path)
	w.gone = ok && still && before == w.trace && after == before && before.done == before.upTo
	w.keep(before, now)
	return w.gone
}

func (w *Watch) keep(t trace, now fs.FileInfo) {
	w.trace, w.size, w.written = t, now.Size(), now.ModTime()
}

// look reads the trace; false: there is none.
func (w *Watch) look(path string) (trace, bool) {
	if w.index == nil {
		f, err := os.Open(path + "-shm")
		if err != nil {
			return trace{}, false
		}
		w.index = f
	}
	var b [traceLen]byte
	w.header = Header{}
	if _, err := w.index.ReadAt(b[:], 0); err != nil {
		return trace{}, false
	}
	w.header = Header(b[:headerLen])
	word := func(at int) uint32 { return binary.NativeEndian.Uint32(b[at:]) }
	return trace{binary.NativeEndian.Uint64(b[saltAt:]), word(framesAt), word(doneAt), word(upToAt)}, true
}

// Header returns the header of the index as it was when Stat looked last, or later; false:
// there is none, or a transaction was changing it.
func (w *Watch) Header() (Header, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	const half = headerLen / 2
	whole := [half]byte(w.header[:half]) == [half]byte(w.header[half:]) && w.header != Header{}
	return w.header, whole && !w.gone && !w.closed
}

// Stands reports whether the index that is looked at is the one beside the file.
func (w *Watch) Stands(path string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.index == nil || w.closed {
		return false
	}
	here, err := os.Stat(path + "-shm")
	looked, again := w.index.Stat()
	return err == nil && again == nil && os.SameFile(here, looked)
}

// Close ends the watch. unmerged reports that the file was overwritten while the
// log held content not yet merged into it: merging it now would damage the new
// file.
func (w *Watch) Close(path string) (unmerged bool) {
	gone := w.Overwritten(path)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return false
	}
	w.closed = true
	t, ok := w.look(path)
	if w.index != nil {
		_ = w.index.Close() // was read only
		w.index = nil
	}
	return gone && (!ok || t.done < t.frames)
}
