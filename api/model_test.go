package api_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/api"
	"github.com/ladderback/ladderback/internal/llmtest"
	"github.com/ladderback/ladderback/parser"
)

// TestSource: a prompt that the language model read says llm and has no note;
// one whose answer did not count, or that no model was asked about, says rules
// and why. What may not be asked is not shown to the model.
func TestSource(t *testing.T) {
	t.Parallel()
	const prompt = "Buy BTC 5m Up when the price is below 0.45, take profit at 0.7"
	const answer = `{"market":{"coin":"BTC","market_type":"5m"},"side":"up","entry":[{"type":"price","token":"up","comparator":"lt","threshold":0.45,"within_seconds":null}],` +
		`"exit":{"take_profit":0.7,"stop_loss":null,"hold_to_expiry":true},"budget_per_trade":100,"sample_size":50}`
	asked := 0
	for behaviour, source := range map[llmtest.Behaviour]string{
		llmtest.Correct: "llm", llmtest.MissingField: "rules", llmtest.Cut: "rules", llmtest.Hallucinated: "rules", llmtest.ServerError: "rules", llmtest.Silent: "rules", "": "rules",
	} {
		var model *parser.Model
		if behaviour != "" {
			chat := &llmtest.Server{Script: []llmtest.Behaviour{behaviour}, Answers: map[string]string{prompt: answer}}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked++
				chat.ServeHTTP(w, r)
			}))
			t.Cleanup(server.Close)
			limit := time.Minute // far more than a busy machine needs
			if behaviour == llmtest.Silent {
				limit = 500 * time.Millisecond
			}
			var err error
			model, err = parser.NewModel(parser.ModelConfig{BaseURL: server.URL + "/v1", Model: "test", Timeout: limit, Backoff: time.Millisecond})
			require.NoError(t, err)
		}
		w := newWorld(t, func(c *api.Config) { c.Model = model })
		for _, path := range []string{"/v1/ai/parse", backtestPath} {
			var got struct {
				Prompt   string
				Source   string
				Note     *string
				Strategy json.RawMessage
				Parse    struct {
					Model *struct{ Name string }
				}
			}
			a := w.do(t, request{method: http.MethodPost, path: path, plan: "pro", body: `{"prompt":"` + prompt + `"}`})
			a.json(t, &got)
			require.Equal(t, source, got.Source, behaviour)
			require.Equal(t, prompt, got.Prompt)
			require.JSONEq(t, answer, string(got.Strategy), behaviour)
			if source == "llm" {
				require.Nil(t, got.Note)
				require.Equal(t, "test", got.Parse.Model.Name)
			} else {
				require.NotNil(t, got.Note, behaviour)
				require.Contains(t, *got.Note, "rules")
			}
			if path == "/v1/ai/parse" {
				before := asked
				a = w.do(t, request{method: http.MethodPost, path: path, plan: "starter", body: `{"prompt":"` + prompt + `"}`})
				a.json(t, &got)
				require.Equal(t, "rules", got.Source, "the model is for plans with backtests")
				require.Equal(t, before, asked)
			}
		}
		asked = 0
		for _, outside := range []string{"Buy BTC 5m Up below 45%", "Buy BTC 5m Up when RSI is below 30", "Buy Up if bitcoin is above 100k"} {
			w.do(t, post(`{"prompt":"`+outside+`"}`)).fails(t, 400, "unsupported_signal")
		}
		require.Zero(t, asked)
	}
}

// TestRefusalToConfirm: a prompt that is nearly read is refused with what it says, by the
// rules or by a model; sent back, the suggestion is the strategy of confirm. One with two
// readings comes with both.
func TestRefusalToConfirm(t *testing.T) {
	t.Parallel()
	const answer = `{"market":{"coin":"BTC","market_type":"15m"},"side":"up","entry":[{"type":"price","token":"up","comparator":"lte","threshold":0.35,"within_seconds":null}],` +
		`"exit":{"take_profit":null,"stop_loss":null,"hold_to_expiry":true},"budget_per_trade":100,"sample_size":50}`
	server := httptest.NewServer(&llmtest.Server{Fallback: answer})
	t.Cleanup(server.Close)
	model, err := parser.NewModel(parser.ModelConfig{BaseURL: server.URL + "/v1", Model: "test", Timeout: time.Minute})
	require.NoError(t, err)
	w := newWorld(t, func(c *api.Config) { c.Model = model })
	type offered struct {
		Strategy json.RawMessage
		Summary  string
		Alone    []string `json:"read_by_model_alone"`
		LeftOut  []struct {
			Start, End int
			Text       string
		} `json:"left_out"`
	}
	refused := func(prompt, body string) (suggestion string, confirm *offered, choices []offered) {
		for _, path := range []string{"/v1/ai/parse", backtestPath, "/v1/ai/backtests"} {
			var e struct {
				Suggestion string
				Confirm    *offered
				Choices    []offered
			}
			a := w.do(t, request{method: http.MethodPost, path: path, plan: "pro", body: `{"prompt":"` + prompt + `"` + body + `}`})
			a.fails(t, 400, "bad_request")
			require.NoError(t, json.Unmarshal(a.body, &e))
			suggestion, confirm, choices = e.Suggestion, e.Confirm, e.Choices
			if body != "" {
				break
			}
		}
		return suggestion, confirm, choices
	}
	for prompt, want := range map[string]struct {
		left  string
		alone []string
	}{
		"buy up below 40c my dude, all glory to the hypnotoad zorg": {left: "glory to the hypnotoad zorg"},
		"Buy Up on BTC 15m at around 35c or less":                   {"at around", []string{"entry.0"}},
	} {
		suggestion, confirm, choices := refused(prompt, "")
		require.NotNil(t, confirm, prompt)
		require.Empty(t, choices)
		require.Equal(t, want.alone, confirm.Alone)
		require.Len(t, confirm.LeftOut, 1)
		require.Equal(t, want.left, confirm.LeftOut[0].Text)
		require.Equal(t, want.left, prompt[confirm.LeftOut[0].Start:confirm.LeftOut[0].End])
		var read struct {
			Strategy json.RawMessage
			Parse    struct{ Summary string }
		}
		w.do(t, request{method: http.MethodPost, path: "/v1/ai/parse", plan: "pro", body: `{"prompt":"` + suggestion + `","parser":"rules"}`}).json(t, &read)
		require.JSONEq(t, string(read.Strategy), string(confirm.Strategy))
		require.Equal(t, read.Parse.Summary, confirm.Summary)
	}
	_, confirm, choices := refused("buy up if it trades up to 65c", `,"parser":"rules"`)
	require.Nil(t, confirm)
	require.Len(t, choices, 2)
	require.NotEqual(t, choices[0].Summary, choices[1].Summary)
}
