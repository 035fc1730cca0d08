package listing

import (
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/market"
)

// Info writes what an archive holds.
func Info(w io.Writer, in *care.Info) {
	fmt.Fprintf(w, "%s\n%s (metadata %s), %s\n", in.Address, Bytes(in.Bytes), Bytes(in.Metadata), Plural(in.Sources, "source"))
	if in.First != 0 {
		fmt.Fprintf(w, "%s captures from %s to %s UTC\n", Grouped(in.Captures), ToSecond(in.First), ToSecond(in.Last))
	}
	for _, c := range []market.Category{market.Crypto, market.Sports} {
		if t := in.Watermarks[c]; t != 0 {
			fmt.Fprintf(w, "watermark of %s: %s UTC\n", c, ToSecond(t))
		}
	}
	fmt.Fprintln(w)
	t := NewTable(w, "markets", "status", "number", "captured", "from (UTC)", "to (UTC)")
	NumbersRight(t, 3, 4)
	for _, m := range in.Markets {
		kind := string(m.Category)
		if m.Coin != "" {
			kind = m.Coin + " " + m.Type
		}
		t.AppendRow([]any{kind, m.Status, Grouped(int64(m.Markets)), Grouped(int64(m.Captured)), ToMinute(m.Start), ToMinute(m.End)})
	}
	t.Render()
	fmt.Fprintln(w)
	t = NewTable(w, "stream", "blocks", "captures", "level changes", "bytes", "bytes each")
	NumbersRight(t, 2, 3, 4, 5, 6)
	for _, s := range in.Streams {
		each := "capture"
		if s.Changes > 0 {
			each = "change"
		}
		t.AppendRow([]any{s.Stream, Grouped(s.Blocks), Grouped(s.Captures), Grouped(s.Changes), Grouped(s.Bytes), fmt.Sprintf("%.2f a %s", s.PerChange(), each)})
	}
	t.Render()
	printPacks(w, in.Packs)
	printSpans(w, "Longest silences within a round", in.Silences)
	printSpans(w, "Longest gaps that sources declare", in.Gaps)
	printRemarks(w, in)
}

// printPacks says where blocks are that are not in the archive itself.
func printPacks(w io.Writer, packs []care.PackTotal) {
	for _, p := range packs {
		fmt.Fprintf(w, "\n%s (%s) of these in %s, %s, in %s\n", Plural(int(p.Blocks), "block"), Bytes(p.UsedBytes), Plural(p.Packs, "pack"), Bytes(p.Bytes), p.Address)
	}
}

func printSpans(w io.Writer, title string, spans []care.MarketSpan) {
	if len(spans) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", title)
	for _, s := range spans[:min(3, len(spans))] {
		fmt.Fprintf(w, "  %8s  %s\n", seconds(s.Length), s.Slug)
	}
}

// printRemarks adds what a reader would want to know and the table does not show.
func printRemarks(w io.Writer, in *care.Info) {
	var lines []string
	add := func(n int64, format string) {
		if n > 0 {
			text := fmt.Sprintf(format, Grouped(n))
			if n == 1 {
				text = oneOnly.Replace(text)
			}
			lines = append(lines, text)
		}
	}
	add(in.Repeated, "%s captures came from several sources: results count each once")
	add(int64(in.Inferred), "%s markets have a payout that a source inferred, not the exchange's own\n  (backtest --winners inferred counts them)")
	add(int64(in.Disputed), "%s markets have sources that disagree on the winner: not resolved ('markets show' says which)")
	for _, id := range in.DisputedMarkets {
		lines = append(lines, "  "+id)
	}
	add(int64(in.Unlisted), "%s markets have no category and appear in no list: import their metadata")
	add(in.Unplaced, "%s captures are of tokens that no metadata describes: import it")
	add(int64(in.Reduced), "%s sources are partly removed ('archive sources' lists them)")
	add(int64(in.Unfinished), "%s imports are unfinished: run them again ('archive sources' lists them)")
	if len(lines) > 0 {
		fmt.Fprintf(w, "\n%s\n", strings.Join(lines, "\n"))
	}
}

