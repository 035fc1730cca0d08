package parser

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestRealModel asks a real server, where one is configured, for the first
// labelled prompts, and counts. Nothing wrong may come out of it, whatever the
// model is worth:
//
//	LADDERBACK_LLM_BASE_URL=http://127.0.0.1:8000/v1 LADDERBACK_LLM_MODEL=smollm2 LADDERBACK_LLM_TIMEOUT=5m \
//	LADDERBACK_LLM_PROMPTS=20 go test ./parser -run TestRealModel -v -timeout 2h
func TestRealModel(t *testing.T) {
	base := os.Getenv("LADDERBACK_LLM_BASE_URL")
	if base == "" {
		t.Skip("set LADDERBACK_LLM_BASE_URL and LADDERBACK_LLM_MODEL to ask a real server")
	}
	limit, err := time.ParseDuration(env("LADDERBACK_LLM_TIMEOUT", "15s"))
	require.NoError(t, err)
	most, err := strconv.Atoi(env("LADDERBACK_LLM_PROMPTS", "20"))
	require.NoError(t, err)
	outcomes := map[string]int{}
	m, err := NewModel(ModelConfig{
		BaseURL: base, Key: os.Getenv("LADDERBACK_LLM_API_KEY"), Model: env("LADDERBACK_LLM_MODEL", "model"), Timeout: limit,
		Format: AnswerFormat(os.Getenv("LADDERBACK_LLM_FORMAT")), MaxTokens: 400, BreakerFailures: 1 << 30, Observe: func(c ModelCall) {
			outcomes[c.Outcome]++
			t.Logf("%s: %d requests, %d + %d tokens, %s", c.Outcome, c.Requests, c.PromptTokens, c.CompletionTokens, c.Took.Round(time.Millisecond))
		},
	})
	require.NoError(t, err)
	prompts := readLabelled(t, env("LADDERBACK_PROMPTS", filepath.Join("testdata", "prompts.jsonl")))
	var count tally
	wrong := 0
	for i := range prompts[:min(most, len(prompts))] {
		res, _ := Parse(t.Context(), m, prompts[i].Prompt, Overrides{})
		if count.count(t, &prompts[i], res) {
			wrong++
		}
		if res != nil {
			t.Logf("%s: %s %s", prompts[i].ID, res.Source, res.Note)
		}
	}
	t.Logf("%+v, outcomes %v", count, outcomes)
	require.Zero(t, wrong, "strategies of the model that are not right")
}

// env returns an environment variable, or something else where it is not set.
func env(name, otherwise string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return otherwise
}
