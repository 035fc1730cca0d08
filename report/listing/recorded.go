package listing

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/ladderback/ladderback/archive/record"
	"github.com/ladderback/ladderback/market"
)

// StatusLine describes the state of a recording: its rate since the state before, and what a
// day of it will take.
func StatusLine(before, now record.Status, since, all time.Duration) string {
	line := fmt.Sprintf("%s, %.0f messages/s, lag %s, %s, %s/day",
		Plural(int(now.Rounds), "round"), float64(now.Messages-before.Messages)/since.Seconds(),
		now.Lag.Round(time.Millisecond), Plural(int(now.Gaps), "gap"),
		Bytes(int64(float64(now.Written)*float64(24*time.Hour)/float64(max(all, time.Second)))))
	if now.Connections == 0 {
		line += ", not connected"
	}
	if now.Waiting > 1 {
		line += fmt.Sprintf(", %d files waiting for the archive", now.Waiting)
	}
	if now.Problem != "" {
		line += " (" + now.Problem + ")"
	}
	return line
}

// RecordedDocument is the result of a recording as JSON.
func RecordedDocument(s record.Status) any {
	return struct {
		Messages  int64            `json:"messages"`
		Bytes     int64            `json:"bytes"`
		Written   int64            `json:"written_bytes"`
		Gaps      int64            `json:"gaps"`
		Rejected  map[string]int64 `json:"rejected"`
		Waiting   int              `json:"files_waiting"`
		Watermark *market.Instant  `json:"watermark"`
	}{s.Messages, s.Bytes, s.Written, s.Gaps, s.Rejected, s.Waiting, s.Watermark.Known()}
}

// Recorded writes the result of a recording.
func Recorded(w io.Writer, s record.Status) {
	rejected := int64(0)
	for _, n := range s.Rejected {
		rejected += n
	}
	t := NewTable(w)
	NumbersRight(t, 2)
	t.AppendRow(table.Row{"messages", Grouped(s.Messages), Bytes(s.Bytes)})
	t.AppendRow(table.Row{"written", Bytes(s.Written), ""})
	t.AppendRow(table.Row{"gaps declared", Grouped(s.Gaps), "one per token"})
	if rejected > 0 {
		t.AppendRow(table.Row{"rejected", Grouped(rejected), rejectedText(s.Rejected)})
	}
	if s.Waiting > 0 {
		t.AppendRow(table.Row{"files waiting", Grouped(int64(s.Waiting)), "for the archive; the next run imports them"})
	}
	if s.Watermark != 0 {
		t.AppendRow(table.Row{"whole until", ToSecond(s.Watermark), "UTC"})
	}
	t.Render()
}

// rejectedText lists the reasons why messages are rejected on import.
func rejectedText(of map[string]int64) string {
	var reasons []string
	for _, reason := range slices.Sorted(maps.Keys(of)) {
		reasons = append(reasons, fmt.Sprintf("%s: %s", reason, Grouped(of[reason])))
	}
	return "an import leaves them out: " + strings.Join(reasons, "; ")
}

// Backfilled is what came of asking the exchange for metadata that an archive is without.
type Backfilled struct {
	Wanting int `json:"wanting"` // markets
	Asked   int `json:"asked"`
	Found   int `json:"found"`
}

// Backfill writes what came of it.
func Backfill(w io.Writer, b Backfilled) {
	t := NewTable(w)
	NumbersRight(t, 2)
	t.AppendRow(table.Row{"without official winner", Grouped(int64(b.Wanting)), "markets that the archive has captures of"})
	t.AppendRow(table.Row{"asked for", Grouped(int64(b.Asked)), ""})
	t.AppendRow(table.Row{"known to the exchange", Grouped(int64(b.Found)), "imported"})
	t.Render()
}
