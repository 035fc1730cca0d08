package listing

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/ladderback/ladderback/archive/ingest"
)

// SomeOf names the first of many.
func SomeOf(names []string) string {
	const most = 5
	text := strings.Join(names[:min(most, len(names))], ", ")
	if len(names) > most {
		text += ", …"
	}
	return text
}

// Imported writes what an import did.
func Imported(w io.Writer, r *ingest.Result) {
	t := NewTable(w)
	NumbersRight(t, 2)
	row := func(name string, n int64, note string) { t.AppendRow(table.Row{name, Grouped(n), note}) }
	files := ""
	if r.Already > 0 {
		files = fmt.Sprintf("%d of them already in the archive", r.Already)
	}
	row("files", int64(len(r.Files)), files)
	if r.Skipped > 0 {
		row("skipped", int64(r.Skipped), "files that are clearly not captures")
	}
	if len(r.Unknown) > 0 {
		row("unknown", int64(len(r.Unknown)), "of no known format, left out: "+SomeOf(r.Unknown))
	}
	row("messages", r.Messages, "")
	row("markets", int64(r.Markets), "")
	duplicates := ""
	if r.Duplicates > 0 {
		duplicates = Grouped(r.Duplicates) + " more repeated one in the same file"
	}
	row("captures", r.Captures, duplicates)
	row("level changes", r.Changes, "")
	row("blocks", r.Blocks, "")
	if r.Diverged > 0 {
		row("divergences", r.Diverged, "changes that do not lead to the stated best prices: gaps")
	}
	perChange := ""
	if r.Changes > 0 {
		perChange = fmt.Sprintf("%.2f per level change", float64(r.Bytes)/float64(r.Changes))
	}
	row("bytes", r.Bytes, perChange)
	row("rejected lines", r.RejectedTotal(), "")
	for _, reason := range slices.Sorted(maps.Keys(r.Rejected)) {
		row("  "+reason, r.Rejected[reason], "")
	}
	if r.RejectsCut > 0 {
		row("  not kept", r.RejectsCut, "the file of rejected lines is full")
	}
	t.Render()
}

// ImportedDocument is what Imported writes, and the error that ended the import early, as
// a document.
func ImportedDocument(r *ingest.Result, failed error) any {
	type file struct {
		Path    string `json:"path"`
		Format  string `json:"format,omitempty"`
		Size    int64  `json:"size"`
		Already bool   `json:"already"`
		Error   string `json:"error,omitempty"`
	}
	files := make([]file, 0, len(r.Files))
	for _, f := range r.Files {
		row := file{Path: f.Path, Format: f.Format, Size: f.Size, Already: f.Already}
		if f.Err != nil {
			row.Error = f.Err.Error()
		}
		files = append(files, row)
	}
	rejected := r.Rejected
	if rejected == nil {
		rejected = map[string]int64{}
	}
	envelope, message := "", ""
	if failed != nil {
		envelope, message = "failed", failed.Error()
	}
	return struct {
		Files       []file           `json:"files"`
		Unknown     []string         `json:"unknown,omitempty"`
		Messages    int64            `json:"messages"`
		Markets     int              `json:"markets"`
		Captures    int64            `json:"captures"`
		Duplicates  int64            `json:"duplicates"`
		Changes     int64            `json:"level_changes"`
		Blocks      int64            `json:"blocks"`
		Bytes       int64            `json:"bytes"`
		Rejected    map[string]int64 `json:"rejected"`
		Skipped     int              `json:"skipped"`
		Diverged    int64            `json:"divergences"`
		RejectsCut  int64            `json:"rejects_not_kept"`
		Interrupted bool             `json:"interrupted"`
		Error       string           `json:"error,omitempty"`
		Message     string           `json:"message,omitempty"`
	}{
		files, r.Unknown, r.Messages, r.Markets, r.Captures, r.Duplicates, r.Changes, r.Blocks, r.Bytes, rejected,
		r.Skipped, r.Diverged, r.RejectsCut, r.Interrupted, envelope, message,
	}
}
