package sqlite_test

import (
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"
	_ "github.com/ncruces/go-sqlite3/driver"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/archive/sqlite/file"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/market"
)

// filled returns the path of an archive with a scenario in it, and what it
// holds.
func filled(t testing.TB) (path, content string) {
	path = filepath.Join(memory(t), "archive.db")
	s := archivetest.NewScenario(1, 100)
	opened, _, err := sqlite.Create(t.Context(), path)
	require.NoError(t, err)
	a := archivetest.New(opened, intake.Config{BlockCaptures: 9})
	f := s.Whole()
	require.NoError(t, archivetest.Put(t.Context(), a, s, &f))
	require.NoError(t, a.Close())
	return path, dump(t, path)
}

func beside(t testing.TB, path string) []string {
	names, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	require.NoError(t, err)
	return names
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := filepath.Join(dir, "notes.txt")
	require.NoError(t, os.WriteFile(text, []byte(strings.Repeat("not an archive\n", 100)), 0o600))
	empty := filepath.Join(dir, "empty.db")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	other := filepath.Join(dir, "other.db")
	db, err := sql.Open("sqlite3", "file:"+other)
	require.NoError(t, err)
	_, err = db.Exec("CREATE TABLE t (x)")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	missing := filepath.Join(dir, "missing.db")
	for _, path := range []string{text, empty, other, missing, dir} {
		for _, open := range []func() (*sqlite.Store, error){
			func() (*sqlite.Store, error) { return sqlite.Open(t.Context(), path) },
			func() (*sqlite.Store, error) { return sqlite.OpenReadOnly(t.Context(), path) },
		} {
			_, err := open()
			require.ErrorIs(t, err, store.ErrNoStore, path)
			require.ErrorContains(t, err, path)
		}
	}
	_, err = os.Stat(missing)
	require.ErrorIs(t, err, os.ErrNotExist, "opening makes no file")
	for _, path := range []string{text, other, dir} {
		_, _, err := sqlite.Create(t.Context(), path)
		require.Error(t, err, path)
		require.ErrorContains(t, err, path)
	}
	_, _, err = sqlite.Create(t.Context(), filepath.Join(dir, "no", "such", "folder.db"))
	require.ErrorContains(t, err, "no folder "+filepath.Join(dir, "no", "such"))
	a, notice, err := sqlite.Create(t.Context(), empty)
	require.NoError(t, err, "an empty file is as good as none")
	require.Contains(t, notice, "created")
	require.NoError(t, a.Close())
}

// setVersion writes an archive's version into its file.
func setVersion(t testing.TB, path string, v int) {
	db, err := sql.Open("sqlite3", "file:"+path+"?vfs=ladderback")
	require.NoError(t, err)
	_, err = db.Exec(`UPDATE ladderback_versions SET version = ? WHERE part = 'archive'`, v)
	require.NoError(t, err)
	require.NoError(t, db.Close())
}

func TestNewerVersion(t *testing.T) {
	t.Parallel()
	path, _ := filled(t)
	setVersion(t, path, file.Version+1)
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	_, err = sqlite.Open(t.Context(), path)
	require.ErrorIs(t, err, store.ErrNewer)
	require.ErrorContains(t, err, fmt.Sprint("version ", file.Version+1))
	require.ErrorContains(t, err, path)
	_, _, err = sqlite.Create(t.Context(), path)
	require.ErrorIs(t, err, store.ErrNewer)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, before, after, "a refused archive is left as it was")
}

// TestLocked lets another process hold the write lock.
func TestLocked(t *testing.T) {
	t.Parallel()
	path, content := filled(t)
	db, err := sql.Open("sqlite3", "file:"+path+"?vfs=ladderback&_txlock=immediate")
	require.NoError(t, err)
	defer db.Close()
	tx, err := db.Begin()
	require.NoError(t, err)
	opened, err := sqlite.Open(t.Context(), path, sqlite.Wait(50*time.Millisecond))
	require.NoError(t, err, "reading goes on")
	a := archivetest.New(opened)
	defer a.Close()
	require.Equal(t, content, archivetest.Dump(t, a))
	s := archivetest.NewScenario(2, 10)
	f := s.Whole()
	err = archivetest.Put(t.Context(), a, s, &f)
	require.ErrorIs(t, err, store.ErrLocked)
	require.ErrorContains(t, err, path)
	require.NoError(t, tx.Rollback())
	require.NoError(t, archivetest.Put(t.Context(), a, s, &f))
}

