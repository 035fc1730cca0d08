package app

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/internal/sqlstore"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/tries"
)

// triesAddress returns where the tries of archives are on the record: in the database of the
// first, or in a file beside it.
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
	app    *App
	store  *tries.Store // nil: there is no place to count
	prompt string
	try    *tries.One // that was counted
}

// Ledger returns what counts the tries of a command over archives, and their lockbox. Where
// none can be counted, it says so and goes on; a lockbox that cannot be read is an error.
func (a *App) Ledger(ctx context.Context, archives []string, prompt string) (*Ledger, *replay.HoldOut, error) {
	lock, err := a.HoldOut(ctx, archives)
	if err != nil {
		return nil, nil, err
	}
	l := &Ledger{app: a, prompt: prompt}
	if l.store, err = a.Tries(ctx, archives); err != nil {
		l.uncounted(err)
	}
	return l, lock, nil
}

func (l *Ledger) uncounted(err error) { l.app.Say("This try is not counted: %v", err) }

// Count counts a try.
func (l *Ledger) Count(ctx context.Context, about *backtest.Looked) (backtest.Tally, error) {
	if l.store == nil {
		return backtest.Tally{}, nil
	}
	t, err := tries.Of(about)
	if err != nil {
		return backtest.Tally{}, err
	}
	n, err := l.store.Count(ctx, tries.Local, l.prompt, t)
	if err != nil {
		if ctx.Err() != nil {
			return n, ctx.Err()
		}
		l.uncounted(err)
		return backtest.Tally{}, nil
	}
	l.try = t
	return n, nil
}

// End notes that what was counted came to its end, and how many independent tries it was.
func (l *Ledger) End(ctx context.Context, independent stats.Decimal) {
	if l.try == nil {
		return
	}
	if err := l.store.End(ctx, tries.Local, l.try, independent); err != nil && ctx.Err() == nil {
		l.app.Say("That this try has ended is not on the record: %v", err)
	}
}

// Close closes the record.
func (l *Ledger) Close() error {
	if l.store == nil {
		return nil
	}
	return l.store.Close()
}
