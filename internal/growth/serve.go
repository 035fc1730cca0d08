package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sync/errgroup"
)

// asking asks a server: method, path, body.
type asking func(method, path, body string) error

// serve starts a server over an archive and returns what it takes to be asked.
func (t *table) serve(ctx context.Context, bin, address string, asks func(asking) (times int, err error)) (cost, error) {
	dir, err := os.MkdirTemp("", "growth-")
	if err != nil {
		return cost{}, err
	}
	defer os.RemoveAll(dir)
	cmd := exec.CommandContext(ctx, bin, "serve", "--archive", address, "--access", dir+"/access.db", "--addr", "127.0.0.1:0", "--metrics-addr", "none", "--local-key")
	says, err := cmd.StderrPipe()
	if err != nil {
		return cost{}, err
	}
	gives, err := cmd.StdoutPipe()
	if err != nil {
		return cost{}, err
	}
	if err := cmd.Start(); err != nil {
		return cost{}, err
	}
	defer func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	}()
	key, err := bufio.NewReader(gives).ReadString('\n')
	if err != nil {
		return cost{}, fmt.Errorf("%s serve gave no key: %w", bin, err)
	}
	lines, url := bufio.NewScanner(says), ""
	for found := regexp.MustCompile(`http://[0-9.:]+`); url == "" && lines.Scan(); {
		url = found.FindString(lines.Text())
	}
	if err := lines.Err(); err != nil || url == "" {
		return cost{}, fmt.Errorf("%s serve gave no address: %w", bin, cmp.Or(err, io.ErrUnexpectedEOF))
	}
	go func() { _, _ = io.Copy(io.Discard, says) }()
	ask := func(method, path, body string) error {
		r, err := http.NewRequestWithContext(ctx, method, url+path, strings.NewReader(body))
		if err != nil {
			return err
		}
		r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(key))
		r.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err == nil && answer.StatusCode != http.StatusOK {
			err = fmt.Errorf("%s %s: %s: %s", method, path, answer.Status, text)
		}
		return err
	}
	pid := strconv.Itoa(cmd.Process.Pid)
	used := func() float64 { return seconds(pid, 2) + t.used() }
	before := used()
	times, err := asks(ask)
	return cost{seconds: (used() - before) / float64(times), bytes: held(cmd.Process.Pid)}, err
}

func (t *table) askArchive(ask asking) (int, error) {
	const times = 100
	for range times {
		if err := ask(http.MethodGet, "/v1/archive", ""); err != nil {
			return 1, err
		}
	}
	return times, nil
}

func (t *table) askBacktests(ask asking) (int, error) {
	var g errgroup.Group
	for i := range 8 {
		kind, sampling := [2]string{oneSeries, anySeries}[i%2], [2]string{"recent", "random"}[i/2%2]
		g.Go(func() error {
			return ask(http.MethodPost, "/v1/ai/backtest", fmt.Sprintf(`{"strategy":%s,"options":{"sampling":%q}}`, strategy(kind, 10+i), sampling))
		})
	}
	return 1, g.Wait()
}
