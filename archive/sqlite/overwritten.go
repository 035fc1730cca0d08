package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/ncruces/go-sqlite3"

	"github.com/ladderback/ladderback/archive/store"
)

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

// Merged checks a file that was overwritten, after its archive has been closed. It
// returns store.ErrOverwritten if a log still stands beside the file: read with
// that log, the file would be a mixture of two archives.
func Merged(path string) error {
	if noLog(path) {
		return nil
	}
	return fmt.Errorf("%s: %w: %s-wal belongs to the archive that stood there before: stop whatever has the file open, then delete %s-wal and %s-shm",
		path, store.ErrOverwritten, path, path, path)
}
