package sqlstore

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/ncruces/go-sqlite3"
)

// Unreachable reports whether an error of a database means that it is out of reach, out
// of room, locked or shutting down, rather than that something is wrong with what
// was asked of it: the same may succeed later.
func Unreachable(err error) bool {
	if p, ok := errors.AsType[*pgconn.PgError](err); ok { // by SQLSTATE alone
		// Connections, transactions to be repeated, out of resources (a full disk), locks,
		// shut down or told to stop, errors of its system.
		return len(p.Code) == 5 && slices.Contains([]string{"08", "40", "53", "55", "57", "58"}, p.Code[:2])
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		if _, ok := errors.AsType[*sqlite3.Error](err); !ok { // which has the same methods
			return true
		}
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	return slices.ContainsFunc(unreachable, func(one error) bool { return errors.Is(err, one) }) || pgconn.SafeToRetry(err)
}

// Lacking reports whether a database lacks a table or a column that it was asked for:
// until somebody makes it, it is no use to ask again.
func Lacking(err error) bool {
	if p, ok := errors.AsType[*pgconn.PgError](err); ok {
		return p.Code == "42P01" || p.Code == "42703" // undefined_table, undefined_column
	}
	return errors.Is(err, sqlite3.ERROR) && strings.Contains(err.Error(), "no such ") // which has no code of its own
}

// unreachable are what Unreachable errors are, beside those of their own types.
var unreachable = []error{
	context.DeadlineExceeded, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, driver.ErrBadConn,
	sqlite3.BUSY, sqlite3.LOCKED, sqlite3.FULL, sqlite3.IOERR, sqlite3.CANTOPEN, sqlite3.NOMEM, sqlite3.INTERRUPT, sqlite3.PROTOCOL,
}

// Full reports whether a write to the SQLite file at path failed because its disk
// takes no more. SQLite does not always say so: it is then tried with a file beside it.
func Full(path string, err error) bool {
	return errors.Is(err, sqlite3.FULL) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, sqlite3.IOERR) && takesNoMore(filepath.Dir(path))
}

func takesNoMore(folder string) bool {
	f, err := os.CreateTemp(folder, ".ladderback-*")
	if err != nil {
		return errors.Is(err, syscall.ENOSPC)
	}
	const room = 1 << 20 // a disk that is not full has as much
	_, err = f.Write(make([]byte, room))
	_ = errors.Join(f.Close(), os.Remove(f.Name()))
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EFBIG)
}
