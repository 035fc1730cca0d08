package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/ladderback/ladderback/archive/store"
)

// original notices that a file is written to by anything but SQLite: another
// archive copied over it, say. While a database in WAL mode is open, its file
// changes through checkpoints alone, which leave a trace in the index of the log:
// a file that changes without such a trace was overwritten. Where there is no
// index, as with a file that is opened as immutable, any change is one; a file in
// rollback mode is not judged.
type original struct {
	mu      sync.Mutex
	index   *os.File // of the log; nil: not opened yet
	trace   trace
	size    int64
	written time.Time
	never   bool // nothing may be written to the file at all
	gone    bool // overwritten
	closed  bool
}

// trace is what the checkpoints leave in the index of the log.
type trace struct {
	salt       uint64 // of the log, which changes when the log begins anew
	frames     uint32 // in the log
	done, upTo uint32 // frames merged into the file, and those that a checkpoint sets out to merge
}

// Where these are in the index: WalIndexHdr and WalCkptInfo of SQLite's wal.c, which
// are part of its file format (https://sqlite.org/walformat.html).
const (
	framesAt = 16
	saltAt   = 32
	doneAt   = 96
	upToAt   = 128
	traceLen = 132
)

// overwritten reports whether something else than SQLite has written to the file,
// of which now is the state. Once it has, it is so for good.
func (o *original) overwritten(path string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.gone || o.closed {
		return o.gone
	}
	before, ok := o.look(path) // at the trace first: a checkpoint leaves it before it writes
	now, err := os.Stat(path)
	if err != nil {
		return false // reading says what is wrong
	}
	if o.written.IsZero() || o.size == now.Size() && o.written.Equal(now.ModTime()) {
		o.keep(before, now)
		return false
	}
	if o.never {
		o.gone = true
		return true
	}
	after, still := o.look(path)
	o.gone = ok && still && before == o.trace && after == before && before.done == before.upTo
	o.keep(before, now)
	return o.gone
}

func (o *original) keep(t trace, now fs.FileInfo) {
	o.trace, o.size, o.written = t, now.Size(), now.ModTime()
}

// look reads the trace; false: there is none.
func (o *original) look(path string) (trace, bool) {
	if o.index == nil {
		f, err := os.Open(path + "-shm")
		if err != nil {
			return trace{}, false
		}
		o.index = f
	}
	var b [traceLen]byte
	if _, err := o.index.ReadAt(b[:], 0); err != nil {
		return trace{}, false
	}
	word := func(at int) uint32 { return binary.NativeEndian.Uint32(b[at:]) }
	return trace{binary.NativeEndian.Uint64(b[saltAt:]), word(framesAt), word(doneAt), word(upToAt)}, true
}

// close ends the watch. unmerged says that the file was overwritten while the log
// held what had not been merged into it: merging it now would damage what stands
// there.
func (o *original) close(path string) (unmerged bool) {
	gone := o.overwritten(path)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return false
	}
	o.closed = true
	t, ok := o.look(path)
	if o.index != nil {
		_ = o.index.Close() // was read only
		o.index = nil
	}
	return gone && (!ok || t.done < t.frames)
}

// leaveLog makes closing the pool leave the log as it is.
func (p *pool) leaveLog() {
	if p == nil {
		return
	}
	for range cap(p.slots) {
		<-p.slots
		var conn *sql.Conn
		if l := p.used(); l != nil {
			defer p.give(l, true)
			conn = l.conn
		} else { // it may have been opened all the same
			defer func() { p.slots <- struct{}{} }()
			var err error
			if conn, err = p.db.Conn(context.Background()); err != nil {
				continue
			}
			defer func() { _ = conn.Close() }()
		}
		_ = conn.Raw(func(driver any) error {
			if c, ok := driver.(interface{ Raw() *sqlite3.Conn }); ok {
				_, err := c.Raw().Config(sqlite3.DBCONFIG_NO_CKPT_ON_CLOSE, true)
				return err
			}
			return nil
		})
	}
}

// Merged is asked about a file that was overwritten, once its archive is closed. It
// returns store.ErrOverwritten if a log stands beside the file still: with it, the
// file would be read as a mixture of two archives.
func Merged(path string) error {
	if noLog(path) {
		return nil
	}
	return fmt.Errorf("%s: %w: %s-wal belongs to the archive that stood there before: stop whatever has the file open, then delete %s-wal and %s-shm",
		path, store.ErrOverwritten, path, path, path)
}
