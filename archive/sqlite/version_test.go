package sqlite_test

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/archive/sqlite/file"
	"github.com/ladderback/ladderback/internal/archivetest"
)

var update = flag.Bool("update", false, "make the archive of this version anew; only before the version is released")

// TestVersions opens an archive of each version, this one among them, and compares
// what it answers with what was written down when the first was made.
func TestVersions(t *testing.T) {
	t.Parallel()
	golden := filepath.Join("testdata", "v1.json")
	if *update {
		makeVersion(t, filepath.Join("testdata", fmt.Sprintf("v%d.db.gz", file.Version)), golden)
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	for version := 1; version <= file.Version; version++ {
		f, err := os.Open(filepath.Join("testdata", fmt.Sprintf("v%d.db.gz", version)))
		require.NoError(t, err)
		defer f.Close()
		z, err := gzip.NewReader(f)
		require.NoError(t, err)
		path := filepath.Join(memory(t), "old.db")
		out, err := os.Create(path)
		require.NoError(t, err)
		_, err = io.Copy(out, z)
		require.NoError(t, err)
		require.NoError(t, out.Close())

		opened, notice, err := sqlite.Create(t.Context(), path)
		require.NoError(t, err)
		a := archivetest.New(opened)
		if version < file.Version {
			require.Contains(t, notice, fmt.Sprintf("migrated %s from version %d to %d", path, version, file.Version))
		}
		problems, err := opened.Check(t.Context())
		require.NoError(t, err)
		require.Empty(t, problems)
		require.NoError(t, a.Close())
		require.Equal(t, string(want), dump(t, path)+"\n", "version %d", version)
	}
}

func makeVersion(t *testing.T, packed, golden string) {
	path := filepath.Join(memory(t), "new.db")
	s := archivetest.NewScenario(11, 60)
	opened, _, err := sqlite.Create(t.Context(), path)
	require.NoError(t, err)
	a := archivetest.New(opened, intake.Config{BlockCaptures: 6})
	for _, f := range append(s.Split(11, 3), archivetest.Metadata(s, 11, 3)...) {
		require.NoError(t, archivetest.Put(t.Context(), a, s, &f))
	}
	require.NoError(t, a.Close())
	require.NoError(t, os.MkdirAll(filepath.Dir(packed), 0o755))
	require.NoError(t, os.WriteFile(golden, []byte(dump(t, path)+"\n"), 0o644))
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	var z bytes.Buffer
	w, err := gzip.NewWriterLevel(&z, gzip.BestCompression)
	require.NoError(t, err)
	_, err = w.Write(b)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, os.WriteFile(packed, z.Bytes(), 0o644))
}
