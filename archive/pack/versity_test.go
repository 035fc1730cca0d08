//go:build unix

package pack_test

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/pack"
	"github.com/ladderback/ladderback/internal/archivetest"
)

// versityProgram is the variable that names the program versitygw, an S3 server over a
// folder, which scripts/packs.sh installs.
const versityProgram = "LADDERBACK_TEST_VERSITYGW"

// versity starts a server and returns a depot in a bucket of it; empty: there is no
// such program.
func versity(t testing.TB) string {
	t.Helper()
	program := os.Getenv(versityProgram)
	if program == "" {
		var err error
		if program, err = exec.LookPath("versitygw"); err != nil {
			return ""
		}
	}
	dir, err := os.MkdirTemp("", "ladderback-versity-*")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "root", "captures"), 0o755))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	at := l.Addr().String()
	require.NoError(t, l.Close())
	var log bytes.Buffer
	cmd := exec.Command(program, "--access", keys.AccessKey, "--secret", keys.SecretKey, "--port", at, "--iam-dir", dir, "--quiet",
		"posix", "--nometa", filepath.Join(dir, "root"))
	cmd.Stdout, cmd.Stderr = &log, &log
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("versitygw: %s", log.Bytes()[max(0, log.Len()-4000):])
		}
	})
	require.Eventually(t, func() bool {
		c, err := net.Dial("tcp", at)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	}, time.Minute, 20*time.Millisecond, "%s", &log)
	return "s3://captures/all?endpoint=http://" + at
}

// TestOtherServer packs into a server of another make, reads, refuses wrong keys, and
// takes back.
func TestOtherServer(t *testing.T) {
	t.Parallel()
	to := versity(t)
	if to == "" {
		t.Skipf("no versitygw in the path or at $%s", versityProgram)
	}
	path := filepath.Join(t.TempDir(), "archive.db")
	h := open(t, path, to, plain)
	h.fill(t, 13, 200, 2)
	want := archivetest.Dump(t, h.Archive)
	r, err := h.packs.Everything(t.Context(), h.store, h.to, 2000)
	require.NoError(t, err)
	require.Greater(t, r.Packs, 1)
	require.Equal(t, want, archivetest.Dump(t, h.Archive))
	h.sound(t)

	wrong := keys
	wrong.SecretKey = "not-this-one"
	other := open(t, path, to, func() (pack.Config, error) { return wrong, nil })
	_, err = other.Verify(t.Context(), nil)
	require.ErrorContains(t, err, "signature")
	require.NotContains(t, err.Error(), wrong.SecretKey)

	_, err = h.packs.Undo(t.Context(), h.store, false, nil)
	require.NoError(t, err)
	require.Empty(t, h.objects(t))
	require.Equal(t, want, archivetest.Dump(t, h.Archive))
}
