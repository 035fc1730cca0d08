package overwrite_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/sqlite/overwrite"
)

// file is a database and, where it has one, the index of its log.
type file struct {
	t       *testing.T
	path    string
	written int
}

func newFile(t *testing.T) *file {
	t.Helper()
	f := &file{t: t, path: filepath.Join(t.TempDir(), "a.db")}
	f.write()
	return f
}

// write writes to the file, a second after the last time.
func (f *file) write() {
	f.t.Helper()
	require.NoError(f.t, os.WriteFile(f.path, []byte("pages"), 0o600))
	f.written++
	at := time.Unix(1_776_081_600+int64(f.written), 0)
	require.NoError(f.t, os.Chtimes(f.path, at, at))
}

// index writes what SQLite keeps in the index: the log's salt and frames, how many of them
// have been merged into the file, and how many a checkpoint is about to merge.
// https://sqlite.org/walformat.html#the_wal_index_file_format
func (f *file) index(salt uint64, frames, done, upTo uint32) {
	f.t.Helper()
	b := make([]byte, 32<<10)
	binary.NativeEndian.PutUint32(b[16:], frames)
	binary.NativeEndian.PutUint64(b[32:], salt)
	binary.NativeEndian.PutUint32(b[96:], done)
	binary.NativeEndian.PutUint32(b[128:], upTo)
	out, err := os.OpenFile(f.path+"-shm", os.O_WRONLY|os.O_CREATE, 0o600)
	require.NoError(f.t, err)
	_, err = out.WriteAt(b, 0)
	require.NoError(f.t, err)
	require.NoError(f.t, out.Close())
}

// TestCheckpointsLeaveATrace: a write behind which a checkpoint stands is SQLite's own, one
// without is not, and what was seen once is not forgotten.
func TestCheckpointsLeaveATrace(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	f.index(1, 10, 5, 5)
	var w overwrite.Watch
	require.False(t, w.Overwritten(f.path), "the first look has nothing to hold it to")
	require.False(t, w.Overwritten(f.path))
	f.index(1, 12, 5, 5)
	require.False(t, w.Overwritten(f.path), "the log alone has grown")
	for _, step := range []struct {
		what               string
		salt               uint64
		frames, done, upTo uint32
	}{
		{"a checkpoint was made", 1, 12, 12, 12},
		{"more frames, and a checkpoint of some", 1, 20, 15, 15},
		{"a new log", 2, 1, 0, 0},
		{"a new log of the same numbers", 3, 1, 0, 0},
		{"a checkpoint is being made", 3, 1, 0, 1},
		{"and has not been finished", 3, 1, 0, 1},
	} {
		f.write()
		f.index(step.salt, step.frames, step.done, step.upTo)
		require.False(t, w.Overwritten(f.path), step.what)
	}
	f.index(3, 1, 1, 1)
	f.write()
	require.False(t, w.Overwritten(f.path), "finished")
	f.write()
	require.True(t, w.Overwritten(f.path), "no checkpoint")
	f.index(4, 0, 0, 0)
	require.True(t, w.Overwritten(f.path), "it stays so")
	require.False(t, w.Close(f.path), "all of the log was in the file")
}

// TestSizeAlone: a file that was put there with the time of the old one differs in size.
func TestSizeAlone(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	f.index(1, 0, 0, 0)
	var w overwrite.Watch
	require.False(t, w.Overwritten(f.path))
	was, err := os.Stat(f.path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(f.path, []byte("other pages"), 0o600))
	require.NoError(t, os.Chtimes(f.path, was.ModTime(), was.ModTime()))
	require.True(t, w.Overwritten(f.path))
}

// TestWithoutAnIndex: a file in rollback mode is not judged; where nothing may be written at
// all, any change counts.
func TestWithoutAnIndex(t *testing.T) {
	t.Parallel()
	for _, never := range []bool{false, true} {
		f := newFile(t)
		w := overwrite.Watch{Never: never}
		require.False(t, w.Overwritten(f.path))
		require.False(t, w.Overwritten(f.path))
		f.write()
		require.Equal(t, never, w.Overwritten(f.path))
		require.Equal(t, never, w.Close(f.path), "nobody can say what of a log is in the file")
	}
	f := newFile(t)
	require.NoError(t, os.WriteFile(f.path+"-shm", make([]byte, 131), 0o600))
	var w overwrite.Watch
	require.False(t, w.Overwritten(f.path))
	f.write()
	require.False(t, w.Overwritten(f.path), "an index that is being made")
}

