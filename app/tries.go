package app

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/internal/sqlstore"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/tries"
)

// triesAddress returns where the tries of archives are on the record: in the database of the
// first, or in a file beside it: beside the file itself, so that no link leads past a lockbox.
func (a *App) triesAddress(archives []string) (string, error) {
	addrs, err := a.Addresses(archives)
	if err != nil {
		return "", err
	}
	path := ""
	if len(addrs) > 0 {
		path = addrs[0].Target
	} else if path, err = a.demoPath(); err != nil {
		return "", err
	}
	if IsPostgres(path) {
		return path, nil
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	return strings.TrimSuffix(path, ".db") + "-tries.db", nil
}

// Tries opens the record of what was tried over archives, and makes it.
func (a *App) Tries(ctx context.Context, archives []string) (*tries.Store, error) {
	addr, err := a.triesAddress(archives)
	if err != nil {
		return nil, err
	}
	return tries.Open(ctx, addr, true)
}

// triesOf opens the record of tries for a server or a worker. Where there is none and can be
// none, as beside an archive that is only read, it says so in the log and returns nil; one
// that is there and cannot be read is an error.
func (a *App) triesOf(ctx context.Context, archives []string, log *slog.Logger) (*tries.Store, func() error, error) {
	s, err := a.Tries(ctx, archives)
	if err == nil {
		return s, s.Close, nil
	}
	if lock, failed := a.HoldOut(ctx, archives); failed != nil || lock != nil {
		return nil, nil, err
	}
	if log != nil {
		log.Warn("tries are not counted, and nothing is held out", "error", err)
	}
	return nil, func() error { return nil }, nil
}

// HoldOut returns the lockbox of archives, closed or opened; nil: there never was one. It
// makes nothing.
func (a *App) HoldOut(ctx context.Context, archives []string) (*replay.HoldOut, error) {
	addr, err := a.triesAddress(archives)
	if err != nil {
		return nil, err
	}
	s, err := tries.Open(ctx, addr, false)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, sqlstore.ErrNone) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.HoldOut(ctx, tries.Local)
}

// Ledger counts the tries of one command.
type Ledger struct {
	app      *App
	counting tries.Counting
}

// Ledger returns what counts the tries of a command over archives, and their lockbox. Where
// none can be counted, it says so and goes on; a lockbox that cannot be read is an error.
func (a *App) Ledger(ctx context.Context, archives []string, prompt string) (*Ledger, *replay.HoldOut, error) {
	lock, err := a.HoldOut(ctx, archives)
	if err != nil {
		return nil, nil, err
	}
	l := &Ledger{a, tries.Counting{Organization: tries.Local, Prompt: prompt}}
	if l.counting.Store, err = a.Tries(ctx, archives); err != nil {
		l.uncounted(err)
	}
	return l, lock, nil
}

func (l *Ledger) uncounted(err error) { l.app.Say("This try is not counted: %v", err) }

// Count counts a try.
func (l *Ledger) Count(ctx context.Context, about *backtest.Looked) (backtest.Tally, error) {
	n, err := l.counting.Count(ctx, about)
	if err != nil && ctx.Err() == nil {
		l.uncounted(err)
		return backtest.Tally{}, nil
	}
	return n, err
}

// End notes that what was counted came to its end, and how many independent tries it was.
func (l *Ledger) End(ctx context.Context, independent stats.Decimal) {
	if err := l.counting.End(ctx, independent); err != nil && ctx.Err() == nil {
		l.app.Say("That this try has ended is not on the record: %v", err)
	}
}

// Close closes the record.
func (l *Ledger) Close() error {
	if l.counting.Store == nil {
		return nil
	}
	return l.counting.Store.Close()
}
