//go:build unix

package pgtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Server is a PostgreSQL that a test has to itself, to be killed.
type Server struct {
	t    testing.TB
	bin  string // folder of the programs
	Dir  string // a folder that the server may write to
	Port int
	cred *syscall.Credential // nil: as this user
	cmd  *exec.Cmd
}

// BinEnv names the variable with the folder of a server's programs; not set: the
// newest that Debian installed, else those in the path.
const BinEnv = "LADDERBACK_TEST_POSTGRES_BIN"

// EmptyEnv names the variable with the data of a new server of those programs, to be copied;
// not set: they are made anew each time, which takes ten times as long.
const EmptyEnv = "LADDERBACK_TEST_POSTGRES_EMPTY"

// NewServer starts a server that ends with the test. Without the programs of a
// server the test is skipped, but fails where $CI is set.
func NewServer(t testing.TB) *Server {
	t.Helper()
	bins, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	require.NoError(t, err)
	if dir := os.Getenv(BinEnv); dir != "" {
		bins = []string{filepath.Join(dir, "initdb")}
	}
	if path, err := exec.LookPath("initdb"); len(bins) == 0 && err == nil {
		bins = []string{path}
	}
	if len(bins) == 0 {
		if os.Getenv("CI") != "" {
			t.Fatal("no initdb: CI needs a PostgreSQL")
		}
		t.Skip("no PostgreSQL on this machine (initdb)")
	}
	slices.Sort(bins)
	s := &Server{t: t, bin: filepath.Dir(bins[len(bins)-1])}
	s.Dir, err = os.MkdirTemp("", "ladderback-pg-*")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(s.Dir) })
	s.cred = credential(t, s.Dir)
	creation := s.command("initdb", "-D", s.data(), "-U", "ladderback", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8")
	if empty := os.Getenv(EmptyEnv); empty != "" && os.Getenv(BinEnv) == "" {
		creation = exec.Command("cp", "-a", empty, s.data())
	}
	out, err := creation.CombinedOutput()
	require.NoError(t, err, string(out))
	s.Port = freePort(t)
	s.Start()
	t.Cleanup(s.Kill)
	return s
}

func (s *Server) data() string { return filepath.Join(s.Dir, "data") }

func (s *Server) command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, program), args...)
	cmd.Dir = s.Dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.cred}
	return cmd
}

// Start starts the server and waits until it answers.
func (s *Server) Start() {
	s.t.Helper()
	s.cmd = s.command("postgres", "-D", s.data(), "-p", strconv.Itoa(s.Port), "-c", "listen_addresses=127.0.0.1",
		"-c", "unix_socket_directories=", "-c", "fsync=off", "-c", "shared_buffers=16MB", "-c", "max_connections=300")
	require.NoError(s.t, s.cmd.Start())
	require.Eventually(s.t, func() bool { return answers(s.Address("postgres")) }, 30*time.Second, 50*time.Millisecond, "the server does not start")
}

// Kill ends the server as a crash does: no query and no connection is finished.
func (s *Server) Kill() {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Signal(syscall.SIGQUIT)
	_ = s.cmd.Wait() // it was killed
	s.cmd = nil
}

// Address returns the address of a database of the server.
func (s *Server) Address(database string) string {
	return fmt.Sprintf("postgres://ladderback@127.0.0.1:%d/%s?sslmode=disable", s.Port, database)
}

// Owner returns the user and the group that the server runs as.
func (s *Server) Owner() (uid, gid int) {
	if s.cred == nil {
		return os.Getuid(), os.Getgid()
	}
	return int(s.cred.Uid), int(s.cred.Gid)
}
