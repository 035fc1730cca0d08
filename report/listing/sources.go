package listing

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/ladderback/ladderback/archive/simulate"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// sourceRecord is a source as JSON.
type sourceRecord struct {
	ID         string           `json:"id"`
	Name       string           `json:"name"`
	SHA256     string           `json:"sha256"`
	Size       int64            `json:"size"`
	Format     string           `json:"format"`
	Licence    string           `json:"licence,omitempty"`
	ImportedAt market.Instant   `json:"imported_at"`
	Complete   bool             `json:"complete"`
	Removed    int64            `json:"markets_removed"`
	Problem    string           `json:"problem,omitempty"`
	Messages   int64            `json:"messages"`
	Markets    int64            `json:"markets"`
	Captures   int64            `json:"captures"`
	Blocks     int64            `json:"blocks"`
	Bytes      int64            `json:"bytes"`
	Rejected   map[string]int64 `json:"rejected"`
}

// ShortID is the part of a source's SHA-256 that names it in tables and flags.
func ShortID(s store.Source) string { return fmt.Sprintf("%x", s.SHA256[:6]) }

// Sources writes one line per source, with names relative to their common
// folder, and the totals. Lines are cut at width columns; zero: they are not.
func Sources(w io.Writer, sources []store.Source, width int) {
	if len(sources) == 0 {
		fmt.Fprintln(w, "no sources")
		return
	}
	folder := commonFolder(sources)
	if folder != "" {
		fmt.Fprintf(w, "Files in %s\n\n", folder)
	}
	t := NewTable(w, "id", "imported (UTC)", "size", "markets", "captures", "file") // the file last: it may be long
	NumbersRight(t, 3, 4, 5)
	t.Style().Size.WidthMax = width
	var size, markets, captures int64
	for i := range sources {
		s := &sources[i]
		size, markets, captures = size+s.Size, markets+s.Counts.Markets, captures+s.Counts.Captures
		t.AppendRow(table.Row{ShortID(*s), importedAt(s), Bytes(s.Size), Grouped(s.Counts.Markets), Grouped(s.Counts.Captures),
			strings.TrimPrefix(s.Name, folder) + remarks(s)})
	}
	t.AppendFooter(table.Row{Plural(len(sources), "source"), "", Bytes(size), Grouped(markets), Grouped(captures)})
	t.Render()
}

// importedAt is when the import of a source began; a simulation, which is the same
// whenever it is made, has no such time.
func importedAt(s *store.Source) string {
	if s.Format == simulate.Format {
		return "–"
	}
	return ToMinute(s.ImportedAt)
}

// remarks lists the format of a source and what is unusual about it, in brackets.
func remarks(s *store.Source) string {
	out := []string{s.Format}
	if s.Licence != "" {
		out = append(out, s.Licence)
	}
	switch {
	case s.Problem != "":
		out = append(out, s.Problem)
	case s.Interrupted():
		out = append(out, "not finished: import it again")
	case !s.Complete:
		out = append(out, Plural(int(s.Removed), "market")+" removed")
	}
	return " (" + strings.Join(out, ", ") + ")"
}

// commonFolder returns the folder, with its separator, that contains all files;
// empty if there is none, or only one file.
func commonFolder(sources []store.Source) string {
	if len(sources) < 2 {
		return ""
	}
	folder := sources[0].Name
	for i := range sources {
		for !strings.HasPrefix(sources[i].Name, folder) {
			folder = folder[:max(0, strings.LastIndexByte(strings.TrimSuffix(folder, "/"), '/')+1)]
		}
	}
	return folder[:strings.LastIndexByte(folder, '/')+1]
}

// SourcesDocument is what Sources writes, as a document.
func SourcesDocument(sources []store.Source) any {
	records := make([]sourceRecord, len(sources))
	for i, s := range sources {
		n := s.Counts
		records[i] = sourceRecord{ShortID(s), s.Name, fmt.Sprintf("%x", s.SHA256), s.Size, s.Format, s.Licence, s.ImportedAt,
			s.Complete, s.Removed, s.Problem, n.Messages, n.Markets, n.Captures, n.Blocks, n.Bytes, n.Rejected}
	}
	return records
}
