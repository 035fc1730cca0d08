package ingest

import "github.com/ladderback/ladderback/archive/store"

// Result is what an import did. Counts cover what was read this time: a file
// already in the archive adds nothing, except its rejected lines if those were
// requested.
type Result struct {
	Files []File // metadata first, otherwise in the order in which they were given

	Already int // files that the archive had already
	Skipped int // files in folders that are plainly no captures, such as README
	// Unknown are the files that were left out for Options.SkipUnknown.
	Unknown    []string
	Messages   int64 // messages or rows, rejected ones included
	Markets    int   // markets that the files name, each once
	Captures   int64 // captures stored, equal ones within a file once
	Duplicates int64 // captures equal to one of the same file
	Changes    int64 // level changes stored
	Blocks     int64
	Bytes      int64            // of these blocks
	Rejected   map[string]int64 // messages rejected, by reason
	// Diverged is how many gaps were made because level changes did not lead to
	// the best prices that the source states.
	Diverged int64
	// RejectsCut is how many rejected lines were not kept because so many were.
	RejectsCut int64

	// Undescribed are the markets, by slug or id, whose captures were read this
	// time but do not show, because nothing in the archive says which outcomes
	// the captured tokens stand for. They show once metadata is imported.
	Undescribed []string

	// Interrupted: the context ended before all files were read.
	Interrupted bool
}

// File is the outcome for one file.
type File struct {
	Path   string
	Format string // empty: not recognised
	Size   int64
	// Already: it was imported before, in whole, and not read again but for its
	// rejected lines.
	Already bool
	again   bool // its rejected lines were read and kept once more
	// Whole: it was read to its end, now or before.
	Whole    bool
	Diverged int64        // gaps where level changes do not lead to what is stated
	Source   store.Source // zero when nothing was taken from it
	// Err says why the file could not be opened, recognised or read to its end,
	// or that it held nothing readable; nil otherwise.
	Err error
}

// Failed returns the files that have an error.
func (r *Result) Failed() []File {
	var failed []File
	for _, f := range r.Files {
		if f.Err != nil {
			failed = append(failed, f)
		}
	}
	return failed
}

// RejectedTotal returns the number of rejected messages.
func (r *Result) RejectedTotal() int64 {
	var n int64
	for _, c := range r.Rejected {
		n += c
	}
	return n
}

// sum fills in the totals from the files.
func (r *Result) sum() {
	r.Rejected = map[string]int64{}
	for _, f := range r.Files {
		if f.Already {
			r.Already++
		}
		for reason, n := range f.Source.Counts.Rejected {
			if !f.Already || f.again {
				r.Rejected[reason] += n
			}
		}
		if f.Already {
			continue
		}
		c := f.Source.Counts
		r.Diverged += f.Diverged
		r.Messages += c.Messages
		r.Captures += c.Captures
		r.Duplicates += c.Duplicates
		r.Changes += c.Changes
		r.Blocks += c.Blocks
		r.Bytes += c.Bytes
	}
}