// TestAnotherFileIsNotJudged: one that took the place of the file is no write to it.
func TestAnotherFileIsNotJudged(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	f.index(1, 0, 0, 0)
	opened, err := os.Stat(f.path)
	require.NoError(t, err)
	var w overwrite.Watch
	now, gone, err := w.Stat(f.path, opened)
	require.NoError(t, err)
	require.False(t, gone)
	require.True(t, os.SameFile(opened, now))
	require.NoError(t, os.Rename(f.path, f.path+".old"))
	_, gone, err = w.Stat(f.path, opened)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.False(t, gone)
	f.write()
	now, gone, err = w.Stat(f.path, opened)
	require.NoError(t, err)
	require.False(t, gone)
	require.False(t, os.SameFile(opened, now))
	require.NoError(t, os.Rename(f.path+".old", f.path))
	_, gone, _ = w.Stat(f.path, opened)
	require.False(t, gone, "it is as it was")
}

// TestCloseSaysWhetherTheLogMayBeMerged: not into a file that is somebody else's.
func TestCloseSaysWhetherTheLogMayBeMerged(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		frames, done uint32
		overwritten  bool
		want         bool
	}{{9, 8, true, true}, {9, 9, true, false}, {0, 0, true, false}, {9, 8, false, false}} {
		f := newFile(t)
		f.index(1, c.frames, c.done, c.done)
		var w overwrite.Watch
		require.False(t, w.Overwritten(f.path))
		if c.overwritten {
			f.write()
		}
		require.Equal(t, c.want, w.Close(f.path), "%+v", c)
		require.False(t, w.Close(f.path), "a second time")
		f.write()
		_, gone, err := w.Stat(f.path, nil)
		require.NoError(t, err)
		require.Equal(t, c.overwritten, gone, "closed: no more is looked at")
	}
}

// TestHeader: the index begins with two copies of what a transaction changes, which is not
// known while they differ, nor without an index; and an index that is no longer beside the
// file is not the one that stands there.
func TestHeader(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	var w overwrite.Watch
	look := func() (overwrite.Header, bool) {
		t.Helper()
		_, gone, err := w.Stat(f.path, nil)
		require.NoError(t, err)
		require.False(t, gone)
		return w.Header()
	}
	_, ok := look()
	require.False(t, ok, "there is no index")
	require.False(t, w.Stands(f.path))

	put := func(at int64, to byte) {
		t.Helper()
		out, err := os.OpenFile(f.path+"-shm", os.O_WRONLY, 0)
		require.NoError(t, err)
		_, err = out.WriteAt([]byte{to}, at)
		require.NoError(t, err)
		require.NoError(t, out.Close())
	}
	f.index(1, 10, 5, 5) // the first copy alone
	_, ok = look()
	require.False(t, ok, "the copies differ")
	require.True(t, w.Stands(f.path))
	raw, err := os.ReadFile(f.path + "-shm")
	require.NoError(t, err)
	for i, b := range raw[:48] {
		put(48+int64(i), b)
	}
	before, ok := look()
	require.True(t, ok)
	again, ok := look()
	require.True(t, ok)
	require.Equal(t, before, again)
	put(48+8, 1) // the second copy is written first
	_, ok = look()
	require.False(t, ok)
	put(8, 1)
	now, ok := look()
	require.True(t, ok)
	require.NotEqual(t, before, now)

	require.NoError(t, os.Remove(f.path+"-shm"))
	require.False(t, w.Stands(f.path))
	f.index(1, 10, 5, 5)
	require.False(t, w.Stands(f.path), "another index")
	w.Close(f.path)
	_, ok = w.Header()
	require.False(t, ok)
}
