//go:build unix

package pgtest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// Bouncer starts a pgbouncer in transaction mode in front of the server of a
// database and returns the database's address through it. To each database it
// makes at most pool connections. It ends with the test. Without the program the
// test is skipped, but fails where $CI is set.
func Bouncer(t testing.TB, addr string, pool int) string {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		program = "/usr/sbin/pgbouncer" // in no $PATH but root's
	}
	if _, err := os.Stat(program); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("no pgbouncer: CI needs one (apt-get install pgbouncer)")
		}
		t.Skip("no pgbouncer on this machine (apt-get install pgbouncer)")
	}
	u, err := url.Parse(addr)
	require.NoError(t, err)
	dir, err := os.MkdirTemp("", "ladderback-bouncer-*")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	cred := credential(t, dir)
	port := freePort(t)
	server := "host=" + cmp.Or(u.Query().Get("host"), u.Hostname())
	if p := cmp.Or(u.Query().Get("port"), u.Port()); p != "" {
		server += " port=" + p
	}
	if password, ok := u.User.Password(); ok {
		server += " password=" + password
	}
	name := strings.TrimPrefix(u.Path, "/")
	config := filepath.Join(dir, "pgbouncer.ini")
	require.NoError(t, os.WriteFile(config, fmt.Appendf(nil, `[databases]
%s = %s user=%s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = %d
max_client_conn = 500
`, name, server, u.User.Username(), port, pool), 0o644))
	var log bytes.Buffer
	cmd := exec.Command(program, config)
	cmd.Stdout, cmd.Stderr, cmd.Dir = &log, &log, dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: cred}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // at once
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("pgbouncer: %s", log.Bytes()[max(0, log.Len()-4000):])
		}
	})
	out := fmt.Sprintf("postgres://%s@127.0.0.1:%d/%s?sslmode=disable", u.User.Username(), port, name)
	require.Eventually(t, func() bool { return answers(out) }, 30*time.Second, 50*time.Millisecond, "pgbouncer does not start")
	return out
}

// answers reports whether a server can be asked at the address.
func answers(addr string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, addr)
	return err == nil && conn.Close(ctx) == nil
}

// credential returns whom a server runs as that refuses to run as root, and
// gives the folder to them; nil: this user, who is not root.
func credential(t testing.TB, dir string) *syscall.Credential {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		t.Skipf("no user that a server may run as: %v", err)
	}
	uid, err := strconv.Atoi(u.Uid)
	require.NoError(t, err)
	gid, err := strconv.Atoi(u.Gid)
	require.NoError(t, err)
	require.NoError(t, os.Chown(dir, uid, gid))
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

// freePort returns a port that nothing listens on.
func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
