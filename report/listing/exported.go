package listing

import (
	"fmt"
	"io"
	"slices"

	"github.com/ladderback/ladderback/archive/export"
)

// exported is what an export wrote, as JSON.
type exported struct {
	Markets int             `json:"markets"`
	Tables  []exportedTable `json:"tables"`
	Files   []string        `json:"files"`
}

type exportedTable struct {
	Table string `json:"table"`
	Rows  int64  `json:"rows"`
	Bytes int64  `json:"bytes"`
	Files int    `json:"files"`
}

// ExportDocument is what an export wrote.
func ExportDocument(r *export.Result) any { return exportedOf(r) }

func exportedOf(r *export.Result) exported {
	out := exported{Markets: r.Markets, Tables: []exportedTable{}, Files: []string{}}
	var names []string
	for _, file := range r.Files {
		out.Files = append(out.Files, file.Path)
		if !slices.Contains(names, file.Table) {
			names = append(names, file.Table)
		}
	}
	for _, name := range names {
		rows, bytes, files := r.Rows(name)
		out.Tables = append(out.Tables, exportedTable{name, rows, bytes, files})
	}
	return out
}

// Exported writes what an export wrote, a line a table.
func Exported(w io.Writer, r *export.Result) {
	out := exportedOf(r)
	t := NewTable(w, "table", "rows", "bytes", "files")
	NumbersRight(t, 2, 3, 4)
	for _, e := range out.Tables {
		t.AppendRow([]any{e.Table, Grouped(e.Rows), Grouped(e.Bytes), Grouped(int64(e.Files))})
	}
	t.Render()
	fmt.Fprintf(w, "%s; times are UTC\n", Plural(out.Markets, "market"))
}