// TestFull lets every write fail from some step on as on a full disk: as SQLite says it, and
// as the system does, which names the log.
func TestFull(t *testing.T) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) { testFull(t, func(string) error { return sqlite3.FULL }) })
	t.Run("system", func(t *testing.T) {
		testFull(t, func(path string) error { return &os.PathError{Op: "write", Path: path + "-wal", Err: syscall.ENOSPC} })
	})
}

func testFull(t *testing.T, full func(path string) error) {
	path, content := filled(t)
	s := archivetest.NewScenario(2, 300)
	f := s.Whole()
	steps := 0
	for limit := 0; ; limit = limit*2 + 1 {
		steps = 0
		name := register(t, func(s *step) error {
			if s.kind != "write" { // what has been written is there, whether or not that is said
				return nil
			}
			if steps++; steps > limit {
				return full(path)
			}
			return nil
		})
		opened, _, err := sqlite.Create(t.Context(), path, sqlite.VFS(name))
		if err == nil {
			a := archivetest.New(opened, intake.Config{BlockCaptures: 9})
			err = archivetest.Put(t.Context(), a, s, &f)
			err = errors.Join(err, a.Close())
		}
		if err == nil {
			require.Greater(t, limit, 3)
			break
		}
		require.ErrorIs(t, err, store.ErrFull, "after %d steps", limit)
		require.ErrorContains(t, err, path)
		require.Contains(t, err.Error(), path+": no space left")
		require.Equal(t, content, dump(t, path), "the archive is as it was")
	}
}

// TestFullAtFirst lets the disk be full while an archive is created: no half of
// one stays.
func TestFullAtFirst(t *testing.T) {
	t.Parallel()
	for limit := 0; ; limit = limit*5/4 + 1 {
		dir := memory(t)
		path := filepath.Join(dir, "new.db")
		steps := 0
		name := register(t, func(*step) error {
			if steps++; steps > limit {
				return sqlite3.FULL
			}
			return nil
		})
		opened, _, err := sqlite.Create(t.Context(), path, sqlite.VFS(name))
		if err == nil {
			a := archivetest.New(opened)
			v, err := a.Verify(t.Context(), nil)
			require.NoError(t, err)
			require.Empty(t, v.Damage)
			require.NoError(t, a.Close())
			require.Greater(t, limit, 10)
			break
		}
		require.ErrorIs(t, err, store.ErrFull, "after %d steps", limit)
		require.EqualError(t, err, "create archive: "+path+": no space left")
		left, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Empty(t, left, "after %d steps", limit)
	}
}

// TestReadOnly reads where nothing may be written, as an unprivileged user.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	path, content := filled(t)
	dir := filepath.Dir(path)
	require.NoError(t, file.Seal(t.Context(), path))
	require.Equal(t, []string{path}, beside(t, path))
	opened, err := sqlite.OpenReadOnly(t.Context(), path)
	require.NoError(t, err)
	a := archivetest.New(opened)
	require.Equal(t, content, archivetest.Dump(t, a))
	require.Equal(t, []string{path}, beside(t, path), "reading makes no file")
	s := archivetest.NewScenario(2, 10)
	f := s.Whole()
	require.ErrorIs(t, archivetest.Put(t.Context(), a, s, &f), store.ErrReadOnly)
	require.NoError(t, a.Close())
	require.Equal(t, []string{path}, beside(t, path))

	for _, sealed := range []bool{true, false} {
		if !sealed {
			require.NoError(t, sqlite.Unseal(t.Context(), path))
		}
		require.NoError(t, os.Chmod(path, 0o444))
		require.NoError(t, os.Chmod(dir, 0o555))
		out := asNobody(t, "^TestReadOnlyChild$", path)
		require.Contains(t, out, "read 3 markets", "sealed %v", sealed)
		require.NoError(t, os.Chmod(dir, 0o755))
		require.NoError(t, os.Chmod(path, 0o644))
		require.Equal(t, []string{path}, beside(t, path))
	}
}

