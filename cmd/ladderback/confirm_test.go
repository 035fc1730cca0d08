package main

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/llmtest"
)

// nearlyRead is a prompt with words that hold nothing and are not understood.
const nearlyRead = "buy up below 40c my dude, all glory to the hypnotoad zorg"

// TestConfirm asks on a terminal alone whether a prompt that is nearly read counts as what
// is read of it; without one only --accept says so.
func TestConfirm(t *testing.T) {
	t.Parallel()
	ask := func(terminal bool, answer string, args ...string) result {
		var out, errs bytes.Buffer
		a := &cli{in: strings.NewReader(answer), out: &out, err: &errs, asks: terminal, width: 100, getenv: func(string) string { return "" }}
		return result{a.run(t.Context(), append([]string{"parse", nearlyRead}, args...)), out.String(), errs.String()}
	}
	const read, left = "Buy Up on BTC 15m markets when Up's price is below 40c.", `"glory to the hypnotoad zorg"`
	for _, answer := range []string{"y\n", "YES\n"} {
		r := ask(true, answer)
		require.Equal(t, exitDone, r.code, r.err)
		require.Contains(t, r.err, "Nearly read: "+read)
		require.Contains(t, r.err, "left out: "+left)
		require.Contains(t, r.err, "Read it so? [y/N]")
		require.Contains(t, r.out, read)
	}
	for _, answer := range []string{"", "\n", "n\n", "yeah\n"} {
		r := ask(true, answer)
		require.Equal(t, exitUsage, r.code)
		require.Empty(t, r.out)
		require.Contains(t, r.err, "This can be read: buy up below 40c my dude, all")
	}
	r := ask(true, "n\n", "--quiet") // what is asked is said
	require.Contains(t, r.err, "Nearly read: "+read)

	for _, args := range [][]string{nil, {"--json"}} { // no terminal: not even a yes that waits to be read
		r := ask(false, "y\n", args...)
		require.Equal(t, exitUsage, r.code)
		require.NotContains(t, r.err, "[y/N]")
	}
	r = ask(true, "y\n", "--json")
	require.Equal(t, exitUsage, r.code)
	require.NotContains(t, r.err, "[y/N]")
	var refused struct {
		Error      string
		Suggestion string
		Confirm    struct {
			Summary string
			LeftOut []struct {
				Start, End int
				Text       string
			} `json:"left_out"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(r.out), &refused))
	require.Equal(t, "bad_request", refused.Error)
	require.Contains(t, refused.Confirm.Summary, read)
	require.Len(t, refused.Confirm.LeftOut, 1)
	require.Equal(t, refused.Confirm.LeftOut[0].Text, nearlyRead[refused.Confirm.LeftOut[0].Start:refused.Confirm.LeftOut[0].End])

	r = ask(false, "", "--accept", "--json")
	require.Equal(t, exitDone, r.code, r.err)
	var taken struct {
		Parse struct {
			Summary string
			Ignored []struct{ Text string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(r.out), &taken))
	require.Contains(t, taken.Parse.Summary, read)
	require.Len(t, taken.Parse.Ignored, 1)
	require.Contains(t, r.err, "Nearly read: "+read)

	// --accept takes nothing else: a refusal stays one, and so do two readings.
	for _, prompt := range []string{"buy up below 35%", "buy up if it trades up to 65c"} {
		r = ladderback(t, "parse", "--accept", prompt)
		require.Equal(t, exitUsage, r.code, prompt)
		require.Empty(t, r.out)
	}
	require.Equal(t, 2, strings.Count(r.err, "Either: "))
	require.Equal(t, exitUsage, ladderback(t, "parse", "--accept", "--batch", "-").code) // it would heed it nowhere
}

// TestConfirmRuns takes a prompt that is nearly read into a backtest and a sweep.
func TestConfirmRuns(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"backtest", nearlyRead, "--sample", "2", "--json"},
		{"sweep", nearlyRead, "--sample", "2", "--vary", "entry.0.threshold=0.4,0.45", "--json"},
	} {
		r := withDemo(t, args...)
		require.Equal(t, exitUsage, r.code, r.err)
		r = withDemo(t, append(args, "--accept")...)
		require.Equal(t, exitDone, r.code, r.err)
	}
}

// TestConfirmModel offers what only a language model has read, and says so.
func TestConfirmModel(t *testing.T) {
	t.Parallel()
	answer := ladderback(t, "parse", "Buy Up on BTC 15m at 35c or less", "--json")
	var body struct{ Strategy json.RawMessage }
	require.NoError(t, json.Unmarshal([]byte(answer.out), &body))
	server := httptest.NewServer(&llmtest.Server{Fallback: string(body.Strategy)})
	defer server.Close()
	env := map[string]string{"LADDERBACK_LLM_BASE_URL": server.URL, "LADDERBACK_LLM_MODEL": "test"}
	prompt := "Buy Up on BTC 15m at around 35c or less"
	r := runWith(t, t.Context(), env, "", "parse", prompt)
	require.Equal(t, exitUsage, r.code)
	require.Contains(t, r.err, `only the language model has read "at around"`)
	r = runWith(t, t.Context(), env, "", "parse", "--accept", prompt)
	require.Equal(t, exitDone, r.code, r.err)
	require.Contains(t, r.err, "read by the language model alone: entry.0")
	require.Contains(t, r.out, "at most 35c")
}
