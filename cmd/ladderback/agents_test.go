package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// TestAgentsPage replays the transcript of the page on agents over the demo archive, as a
// client of `ladderback mcp`: each line that begins with > is a call of a tool, and what
// stands below it is the text of its answer.
func TestAgentsPage(t *testing.T) {
	t.Parallel()
	const path = "../../docs/agents.md"
	page, err := os.ReadFile(path)
	require.NoError(t, err)
	cache, err := demoCache()
	require.NoError(t, err)

	in, asks := io.Pipe()
	answers, out := io.Pipe()
	var errs bytes.Buffer
	a := &cli{in: in, out: out, err: &errs, width: 100, getenv: func(name string) string {
		return map[string]string{"LADDERBACK_CACHE": cache}[name]
	}}
	ended := make(chan int, 1)
	go func() { ended <- a.run(t.Context(), []string{"mcp"}) }()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &sdk.IOTransport{Reader: answers, Writer: asks}, nil)
	require.NoError(t, err)

	const begin, end = "```text\n> find_markets", "\n```"
	before, rest, ok := strings.Cut(string(page), begin)
	require.True(t, ok)
	was, after, ok := strings.Cut(rest, end)
	require.True(t, ok)
	ids := map[string]string{} // as shown → of this run
	shown := regexp.MustCompile(`\b(run|sweep)_[A-Za-z0-9]{6,}\b`)
	var got strings.Builder
	calls := 0
	for line := range strings.Lines("> find_markets" + was + "\n") {
		call, ok := strings.CutPrefix(line, "> ")
		if !ok {
			continue
		}
		calls++
		name, arguments, _ := strings.Cut(strings.TrimSpace(call), " ")
		for id, own := range ids {
			arguments = strings.ReplaceAll(arguments, `"`+id+`"`, `"`+own+`"`)
		}
		r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
		require.NoError(t, err, call)
		text := r.Content[0].(*sdk.TextContent).Text
		for _, own := range shown.FindAllString(text, -1) {
			id := "run_A"
			if strings.HasPrefix(own, "sweep_") {
				id = "sweep_A"
			}
			ids[id] = own
			text = strings.ReplaceAll(text, own, id)
		}
		if calls > 1 {
			got.WriteByte('\n')
		}
		got.WriteString("> " + call + strings.TrimSpace(text) + "\n")
	}
	require.NoError(t, session.Close())
	require.Equal(t, exitDone, <-ended, errs.String())
	require.GreaterOrEqual(t, calls, 5)
	written := before + "```text\n" + strings.TrimSuffix(got.String(), "\n") + end + after
	if *updateReadme {
		require.NoError(t, os.WriteFile(path, []byte(written), 0o644))
		return
	}
	require.Equal(t, string(page), written, "go test ./cmd/ladderback -run AgentsPage -update-readme writes it")
}

// TestSkill holds that the command prints the skill, and that the entry for registries
// names this version and a command that there is.
func TestSkill(t *testing.T) {
	t.Parallel()
	r := runWith(t, t.Context(), nil, "", "skill")
	require.Equal(t, exitDone, r.code, r.err)
	require.True(t, strings.HasPrefix(r.out, "---\nname: ladderback\n"))

	text, err := os.ReadFile("../../server.json")
	require.NoError(t, err)
	var entry struct {
		Version     string
		Description string
		Packages    []struct {
			Version          string
			PackageArguments []struct{ Type, Name, Value string }
		}
	}
	require.NoError(t, json.Unmarshal(text, &entry))
	require.Equal(t, version, entry.Version)
	require.LessOrEqual(t, len(entry.Description), 100, "registries take no more")
	help := runWith(t, t.Context(), nil, "", entry.Packages[0].PackageArguments[0].Value, "--help")
	require.Equal(t, exitDone, help.code)
	for _, p := range entry.Packages {
		require.Equal(t, version, p.Version)
		for _, one := range p.PackageArguments[1:] {
			require.Contains(t, help.out, one.Name)
		}
	}
}
