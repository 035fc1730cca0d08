package ingest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/ingest"
	"github.com/ladderback/ladderback/archive/store"
)

// TestLongFirstLine: a line may have 16 MiB, the first one too.
func TestLongFirstLine(t *testing.T) {
	t.Parallel()
	a := describedArchive(t)
	line := strings.Replace(book(up, 1, "0.4"), `"recv"`, `"note":"`+strings.Repeat("x", 3<<20)+`","recv"`, 1)
	res := run(t, a, ingest.Options{Paths: []string{write(t, "log", []byte(line)), write(t, "log.gz", gz(line+book(up, 2, "0.41")))}})
	require.Empty(t, res.Failed())
	require.Len(t, captures(t, a), 2)
}

// TestNoUTF8: text that is no UTF-8 is refused, wherever it stands in the line.
func TestNoUTF8(t *testing.T) {
	t.Parallel()
	a := describedArchive(t)
	bad := strings.Replace(book(up, 2, "0.4"), `"recv"`, "\"note\":\"a\xffb\",\"recv\"", 1)
	res := run(t, a, ingest.Options{Paths: []string{write(t, "log", []byte(book(up, 1, "0.4")+bad))}})
	require.Equal(t, map[string]int64{"not valid JSON": 1}, res.Rejected)
	require.Len(t, captures(t, a), 1)
}

// TestRejectedLinesLeaveNoMarket: a line that is not taken leaves nothing.
func TestRejectedLinesLeaveNoMarket(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	other := strings.NewReplacer(`"0xab"`, `"0xcd"`, round, "btc-updown-5m-1776081900").Replace(book(up, 2, "0.4"))
	wrong := strings.NewReplacer(`"0xab"`, `"0xef"`, round, "btc-updown-5m-1776082200", `"71"`, `"99"`).Replace(book(up, 2, "1.4"))
	res := run(t, a, ingest.Options{Paths: []string{write(t, "log", []byte(book(up, 1, "0.4")+other+wrong))}})
	require.Equal(t, map[string]int64{"token belongs to another market": 1, "price outside 0 to 1": 1}, res.Rejected)
	require.Equal(t, 1, res.Markets)
	all, err := a.Markets(t.Context(), store.MarketQuery{Unlisted: true})
	require.NoError(t, err)
	for _, m := range all {
		require.NotContains(t, []string{"0xcd", "0xef"}, m.Market.VenueID)
	}
}

type countingWriter struct{ n int64 }

func (w *countingWriter) Write(p []byte) (int, error) {
	w.n += int64(len(p))
	return len(p), nil
}

// TestRejectsAreBounded: what is packed well does not fill a disk with rejected
// lines.
func TestRejectsAreBounded(t *testing.T) {
	t.Parallel()
	a := describedArchive(t)
	var text strings.Builder
	text.WriteString(book(up, 1, "0.4"))
	line := `{"recv":1,"x":"` + strings.Repeat("a", 100_000) + "\"}\n"
	for range 1500 {
		text.WriteString(line)
	}
	var out countingWriter
	res := run(t, a, ingest.Options{Paths: []string{write(t, "log.gz", gz(text.String()))}, Rejects: &out})
	require.EqualValues(t, 1500, res.RejectedTotal())
	require.LessOrEqual(t, out.n, int64(65<<20))
	require.Positive(t, res.RejectsCut)
}

// TestManyMessagesInALine: a line holds so many messages, and a message names so
// many tokens.
func TestManyMessagesInALine(t *testing.T) {
	t.Parallel()
	a := describedArchive(t)
	many := `{"recv":1776081602,"msg":[` + strings.TrimSuffix(strings.Repeat(`{},`, 4_000_000), ",") + "]}\n"
	var tokens []string
	for i := range 100_000 {
		tokens = append(tokens, fmt.Sprintf(`{"asset_id":"%d","price":"0.5","size":"1","side":"BUY"}`, i+1000))
	}
	change := `{"recv":1776081603,"msg":{"event_type":"price_change","market":"0xab","price_changes":[` + strings.Join(tokens, ",") + "]}}\n"
	res := run(t, a, ingest.Options{Paths: []string{write(t, "log", []byte(book(up, 1, "0.4")+many+change))}})
	require.Equal(t, map[string]int64{"too many messages in a line": 1, "too many tokens": 1}, res.Rejected)
	require.Len(t, captures(t, a), 1)
}

// TestPlainlyNone: what lies beside captures is left out and counted.
func TestPlainlyNone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"log.jsonl": book(up, 1, "0.4"), "LICENSE": "Be free.", "NOTICE": "Note.", "README.md": "Read me.", ".DS_Store": "\x00",
		"SHA256SUMS": "abc  log.jsonl", "log.jsonl.sha256": "abc",
		"README.jsonl": book(up, 2, "0.41"), // a name proves nothing where the content says otherwise
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	a := describedArchive(t)
	res := run(t, a, ingest.Options{Paths: []string{dir}})
	require.Empty(t, res.Failed())
	require.Equal(t, 6, res.Skipped)
	require.Len(t, res.Files, 2)
	require.Len(t, captures(t, a), 2)
	res = run(t, a, ingest.Options{Paths: []string{filepath.Join(dir, "LICENSE")}})
	require.Len(t, res.Failed(), 1, "a file that was asked for by name is an error")
}
