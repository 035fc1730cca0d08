package listing

import (
	"fmt"
	"io"

	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/market"
)

// Copy reports what a copy did.
func Copy(w io.Writer, result *care.CopyResult) {
	fmt.Fprintf(w, "%s copied, %d already there; %s, %s; %s compared\n",
		Plural(result.Sources, "source"), result.Already, Plural(int(result.Blocks), "block"), Bytes(result.Bytes), Plural(int(result.Markets), "market"))
	for _, d := range result.Damage {
		fmt.Fprintln(w, "not copied:", d)
	}
	for _, id := range result.Differing {
		fmt.Fprintln(w, "differs:", id)
	}
}

// copyRecord is what a copy did, as JSON.
type copyRecord struct {
	Sources   int      `json:"sources"`
	Already   int      `json:"sources_there_before"`
	Blocks    int64    `json:"blocks"`
	Bytes     int64    `json:"bytes"`
	Markets   int64    `json:"markets_compared"`
	NotCopied []string `json:"not_copied"`
	Differing []string `json:"differing_markets"`
}

// CopyDocument is what Copy writes, as a document.
func CopyDocument(r *care.CopyResult) any {
	out := copyRecord{r.Sources, r.Already, r.Blocks, r.Bytes, r.Markets, []string{}, append([]string{}, r.Differing...)}
	for _, d := range r.Damage {
		out.NotCopied = append(out.NotCopied, d.String())
	}
	return out
}

// Verification writes what was found in an archive.
func Verification(w io.Writer, v *care.Verification) {
	fmt.Fprintf(w, "%s markets, %s blocks (%s), %s captures read\n", Grouped(v.Markets), Grouped(v.Blocks), Bytes(v.Bytes), Grouped(v.Captures))
	for _, s := range v.Unfinished {
		fmt.Fprintf(w, "not finished: the import of %s; run it again to complete it\n", s.Name)
	}
	if v.Untopped > 0 {
		fmt.Fprintf(w, "slower than need be: %s rounds without tops; 'ladderback archive copy' makes them in another archive\n", Grouped(v.Untopped))
	}
	for _, d := range v.Damage {
		fmt.Fprintln(w, "damaged:", d.String())
	}
	if len(v.Damage) == 0 {
		fmt.Fprintln(w, "no damage found")
		if v.Watermark != 0 {
			fmt.Fprintf(w, "watermark: %v\n", v.Watermark)
		}
	}
}

// VerificationDocument is what Verification writes, as a document.
func VerificationDocument(v *care.Verification) any {
	lines := make([]string, len(v.Damage))
	for i, d := range v.Damage {
		lines[i] = d.String()
	}
	return struct {
		Markets    int64           `json:"markets"`
		Blocks     int64           `json:"blocks"`
		Captures   int64           `json:"captures"`
		Bytes      int64           `json:"bytes"`
		Damage     []string        `json:"damage"`
		Unfinished int             `json:"unfinished_imports"`
		Watermark  *market.Instant `json:"watermark"`
	}{v.Markets, v.Blocks, v.Captures, v.Bytes, lines, len(v.Unfinished), v.Watermark.Known()}
}

// maxListed is the maximum number of removed markets that are listed.
const maxListed = 20

// Removal lists what will be removed.
func Removal(w io.Writer, r *care.Removal) {
	t := NewTable(w, "market", "ended (UTC)", "captures")
	NumbersRight(t, 3)
	for _, m := range r.Markets[:min(maxListed, len(r.Markets))] {
		t.AppendRow([]any{m.Slug, ToMinute(m.End), Grouped(m.Captures)})
	}
	if len(r.Markets) > 0 {
		t.Render()
	}
	if n := len(r.Markets) - maxListed; n > 0 {
		fmt.Fprintf(w, "and %s more\n", Plural(n, "market"))
	}
	for i := range r.Sources {
		s := &r.Sources[i]
		fmt.Fprintf(w, "source %s  %s: %s, %s\n", ShortID(*s), s.Name, Plural(int(s.Counts.Markets), "market"), Plural(int(s.Counts.Captures), "capture"))
	}
}

// removed reports what a removal removed, or would remove.
type removed struct {
	DryRun   bool     `json:"dry_run"`
	Markets  int      `json:"markets"`
	Sources  []string `json:"sources"`
	Captures int64    `json:"captures"`
	Blocks   int64    `json:"blocks"`
	Bytes    int64    `json:"bytes"`
	// Problem says why the space was not reclaimed.
	Problem string `json:"problem,omitempty"`
}

// RemovalDocument is what was, or would be, removed.
func RemovalDocument(r *care.Removal, dryRun bool) any { return removedOf(r, dryRun) }

func removedOf(r *care.Removal, dryRun bool) removed {
	out := removed{DryRun: dryRun, Markets: len(r.Markets), Sources: []string{}, Captures: r.Captures, Blocks: r.Blocks, Bytes: r.Bytes}
	for i := range r.Sources {
		out.Sources = append(out.Sources, r.Sources[i].Name)
	}
	if r.Unshrunk != nil {
		out.Problem = fmt.Sprintf("the space was not reclaimed: %v", r.Unshrunk)
	}
	return out
}

// Removed writes how much was, or would be, removed.
func Removed(w io.Writer, r *care.Removal, dryRun bool) {
	out, verb := removedOf(r, dryRun), "removed"
	if dryRun {
		verb = "would be removed"
	}
	fmt.Fprintf(w, "%s: %s, %s; %s in %s (%s)\n", verb, Plural(out.Markets, "market"), Plural(len(out.Sources), "source"),
		Plural(int(out.Captures), "capture"), Plural(int(out.Blocks), "block"), Bytes(out.Bytes))
	if out.Problem != "" {
		fmt.Fprintf(w, "The removal is done, but %s.\nThe next import reuses it; 'archive remove' reclaims it when there is room to.\n", out.Problem)
	}
}