const readOnlyPath = "LADDERBACK_READONLY_PATH"

func TestReadOnlyChild(t *testing.T) {
	path := os.Getenv(readOnlyPath)
	if path == "" {
		t.Skip("run by TestReadOnly")
	}
	for _, open := range []func() (*sqlite.Store, error){
		func() (*sqlite.Store, error) { return sqlite.Open(t.Context(), path) },
		func() (*sqlite.Store, error) { return sqlite.OpenReadOnly(t.Context(), path) },
	} {
		opened, err := open()
		require.NoError(t, err)
		a := archivetest.New(opened)
		rows, err := a.Markets(t.Context(), store.MarketQuery{})
		require.NoError(t, err)
		fmt.Printf("read %d markets\n", len(rows))
		s := archivetest.NewScenario(2, 10)
		f := s.Whole()
		require.ErrorIs(t, archivetest.Put(t.Context(), a, s, &f), store.ErrReadOnly)
		require.NoError(t, a.Close())
	}
	_, _, err := sqlite.Create(t.Context(), path)
	if err == nil {
		t.Log("create only opens what is there")
	}
}

// asNobody runs a test of this binary as a user who owns nothing. Unless the
// test is run as root that is the user who runs it.
func asNobody(t testing.TB, test, path string) string {
	folder, err := os.MkdirTemp("", "ladderback-*") // memory may not hold programs
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(folder)) })
	bin := filepath.Join(folder, "child.test")
	self, err := os.ReadFile(os.Args[0])
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(bin, self, 0o755))
	for _, dir := range []string{filepath.Dir(bin), filepath.Dir(path)} {
		fi, err := os.Stat(dir)
		require.NoError(t, err)
		require.NoError(t, os.Chmod(dir, fi.Mode().Perm()|0o055))
	}
	cmd := exec.CommandContext(t.Context(), bin, "-test.run="+test, "-test.count=1")
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), readOnlyPath+"="+path, "TMPDIR=/tmp")
	asUser(cmd)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}

// TestOverwrittenPages overwrites pages of the file: nothing panics, what is
// wrong is listed, and of the markets that cannot be read each is named.
func TestOverwrittenPages(t *testing.T) {
	t.Parallel()
	path, content := filled(t)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	size := int(binary.BigEndian.Uint16(whole[16:]))
	pages := len(whole) / size
	found, step := 0, max(1, pages/rounds(t, 20))
	for page := 1; page < pages; page += step {
		b := append([]byte(nil), whole...)
		for i := range size {
			b[page*size+i] ^= byte(0x5a + i*7)
		}
		broken := filepath.Join(memory(t), "broken.db")
		require.NoError(t, os.WriteFile(broken, b, 0o600))
		if checkBroken(t, broken, content, fmt.Sprint("page ", page)) {
			found++
		}
	}
	t.Logf("%d pages of %d bytes: damage in %d of those overwritten", pages, size, found)
	require.Positive(t, found)
}

// TestFlippedBits flips bits of bytes that are not zero all over the file, one at
// a time: each is found, or changes nothing of what the archive answers. 60 by
// default:
//
//	LADDERBACK_CRASH_ROUNDS=3000 go test ./archive/sqlite -run FlippedBits -v
func TestFlippedBits(t *testing.T) {
	t.Parallel()
	path, content := filled(t)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	var used []int
	for at, b := range whole {
		if b != 0 {
			used = append(used, at)
		}
	}
	rnd := rand.New(rand.NewPCG(3, 6))
	broken := filepath.Join(memory(t), "broken.db")
	found, n := 0, rounds(t, 60)
	for round := range n {
		at := used[(round*len(used)+rnd.IntN(len(used)))/n]
		bit := rnd.IntN(8)
		whole[at] ^= 1 << bit
		for _, name := range beside(t, broken) {
			require.NoError(t, os.Remove(name))
		}
		require.NoError(t, os.WriteFile(broken, whole, 0o600))
		if checkBroken(t, broken, content, fmt.Sprintf("bit %d of byte %d", bit, at)) {
			found++
		}
		whole[at] ^= 1 << bit
	}
	t.Logf("%d of %d bytes in use; %d of %d flipped bits found, the others change no answer", len(used), len(whole), found, n)
	require.Positive(t, found)
}

