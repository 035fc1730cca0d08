package runs

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/ncruces/go-sqlite3"
)

// transactionTimeout is how long the database may take over one transaction. All are short: one
// that takes longer has met a connection that nobody answers on, and is tried again
// on another.
const transactionTimeout = 30 * time.Second

// bounded ends ctx after transactionTimeout.
func bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, transactionTimeout)
}

// unreachable reports whether an error means that a server is out of reach, out of room or
// shutting down, rather than that something is wrong with what was asked of it.
func unreachable(err error) bool {
	if p, ok := errors.AsType[*pgconn.PgError](err); ok { // by SQLSTATE alone
		// Connections, transactions to be repeated, out of resources (a full disk), locks,
		// shut down or told to stop, errors of its system.
		return len(p.Code) == 5 && slices.Contains([]string{"08", "40", "53", "55", "57", "58"}, p.Code[:2])
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	return slices.ContainsFunc(outages, func(one error) bool { return errors.Is(err, one) }) || pgconn.SafeToRetry(err)
}

// outages are the errors that mean unreachable, beside those of their own types.
var outages = []error{
	context.DeadlineExceeded, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, driver.ErrBadConn,
	sqlite3.BUSY, sqlite3.LOCKED, sqlite3.FULL, sqlite3.IOERR, sqlite3.CANTOPEN, sqlite3.NOMEM, sqlite3.INTERRUPT, sqlite3.PROTOCOL,
}