// oneOnly turns what is said of several into what is said of one.
var oneOnly = strings.NewReplacer("markets have", "market has", "markets are", "market is", "appear in", "appears in", "captures came", "capture came",
	"captures are", "capture is", "sources are", "source is", "imports are", "import is", "import their", "import its", "results count each", "results count it")

// infoRecord is what an archive holds, as a document.
type infoRecord struct {
	Address    string                             `json:"address"`
	Bytes      int64                              `json:"bytes"`
	Metadata   int64                              `json:"metadata_bytes"`
	Sources    int                                `json:"sources"`
	Captures   int64                              `json:"captures"`
	Repeated   int64                              `json:"repeated_captures"`
	First      *market.Instant                    `json:"first_capture"`
	Last       *market.Instant                    `json:"last_capture"`
	Watermarks map[market.Category]market.Instant `json:"watermarks"`
	Markets    []marketCount                      `json:"markets"`
	Streams    []streamTotal                      `json:"streams"`
	Packs      []packTotal                        `json:"packs"`
	Silences   []marketSpan                       `json:"longest_silences"`
	Gaps       []marketSpan                       `json:"longest_gaps"`
	Inferred   int                                `json:"inferred"`
	Disputed   []string                           `json:"disputed"`
	Unlisted   int                                `json:"unlisted"`
	Unplaced   int64                              `json:"unplaced_captures"`
	Unfinished int                                `json:"unfinished_imports"`
	Reduced    int                                `json:"partly_removed_sources"`
}

type marketCount struct {
	Category market.Category `json:"category"`
	Coin     string          `json:"coin"`
	Type     string          `json:"market_type"`
	Status   string          `json:"status"`
	Markets  int             `json:"markets"`
	Captured int             `json:"captured"`
	Start    *market.Instant `json:"start"`
	End      *market.Instant `json:"end"`
}

type streamTotal struct {
	Stream   string `json:"stream"`
	Blocks   int64  `json:"blocks"`
	Captures int64  `json:"captures"`
	Changes  int64  `json:"level_changes"`
	Bytes    int64  `json:"bytes"`
}

type packTotal struct {
	Address   string `json:"address"`
	Packs     int    `json:"packs"`
	Bytes     int64  `json:"bytes"`
	Blocks    int64  `json:"blocks"`
	UsedBytes int64  `json:"block_bytes"`
}

type marketSpan struct {
	ID      string  `json:"market_id"`
	Slug    string  `json:"market_slug"`
	Seconds float64 `json:"seconds"`
}

// InfoDocument is what Info writes, as a document.
func InfoDocument(in *care.Info) any {
	out := infoRecord{
		Address: in.Address, Bytes: in.Bytes, Metadata: in.Metadata, Sources: in.Sources, Captures: in.Captures, Repeated: in.Repeated, First: in.First.Known(), Last: in.Last.Known(),
		Watermarks: in.Watermarks, Markets: []marketCount{}, Streams: []streamTotal{}, Packs: []packTotal{}, Silences: spansOf(in.Silences), Gaps: spansOf(in.Gaps),
		Inferred: in.Inferred, Disputed: append([]string{}, in.DisputedMarkets...), Unlisted: in.Unlisted, Unplaced: in.Unplaced, Unfinished: in.Unfinished, Reduced: in.Reduced,
	}
	maps.DeleteFunc(out.Watermarks, func(_ market.Category, t market.Instant) bool { return t == 0 })
	for _, m := range in.Markets {
		out.Markets = append(out.Markets, marketCount{m.Category, m.Coin, m.Type, m.Status.String(), m.Markets, m.Captured, m.Start.Known(), m.End.Known()})
	}
	for _, s := range in.Streams {
		out.Streams = append(out.Streams, streamTotal{s.Stream.String(), s.Blocks, s.Captures, s.Changes, s.Bytes})
	}
	for _, p := range in.Packs {
		out.Packs = append(out.Packs, packTotal(p))
	}
	return out
}

func spansOf(spans []care.MarketSpan) []marketSpan {
	out := make([]marketSpan, len(spans))
	for i, s := range spans {
		out[i] = marketSpan{s.ID, s.Slug, float64(s.Length) / float64(market.Second)}
	}
	return out
}
