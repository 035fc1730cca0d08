package csv_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/internal/backtesttest"
	report "github.com/ladderback/ladderback/report/csv"
	"github.com/stretchr/testify/require"
)

func TestCSV(t *testing.T) {
	t.Parallel()
	res := backtesttest.Result(12)
	for i := range res.Markets {
		res.Markets[i].Round.Coverage = 412_345 // below 0.9: each trade is marked
	}
	r := backtesttest.Build(t, res, backtest.IncludeFills)
	var out bytes.Buffer
	require.NoError(t, report.Write(&out, r))
	rows, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 1+len(r.Trades))
	for i := range r.Trades {
		item := marshal(t, r.Trades[i])
		names := keys(t, item)
		require.Equal(t, names[:len(names)-1], rows[0], "legs have no column")
		for c, name := range rows[0] {
			require.Equal(t, strings.Trim(string(fields(t, item)[name]), `"`), rows[i+1][c], name)
		}
	}
}

// keys returns the keys of a JSON object in order.
func keys(t *testing.T, object json.RawMessage) []string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(object))
	_, err := d.Token()
	require.NoError(t, err)
	var out []string
	for d.More() {
		k, err := d.Token()
		require.NoError(t, err)
		out = append(out, k.(string))
		var skip json.RawMessage
		require.NoError(t, d.Decode(&skip))
	}
	return out
}

func fields(t *testing.T, object json.RawMessage) map[string]json.RawMessage {
	t.Helper()
	m := map[string]json.RawMessage{}
	require.NoError(t, json.Unmarshal(object, &m))
	return m
}

func marshal(t *testing.T, v any) json.RawMessage {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return b
}
