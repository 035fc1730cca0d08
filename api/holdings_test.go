package api_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest"
)

// TestArchive: what the archive has adds up to its lists, by category and by day.
func TestArchive(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	a := w.do(t, request{path: "/v1/archive"})
	require.Equal(t, http.StatusOK, a.status)
	var got struct {
		Count int
		Data  []struct {
			Category, Watermark         string
			Markets, Resolved, Captured int
			Captures                    int64
			FirstDay                    string `json:"first_day"`
			LastDay                     string `json:"last_day"`
			Simulated                   bool
			Days                        []struct {
				Day                         string
				Markets, Resolved, Captured int
				Captures                    int64
				Coverage                    float64
			}
		}
	}
	require.NoError(t, json.Unmarshal(a.body, &got))
	require.Equal(t, 2, got.Count)
	for _, c := range got.Data {
		var list struct {
			Data []struct{ Status string }
		}
		require.NoError(t, json.Unmarshal(w.do(t, request{path: "/v1/markets?include_closed=true&limit=1000&category=" + c.Category}).body, &list))
		resolved := 0
		for _, m := range list.Data {
			if m.Status == "resolved" {
				resolved++
			}
		}
		require.Equal(t, resolved, c.Resolved, c.Category)
		require.Equal(t, c.Category == "crypto", c.Simulated)
		require.Equal(t, c.FirstDay, c.Days[0].Day)
		require.Equal(t, c.LastDay, c.Days[len(c.Days)-1].Day)
		markets, captures := 0, int64(0)
		for i, d := range c.Days {
			markets, captures = markets+d.Markets, captures+d.Captures
			require.True(t, i == 0 || c.Days[i-1].Day < d.Day)
			require.True(t, d.Coverage >= 0 && d.Coverage <= 1)
			require.LessOrEqual(t, d.Captured, d.Markets)
		}
		require.Equal(t, c.Markets, markets)
		require.Equal(t, c.Captures, captures)
		require.LessOrEqual(t, markets, len(list.Data), "those without a start are on no day")
	}
	require.NotContains(t, string(a.body), `"rounds"`, "what takes a look at every round is asked for")
	var with struct{ Rounds []backtest.Holding }
	require.NoError(t, json.Unmarshal(w.do(t, request{path: "/v1/archive?rounds=true"}).body, &with))
	want, err := backtest.Available(t.Context(), w.archive)
	require.NoError(t, err)
	require.NotEmpty(t, want)
	require.Equal(t, want, with.Rounds)
	one := w.do(t, request{path: "/v1/archive?category=sports"})
	require.NoError(t, json.Unmarshal(one.body, &got))
	require.Equal(t, 1, got.Count)
	require.Equal(t, http.StatusUnprocessableEntity, w.do(t, request{path: "/v1/archive?category=golf"}).status)
	require.Equal(t, http.StatusUnauthorized, w.do(t, request{path: "/v1/archive", plan: "-"}).status)
}
