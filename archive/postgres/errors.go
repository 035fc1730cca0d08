package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ladderback/ladderback/archive/store"
)

// fail says of an error which archive it is about, and what kind it is.
func (s *Store) fail(ctx context.Context, err error) error {
	var connect *pgconn.ConnectError // which has a time limit of its own
	if err == nil || named(err) && (ctx.Err() != nil || !errors.As(err, &connect)) {
		return err
	}
	if ctxErr := ctx.Err(); ctxErr != nil && (aborted(err) || lost(err)) {
		return fmt.Errorf("%s: %w", s.address, ctxErr)
	}
	if kind := kindOf(err); kind != nil {
		return fmt.Errorf("%s: %w: %w", s.address, kind, briefly(err))
	}
	return fmt.Errorf("%s: %w", s.address, briefly(err))
}

// brief is an error told in fewer words.
type brief struct {
	error
	text string
}

func (e brief) Error() string { return e.text }
func (e brief) Unwrap() error { return e.error }

// noTLS is how the driver tells of a server that has no TLS, before it tries without.
const noTLS = "tls error: server refused TLS connection"

// briefly tells an error in one line, and each failed try to connect once: the
// driver tries an address twice, with TLS and without.
func briefly(err error) error {
	var lines []string
	for line := range strings.SplitSeq(err.Error(), "\n") {
		if line = strings.TrimSpace(line); line != "" && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	if told := slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return strings.HasSuffix(line, noTLS) }); len(told) > 0 {
		lines = told // that a server without TLS was first asked for it is not why it failed
	}
	text := strings.ReplaceAll(strings.Join(lines, "; "), ":; ", ": ")
	return brief{err, text}
}

// owned is fail for what a function of the caller's returned: only what the
// server or the connection said is named, once.
func (s *Store) owned(ctx context.Context, err error) error {
	if err == nil || strings.Contains(err.Error(), s.address) {
		return err
	}
	return s.fail(ctx, err)
}

// named reports errors that say all there is to say.
func named(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// aborted reports whether the server gave a query up because it was told to.
func aborted(err error) bool {
	var p *pgconn.PgError
	return errors.As(err, &p) && p.Code == "57014"
}

// kindOf returns the kind that package archive knows the error by, or nil. What
// the server says is told apart by SQLSTATE alone.
func kindOf(err error) error {
	var p *pgconn.PgError
	if !errors.As(err, &p) {
		if lost(err) {
			return store.ErrUnreachable
		}
		return nil
	}
	switch p.Code {
	case "53100": // disk_full
		return store.ErrFull
	case "25006", "42501": // read_only_sql_transaction, insufficient_privilege
		return store.ErrReadOnly
	case "55P03", "40001", "40P01": // lock_not_available, serialization_failure, deadlock_detected
		return store.ErrLocked
	case "42P01", "3D000": // undefined_table, invalid_catalog_name
		return store.ErrNoStore
	case "57014": // query_canceled, by a limit of the server's
		return context.DeadlineExceeded
	}
	switch p.Code[:min(2, len(p.Code))] {
	case "XX": // corruption among them
		return store.ErrDamaged
	case "08", "57", "53": // connection, shut down, out of resources
		return store.ErrUnreachable
	}
	return nil
}

// lost reports whether the connection could not be made or broke.
func lost(err error) bool {
	var connect *pgconn.ConnectError
	var p *pgconn.PgError
	var netErr net.Error
	switch {
	case errors.As(err, &connect) && !errors.As(err, &p):
		return true
	case errors.As(err, &p):
		return strings.HasPrefix(p.Code, "57P") || strings.HasPrefix(p.Code, "08")
	case errors.As(err, &netErr), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed):
		return true
	}
	return strings.Contains(err.Error(), "conn closed") || strings.Contains(err.Error(), "closed pool")
}
