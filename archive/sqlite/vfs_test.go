package sqlite_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/ncruces/go-sqlite3/vfs"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/sqlstore"
)

// faulty is a file system that tells a hook of every step that changes a file,
// before it is taken.
type faulty struct {
	vfs.VFS
	before func(*step) error
}

// step is a write, a truncation, a sync or a deletion.
type step struct {
	file   *faultyFile // nil for a deletion
	path   string
	kind   string // "write", "truncate", "sync", "delete", "synced" (after it)
	data   []byte
	offset int64
}

// register makes the file system known under the name of the test.
func register(t testing.TB, before func(*step) error) string {
	name := strings.ReplaceAll(t.Name(), "/", "-")
	vfs.Register(name, sqlstore.Over(&faulty{vfs.Find(""), before}))
	t.Cleanup(func() { vfs.Unregister(name) })
	return name
}

func (f *faulty) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	return nil, 0, fmt.Errorf("open %s without its name object", name)
}

// OpenFilename opens through the system's own.
func (f *faulty) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	file, flags, err := f.VFS.(vfs.VFSFilename).OpenFilename(name, flags)
	if err != nil {
		return nil, flags, err
	}
	return &faultyFile{file, f, name.String()}, flags, nil
}

func (f *faulty) Delete(name string, syncDir bool) error {
	if err := f.before(&step{path: name, kind: "delete"}); err != nil {
		return err
	}
	return f.VFS.Delete(name, syncDir)
}

type faultyFile struct {
	vfs.File
	fs   *faulty
	path string
}

func (f *faultyFile) WriteAt(p []byte, off int64) (int, error) {
	if err := f.fs.before(&step{f, f.path, "write", p, off}); err != nil {
		return 0, err
	}
	return f.File.WriteAt(p, off)
}

func (f *faultyFile) Truncate(size int64) error {
	if err := f.fs.before(&step{f, f.path, "truncate", nil, size}); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

func (f *faultyFile) Sync(flags vfs.SyncFlag) error {
	if err := f.fs.before(&step{f, f.path, "sync", nil, 0}); err != nil {
		return err
	}
	if err := f.File.Sync(flags); err != nil {
		return err
	}
	return f.fs.before(&step{f, f.path, "synced", nil, 0})
}

func (f *faultyFile) SharedMemory() vfs.SharedMemory {
	return f.File.(vfs.FileSharedMemory).SharedMemory()
}

// disk models what a disk holds: of each file what was synced, and the writes
// since, of which a loss of power keeps any.
type disk struct {
	mu    sync.Mutex
	files map[string]*diskFile
	steps int
}

type diskFile struct {
	durable []byte
	since   []step
}

// watch notes a file as it is on the disk by now.
func (d *disk) watch(t testing.TB, path string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	d.files = map[string]*diskFile{path: {durable: b}}
}

func (d *disk) take(s *step) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.files == nil {
		d.files = map[string]*diskFile{}
	}
	if s.kind == "delete" {
		delete(d.files, s.path)
		d.steps++
		return nil
	}
	f := d.files[s.path]
	if f == nil {
		f = &diskFile{}
		d.files[s.path] = f
	}
	switch s.kind {
	case "synced":
		for i := range f.since {
			f.durable = applyStep(f.durable, &f.since[i])
		}
		f.since = nil
	case "write", "truncate":
		f.since = append(f.since, step{kind: s.kind, data: append([]byte(nil), s.data...), offset: s.offset})
	}
	d.steps++
	return nil
}

func applyStep(b []byte, s *step) []byte {
	if s.kind == "truncate" {
		if int(s.offset) < len(b) {
			return b[:s.offset:s.offset]
		}
		return append(b, make([]byte, int(s.offset)-len(b))...)
	}
	if n := int(s.offset) + len(s.data); n > len(b) {
		b = append(b, make([]byte, n-len(b))...)
	}
	copy(b[s.offset:], s.data)
	return b
}

// cut writes to a folder what a loss of power now would leave: of the writes
// not synced some at random, the last of them perhaps in part. It returns the
// path of the file called name.
func (d *disk) cut(t testing.TB, rnd *rand.Rand, name string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	dir := memory(t)
	for path, f := range d.files {
		if strings.HasSuffix(path, "-shm") {
			continue
		}
		b := append([]byte(nil), f.durable...)
		for i := range f.since {
			s := f.since[i]
			switch rnd.IntN(3) {
			case 0:
				continue
			case 1:
				if s.kind == "write" && len(s.data) > 1 {
					s.data = s.data[:rnd.IntN(len(s.data))]
				}
			}
			b = applyStep(b, &s)
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(path)), b, 0o600))
	}
	return filepath.Join(dir, name)
}
