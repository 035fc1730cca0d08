//go:build unix

package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/identity"
)

// process is a server in a process of its own.
type process struct {
	t       testing.TB
	cmd     *exec.Cmd
	out     syncBuffer
	log     syncBuffer
	base    string // address of the API, with its scheme
	metrics string // address of the metrics; empty: none
	ended   chan struct{}
	err     error // after ended: how it ended
}

// begin starts the program, with environment variables as "NAME=value".
func begin(t testing.TB, env []string, args ...string) *process {
	t.Helper()
	return beginReading(t, nil, env, args...)
}

// beginReading is begin with something on standard input.
func beginReading(t testing.TB, in io.Reader, env []string, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(os.Args[0], args...), ended: make(chan struct{})}
	p.cmd.Env = append([]string{asProgram + "=1", "HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}, env...)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = in, &p.out, &p.log
	require.NoError(t, p.cmd.Start())
	go func() {
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill() // mostly it has ended
		<-p.ended
	})
	return p
}

var (
	servingOn = regexp.MustCompile(`Serving \S+ on (https?://[0-9.:]+)`)
	metricsOn = regexp.MustCompile(`Metrics on (http://[0-9.:]+/metrics)`)
)

// serve starts a server on a free port, with metrics.
func serve(t testing.TB, env []string, args ...string) *process {
	t.Helper()
	p := begin(t, env, append([]string{"serve", "--addr", "127.0.0.1:0", "--metrics-addr", "127.0.0.1:0"}, args...)...)
	require.Eventually(t, func() bool {
		select {
		case <-p.ended:
			return true
		default:
			return metricsOn.MatchString(p.log.String())
		}
	}, 60*time.Second, 5*time.Millisecond)
	text := p.log.String()
	require.Regexp(t, metricsOn, text, "the server did not start")
	p.base, p.metrics = servingOn.FindStringSubmatch(text)[1], metricsOn.FindStringSubmatch(text)[1]
	return p
}

// addr returns the address of the API without its scheme.
func (p *process) addr() string {
	_, addr, _ := strings.Cut(p.base, "://")
	return addr
}

// stop sends a signal and waits for the end; it returns the exit code.
func (p *process) stop(s syscall.Signal) int {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Signal(s))
	select {
	case <-p.ended:
	case <-time.After(time.Minute):
		p.t.Fatalf("did not stop: %s", p.log.String())
	}
	return p.cmd.ProcessState.ExitCode()
}

// get sends a GET with a key on a connection of its own.
func (p *process) get(path, key string) (*http.Response, []byte) {
	p.t.Helper()
	return p.send(http.MethodGet, path, http.Header{"Authorization": {"Bearer " + key}}, "")
}

func (p *process) send(method, path string, h http.Header, body string) (*http.Response, []byte) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, p.base+path, strings.NewReader(body))
	require.NoError(p.t, err)
	for name, values := range h {
		r.Header[http.CanonicalHeaderKey(name)] = values
	}
	r.Close = true
	c := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
	resp, err := c.Do(r)
	require.NoError(p.t, err, "%s %s: %s", method, path, p.log.String())
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(p.t, err)
	return resp, text
}

// metric returns the value of one series of the metrics; -1: it is not there.
func (p *process) metric(series string) float64 {
	p.t.Helper()
	for line := range strings.Lines(p.scrape()) {
		if rest, ok := strings.CutPrefix(line, series+" "); ok {
			v, err := strconv.ParseFloat(strings.TrimSpace(rest), 64)
			require.NoError(p.t, err)
			return v
		}
	}
	return -1
}

func (p *process) scrape() string {
	p.t.Helper()
	resp, err := http.Get(p.metrics)
	require.NoError(p.t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(p.t, err)
	return string(text)
}

// peak returns the most memory that the process ever had, in bytes; on a system
// that does not tell the test is skipped.
func (p *process) peak() int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		p.t.Skip("the system does not tell how much memory a process takes")
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, err := strconv.Atoi(strings.Fields(rest)[0])
			require.NoError(p.t, err)
			return kb << 10
		}
	}
	p.t.Fatal("no VmHWM")
	return 0
}

// dial opens a connection to the API; with small, one that takes in next to
// nothing that is not read.
func (p *process) dial(small bool) net.Conn {
	p.t.Helper()
	d := net.Dialer{Timeout: time.Minute}
	if small {
		d.Control = func(_, _ string, c syscall.RawConn) error {
			var set error
			err := c.Control(func(fd uintptr) { set = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 2048) })
			return errorsJoin(err, set)
		}
	}
	c, err := d.Dial("tcp", p.addr())
	require.NoError(p.t, err)
	p.t.Cleanup(func() { _ = c.Close() })
	return c
}

// written sends text on a connection of its own and returns the answer.
func (p *process) written(text string) (*http.Response, []byte) {
	p.t.Helper()
	c := p.dial(false)
	require.NoError(p.t, c.SetDeadline(time.Now().Add(time.Minute)))
	go func() { _, _ = io.WriteString(c, text) }() // the server may answer before the end
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	require.NoError(p.t, err)
	body, err := io.ReadAll(resp.Body)
	require.NoError(p.t, err)
	return resp, body
}

// newKeys makes a file of keys, with a key of each plan.
func newKeys(t testing.TB, plans ...string) (path string, keys map[string]string) {
	t.Helper()
	path, keys = filepath.Join(t.TempDir(), "keys.db"), map[string]string{}
	for _, plan := range plans {
		keys[plan] = newKey(t, path, plan)
	}
	return path, keys
}

// newKey makes a key of a plan, with further flags.
func newKey(t testing.TB, accessAddr, plan string, flags ...string) string {
	t.Helper()
	r := ladderback(t, append([]string{"keys", "create", "--plan", plan, "--access", accessAddr}, flags...)...)
	require.Equal(t, exitDone, r.code, r.err)
	key := regexp.MustCompile(identity.Prefix + `[0-9A-Za-z]+`).FindString(r.out)
	require.NotEmpty(t, key, r.out)
	return key
}