// checkBroken reports whether damage is found in a file, or else checks that it
// answers all that it should. Markets that are not named as damaged are read.
func checkBroken(t *testing.T, path, content, what string) bool {
	opened, err := sqlite.Open(t.Context(), path)
	if err != nil {
		return true
	}
	a := archivetest.New(opened)
	defer a.Close()
	v, err := a.Verify(t.Context(), nil)
	require.NoError(t, err)
	if len(v.Damage) == 0 {
		require.Equal(t, content, archivetest.Dump(t, a), "%s: no damage found", what)
		return false
	}
	named := map[string]bool{}
	for _, d := range v.Damage {
		named[d.Market] = true
	}
	rows, err := a.Markets(t.Context(), store.MarketQuery{})
	if err != nil {
		return true
	}
	for i := range rows {
		m := &rows[i].Market
		_, err := archivetest.Trace(m, a.Captures(t.Context(), m))
		if !named[""] && !named[m.VenueID] {
			require.NoError(t, err, what)
		}
	}
	return true
}

// TestMend damages and deletes blocks; importing the same file again mends it.
func TestMend(t *testing.T) {
	t.Parallel()
	for _, harm := range []string{
		"UPDATE blocks SET data = zeroblob(bytes) WHERE rowid % 3 = 0",
		"UPDATE blocks SET checksum = checksum + 1 WHERE rowid % 3 = 1",
		"UPDATE blocks SET last = last + 1 WHERE rowid = 2",
		"DELETE FROM blocks WHERE rowid % 4 = 2",
		"DELETE FROM blocks",
	} {
		path, content := filled(t)
		db, err := sql.Open("sqlite3", "file:"+path+"?vfs=ladderback")
		require.NoError(t, err)
		_, err = db.Exec(harm + "; DELETE FROM pages") // the sums of which do not hold now
		require.NoError(t, err)
		require.NoError(t, db.Close())
		opened, _, err := sqlite.Create(t.Context(), path)
		require.NoError(t, err)
		a := archivetest.New(opened, intake.Config{BlockCaptures: 9})
		v, err := a.Verify(t.Context(), nil)
		require.NoError(t, err)
		require.NotEmpty(t, v.Damage, harm)
		for _, d := range v.Damage {
			require.Contains(t, d.String(), "importing whole.jsonl again", harm)
		}
		s := archivetest.NewScenario(1, 100)
		f := s.Whole()
		require.NoError(t, archivetest.Put(t.Context(), a, s, &f))
		require.NoError(t, a.Close())
		require.Equal(t, content, dump(t, path), harm)
	}
}

// TestMissingSourceIsDamage: a source that is gone, without the sum of its page, is not left
// out of a list in silence.
func TestMissingSourceIsDamage(t *testing.T) {
	t.Parallel()
	path, _ := filled(t)
	db, err := sql.Open("sqlite3", "file:"+path+"?vfs=ladderback")
	require.NoError(t, err)
	res, err := db.Exec(`DELETE FROM sources WHERE id = (SELECT max(id) FROM sources)`)
	require.NoError(t, err)
	n, err := res.RowsAffected()
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
	require.NoError(t, db.Close())
	opened, err := sqlite.OpenReadOnly(t.Context(), path)
	require.NoError(t, err)
	defer opened.Close()
	require.ErrorIs(t, opened.View(t.Context(), func(r store.Reader) error {
		_, err := r.Sources(t.Context(), nil)
		return err
	}), store.ErrDamaged)
}

// TestHiddenMarketNamesAnEvent: the event of a market that no list has is made when a
// list has it; until then it is not missing.
func TestHiddenMarketNamesAnEvent(t *testing.T) {
	t.Parallel()
	opened, _, err := sqlite.Create(t.Context(), filepath.Join(memory(t), "archive.db"))
	require.NoError(t, err)
	a := archivetest.New(opened)
	defer a.Close()
	f := archivetest.File{Name: "hidden.json", Authority: store.FromList, Claims: []market.Market{{Venue: market.Polymarket, VenueID: "0xhidden", EventID: "20", SeriesID: "10"}}}
	require.NoError(t, archivetest.Put(t.Context(), a, archivetest.NewScenario(1, 1), &f))
	v, err := a.Verify(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, v.Damage)
}
