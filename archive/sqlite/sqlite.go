// Package sqlite keeps an archive in one file, through SQLite.
//
// The file is in WAL mode with synchronous=FULL: a transaction that has been
// reported as done survives a crash of the process and a power failure. One
// process writes at a time, while any number read, each on a snapshot.
package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"sync"

	"github.com/ladderback/ladderback/archive/sqlite/catalogue"
	"github.com/ladderback/ladderback/archive/sqlite/file"
	"github.com/ladderback/ladderback/archive/sqlite/overwrite"
	"github.com/ladderback/ladderback/archive/sqlite/pool"
	"github.com/ladderback/ladderback/archive/store"
)

const maxReaders = 8

// Open opens the archive in the file at path, for reading and, where the system
// allows it, for writing. It neither creates nor migrates: an older archive is
// store.ErrOlder, a newer one store.ErrNewer, no file store.ErrNoStore.
func Open(ctx context.Context, path string, options ...option) (*Store, error) {
	return open(ctx, path, false, settingsOf(options))
}

// OpenReadOnly is Open without writes: no file is created or changed, and no
// permission to do so is needed.
func OpenReadOnly(ctx context.Context, path string, options ...option) (*Store, error) {
	return open(ctx, path, true, settingsOf(options))
}

// Create opens the archive in the file at path for writing, creating the file
// if there is none and migrating an older archive after saving a copy of it.
// notice describes, for people, what was done; it is empty if nothing was.
func Create(ctx context.Context, path string, options ...option) (s *Store, notice string, err error) {
	o := settingsOf(options)
	if notice, err = file.Prepare(ctx, path, o.Settings); err != nil {
		return nil, "", err
	}
	if s, err = open(ctx, path, false, o); err != nil {
		return nil, "", err
	}
	return s, notice, nil
}

// option changes how a file is opened; only tests do.
type option func(*settings)

type settings struct {
	file.Settings
	walk int
}

func settingsOf(options []option) settings {
	s := settings{file.Defaults(), catalogue.WalkRows}
	for _, o := range options {
		o(&s)
	}
	return s
}

// Store is an archive.Store in one file.
type Store struct {
	path    string
	opened  os.FileInfo // of the file that was opened
	readers *pool.Pool
	watch   watch
	writer  *pool.Pool       // nil: read-only
	packs   store.PackReader // nil: none
	known   sync.Map         // store.Pack by its ID
	walk    int              // catalogue.WalkRows
	// original is the file as SQLite left it.
	original overwrite.Watch
}

func open(ctx context.Context, path string, ro bool, o settings) (*Store, error) {
	if err := file.Check(path); err != nil {
		return nil, err
	}
	var first error
	for _, m := range file.Modes(path, ro) {
		s, err := openMode(ctx, path, m, o)
		if err == nil {
			return s, nil
		}
		if first == nil {
			first = err
		}
		if !file.CannotWrite(err) {
			break
		}
	}
	return nil, first
}

func openMode(ctx context.Context, path string, m file.Mode, o settings) (*Store, error) {
	s := &Store{path: path, walk: o.walk}
	s.original.Never = m == file.Immutable
	var err error
	if s.opened, err = os.Stat(path); err != nil {
		return nil, err
	}
	db, err := file.Connect(path, m, true, o.Settings)
	if err != nil {
		return nil, s.fail(err)
	}
	s.readers = pool.New(db, min(maxReaders, 2+2*runtime.GOMAXPROCS(0)))
	if db, err = file.Connect(path, m, true, o.Settings); err != nil {
		return nil, errors.Join(s.fail(err), s.Close())
	}
	s.watch.pool = pool.New(db, 1)
	if err := file.CheckVersion(ctx, path, s.readers.DB, o.Schema); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if !m.ReadOnly {
		if db, err = file.Connect(path, m, false, o.Settings); err != nil {
			return nil, errors.Join(s.fail(err), s.Close())
		}
		s.writer = pool.New(db, 1)
	}
	if err := s.inPlace(); err != nil { // replaced meanwhile
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// inPlace refuses to go on when another file stands at the path, or none (some
// connections would read the file that was opened, those made later the new one), or
// when the file has been overwritten.
// It is asked with a connection at hand, so that the connection is known to be one
// to the file that was opened.
func (s *Store) inPlace() error {
	fi, overwritten, err := s.original.Stat(s.path, s.opened)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil // reading says what is wrong
	}
	switch {
	case err != nil || !os.SameFile(fi, s.opened):
		return fmt.Errorf("%s: %w", s.path, store.ErrReplaced)
	case overwritten:
		return fmt.Errorf("%s: %w", s.path, store.ErrOverwritten)
	}
	return nil
}

// fail says of an error which archive it is about, and what kind it is.
func (s *Store) fail(err error) error { return file.Failure(s.path, err) }

// Address returns the path of the file.
func (s *Store) Address() string { return s.path }

// Close closes the file. The last user of the file merges the log beside it
// into the file, unless the file has been overwritten.
func (s *Store) Close() error {
	if s.original.Close(s.path) {
		s.watch.pool.LeaveLog()
		s.readers.LeaveLog()
		s.writer.LeaveLog()
	}
	return s.fail(errors.Join(s.watch.pool.Close(), s.readers.Close(), s.writer.Close()))
}

// Size returns the size in bytes of the file and the log beside it.
func (s *Store) Size(context.Context) (int64, error) {
	fi, err := os.Stat(s.path)
	if err != nil {
		return 0, err
	}
	n := fi.Size()
	if fi, err := os.Stat(s.path + "-wal"); err == nil {
		n += fi.Size()
	}
	return n, nil
}

var _ store.Connected = (*Store)(nil)

// Connections implements store.Connected.
func (s *Store) Connections() store.Connections {
	return store.Connections{Used: s.readers.Used(), Max: s.readers.Max()}
}
