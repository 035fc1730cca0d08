package archivetest

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// Archive is an archive with what writes to it and looks after it at hand.
type Archive struct {
	*archive.Archive
	*intake.Intake
}

// New returns the archive in a store and takes ownership of the store. A Config
// says how it takes captures in.
func New(s store.Store, c ...intake.Config) *Archive {
	return &Archive{archive.New(s), intake.New(s, append(c, intake.Config{})[0])}
}

// NewFile returns an archive in a new file, which is closed with the test.
func NewFile(t testing.TB, c ...intake.Config) *Archive {
	t.Helper()
	return At(t, filepath.Join(t.TempDir(), "archive.db"), c...)
}

// At is NewFile at a path, where an archive may be already.
func At(t testing.TB, path string, c ...intake.Config) *Archive {
	t.Helper()
	a := New(Store(t, path), c...)
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	return a
}

// Store is sqlite.Open at a path; where there is no file yet it is a copy of an empty
// archive that is made once a process, as making one takes longer than most tests of one. It
// is the caller's to close.
func Store(t testing.TB, path string) *sqlite.Store {
	t.Helper()
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		Copy(t, empty, path)
	}
	s, err := sqlite.Open(context.WithoutCancel(t.Context()), path)
	require.NoError(t, err)
	return s
}

var empty = Made(func(path string) (*sqlite.Store, error) {
	s, _, err := sqlite.Create(context.Background(), path)
	return s, err
})

// Made returns the bytes of the file in which create makes an archive, once.
func Made(create func(path string) (*sqlite.Store, error)) func() ([]byte, error) {
	return sync.OnceValues(func() ([]byte, error) {
		dir, err := os.MkdirTemp("", "ladderback-empty-*")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		path := filepath.Join(dir, "archive.db")
		s, err := create(path)
		if err != nil {
			return nil, err
		}
		if err := s.Close(); err != nil {
			return nil, err
		}
		return os.ReadFile(path)
	})
}

// Copy writes what was made to a new file at path.
func Copy(t testing.TB, made func() ([]byte, error), path string) {
	t.Helper()
	data, err := made()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, data, 0o600))
}

// Verify is care.Verify of the archive.
func (a *Archive) Verify(ctx context.Context, progress func(done, all int64)) (*care.Verification, error) {
	return care.Verify(ctx, a.Store(), care.Check{Progress: progress})
}

// Info is care.InfoOf the archive.
func (a *Archive) Info(ctx context.Context) (*care.Info, error) { return care.InfoOf(ctx, a.Store()) }

// Coverage is care.CoverageOf the archive.
func (a *Archive) Coverage(ctx context.Context, q store.MarketQuery, f func(*care.Coverage) error) error {
	return care.CoverageOf(ctx, a.Store(), q, f)
}

// Remove is care.Remove from the archive.
func (a *Archive) Remove(ctx context.Context, sel care.Selection) (*care.Removal, error) {
	return care.Remove(ctx, a.Store(), sel)
}

// RemoveSource removes a source from the archive.
func (a *Archive) RemoveSource(ctx context.Context, id store.SourceID) error {
	_, err := a.Remove(ctx, care.Selection{Sources: []store.SourceID{id}})
	return err
}

// RemoveMarkets removes markets from the archive.
func (a *Archive) RemoveMarkets(ctx context.Context, ids []store.ID) error {
	_, err := a.Remove(ctx, care.Selection{Markets: ids})
	return err
}

// RemoveBefore removes the markets that ended at or before a time, and returns how
// many there were.
func (a *Archive) RemoveBefore(ctx context.Context, t market.Instant) (int, error) {
	r, err := a.Remove(ctx, care.Selection{Before: t})
	if err != nil {
		return 0, err
	}
	return len(r.Markets), nil
}
