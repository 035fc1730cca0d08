//go:build unix

package outfile_test

import (
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/outfile"
)

// asWriter names the variable that makes the test binary write to the path in it.
const asWriter = "LADDERBACK_TEST_WRITE_TO"

func TestMain(m *testing.M) {
	if path := os.Getenv(asWriter); path != "" {
		if err := outfile.Write("--out", path, hello); err != nil {
			_, _ = os.Stderr.WriteString(err.Error())
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func hello(w io.Writer) error {
	_, err := io.WriteString(w, "hello")
	return err
}

// put writes before into a new file and returns its path.
func put(t *testing.T, mode os.FileMode) string {
	path := filepath.Join(t.TempDir(), "a.txt")
	require.NoError(t, os.WriteFile(path, []byte("before"), 0o600))
	require.NoError(t, os.Chmod(path, mode))
	return path
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}

// alone requires that nothing stands beside the files of the folder of path.
func alone(t *testing.T, path string, files int) {
	t.Helper()
	all, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, all, files)
}

func TestRegularFiles(t *testing.T) {
	t.Parallel()
	fresh := filepath.Join(t.TempDir(), "new.txt")
	require.NoError(t, outfile.Write("--out", fresh, hello))
	require.Equal(t, "hello", read(t, fresh))
	info, err := os.Stat(fresh)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o644), info.Mode().Perm())

	old := put(t, 0o640)
	require.NoError(t, outfile.Write("--out", old, hello))
	require.Equal(t, "hello", read(t, old))
	info, err = os.Stat(old)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), info.Mode().Perm(), "the mode stays")
	alone(t, old, 1)
}

func TestNotWholeIsNotThere(t *testing.T) {
	t.Parallel()
	old, broken := put(t, 0o600), errors.New("broken")
	err := outfile.Write("--out", old, func(w io.Writer) error { return errors.Join(hello(w), broken) })
	require.ErrorIs(t, err, broken)
	require.Equal(t, "before", read(t, old))
	alone(t, old, 1)
	err = outfile.Write("--save", filepath.Join(t.TempDir(), "none", "a.txt"), hello)
	require.ErrorContains(t, err, "a.txt: no such file or directory")
	require.ErrorContains(t, err, "--save ")
	require.ErrorContains(t, outfile.Write("--out", t.TempDir(), hello), "is a directory")
}

func TestLinksAreFollowed(t *testing.T) {
	t.Parallel()
	old := put(t, 0o600)
	link, second := filepath.Join(filepath.Dir(old), "link"), filepath.Join(filepath.Dir(old), "second")
	require.NoError(t, os.Symlink("a.txt", link))
	require.NoError(t, os.Symlink(link, second))
	require.NoError(t, outfile.Write("--out", second, hello))
	require.Equal(t, "hello", read(t, old))
	for _, path := range []string{link, second} {
		info, err := os.Lstat(path)
		require.NoError(t, err)
		require.NotZero(t, info.Mode()&os.ModeSymlink, "%s is a link still", path)
	}
	dangling := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink("new.txt", dangling))
	require.NoError(t, outfile.Write("--out", dangling, hello))
	require.Equal(t, "hello", read(t, filepath.Join(filepath.Dir(dangling), "new.txt")))
	loop := filepath.Join(t.TempDir(), "loop")
	require.NoError(t, os.Symlink("loop", loop))
	require.ErrorContains(t, outfile.Write("--out", loop, hello), "too many levels")
}

func TestFIFO(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "fifo")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(path, link))
	reader, err := os.OpenFile(path, os.O_RDWR, 0) // opened before the writer, which needs no other then
	require.NoError(t, err)
	defer reader.Close()
	for _, to := range []string{path, link} {
		require.NoError(t, outfile.Write("--out", to, hello))
		got := make([]byte, len("hello"))
		_, err := io.ReadFull(reader, got)
		require.NoError(t, err)
		require.Equal(t, "hello", string(got))
		info, err := os.Lstat(path)
		require.NoError(t, err)
		require.NotZero(t, info.Mode()&os.ModeNamedPipe)
	}
}

func TestSocket(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "lb") // names of sockets are short
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "s")
	l, err := net.Listen("unix", path)
	require.NoError(t, err)
	defer l.Close()
	got := make(chan string, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			t.Error(err)
			got <- ""
			return
		}
		b, _ := io.ReadAll(c)
		got <- string(b)
	}()
	require.NoError(t, outfile.Write("--out", path, hello))
	require.Equal(t, "hello", <-got)
	info, err := os.Lstat(path)
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&os.ModeSocket)
}

// TestDevice writes to a device of its own, so that no mistake costs the machine's.
func TestDevice(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "null")
	if err := syscall.Mknod(path, syscall.S_IFCHR|0o666, 1<<8|3); err != nil {
		t.Skipf("only root makes devices: %v", err)
	}
	require.NoError(t, outfile.Write("--out", path, hello))
	info, err := os.Lstat(path)
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&os.ModeCharDevice)
	alone(t, path, 1)
}

// TestStreams: the names of standard output are the stream, redirected or not, after
// what stands there already.
func TestStreams(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	require.NoError(t, err)
	for _, name := range []string{"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"} {
		if _, err := os.Stat(name); err != nil {
			t.Logf("no %s here", name)
			continue
		}
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), asWriter+"="+name)
		out, err := cmd.Output()
		require.NoError(t, err, name)
		require.Equal(t, "hello", string(out), name)

		path := put(t, 0o600)
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		require.NoError(t, err)
		cmd = exec.Command(exe)
		cmd.Env, cmd.Stdout = append(os.Environ(), asWriter+"="+name), f
		require.NoError(t, cmd.Run(), name)
		require.NoError(t, f.Close())
		require.Equal(t, "beforehello", read(t, path), name)
	}
}
