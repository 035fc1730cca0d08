// Command cmd runs the misbehaving chat server by hand, for trying a client
// against it:
//
//	go run ./internal/llmtest/cmd --addr 127.0.0.1:9999 --script rate_limited,correct --answers prompts.jsonl
//	LADDERBACK_LLM_BASE_URL=http://127.0.0.1:9999/v1 LADDERBACK_LLM_MODEL=test ladderback parse "…"
//
// Each line of --answers is {"prompt": "…", "expect": {"strategy": {…}}} or
// {"prompt": "…", "strategy": {…}}; a prompt that is not there gets a strategy
// that buys Up on BTC 15m at the start. Every request is printed.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/ladderback/ladderback/internal/llmtest"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "llmtest:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("llmtest", flag.ContinueOnError)
	addr := flags.String("addr", "127.0.0.1:9999", "address to listen on")
	script := flags.String("script", "correct", "what the first, second, … request gets, the last one for ever after; of "+names())
	answers := flags.String("answers", "", "file of JSON lines with prompts and their strategies")
	retry := flags.String("retry-after", "1", "Retry-After of rate_limited and overloaded, in seconds")
	if err := flags.Parse(args); err != nil {
		return err
	}
	server := &llmtest.Server{RetryAfter: *retry}
	for name := range strings.SplitSeq(*script, ",") {
		b := llmtest.Behaviour(strings.TrimSpace(name))
		if !slices.Contains(llmtest.Behaviours(), b) {
			return fmt.Errorf("--script: %q is not a behaviour: expected one of %s", name, names())
		}
		server.Script = append(server.Script, b)
	}
	if *answers != "" {
		known, err := readAnswers(*answers)
		if err != nil {
			return fmt.Errorf("--answers: %w", err)
		}
		server.Answers = known
	}
	return serve(*addr, server, out)
}

func serve(addr string, server *llmtest.Server, out io.Writer) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	web := &http.Server{Addr: addr, ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		server.ServeHTTP(w, r)
		all := server.Requests()
		if len(all) == 0 {
			return
		}
		last := all[len(all)-1]
		prompt := ""
		for _, m := range last.Chat.Messages {
			if m.Role == "user" {
				prompt = m.Content
			}
		}
		fmt.Fprintf(out, "%d %s model=%s bytes=%d %q\n", len(all), last.Given, last.Chat.Model, len(last.Body), prompt)
	})}
	go func() {
		<-ctx.Done()
		_ = web.Close()
	}()
	fmt.Fprintf(out, "listening: base address http://%s/v1\n", addr)
	if err := web.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func names() string {
	var list []string
	for _, b := range llmtest.Behaviours() {
		list = append(list, string(b))
	}
	return strings.Join(list, ", ")
}

func readAnswers(path string) (map[string]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	out := map[string]string{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var line struct {
			Prompt   string          `json:"prompt"`
			Strategy json.RawMessage `json:"strategy"`
			Expect   struct {
				Strategy json.RawMessage `json:"strategy"`
			} `json:"expect"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		switch {
		case line.Strategy != nil:
			out[line.Prompt] = string(line.Strategy)
		case line.Expect.Strategy != nil:
			out[line.Prompt] = string(line.Expect.Strategy)
		}
	}
	return out, lines.Err()
}
