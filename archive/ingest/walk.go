package ingest

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// stdinName stands for standard input among paths.
const stdinName = "-"

// collect turns paths into inputs: files as they are, folders into the files
// below them in order of path, names that begin with a dot left out. A path
// that cannot be read is an input with an error. A file named twice is read
// once.
func collect(ctx context.Context, o *Options, paths []string) ([]*input, error) {
	var all []*input
	var seen []os.FileInfo
	add := func(path string, st fs.FileInfo) {
		for _, s := range seen {
			if os.SameFile(s, st) {
				return
			}
		}
		seen = append(seen, st)
		all = append(all, &input{path: path, name: path, size: st.Size()})
	}
	for _, path := range paths {
		if err := ctx.Err(); err != nil {
			return all, err
		}
		if path == stdinName {
			in, err := spool(ctx, o.Stdin, "standard input", o.TempDir)
			if err != nil {
				in = &input{name: "standard input", err: err}
			}
			all = append(all, in)
			continue
		}
		st, err := os.Stat(path)
		switch {
		case err != nil:
			all = append(all, &input{name: path, err: err})
		case st.IsDir():
			all = append(all, walk(ctx, path, add)...)
		case st.Mode().IsRegular():
			add(path, st)
		default:
			all = append(all, spoolFile(ctx, path, o.TempDir))
		}
	}
	return all, ctx.Err()
}

// walk adds the files below dir and returns an input for each error.
func walk(ctx context.Context, dir string, add func(string, fs.FileInfo)) (failed []*input) {
	found := false
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			failed = append(failed, &input{name: path, err: err})
			return nil
		case path != dir && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		st, err := os.Stat(path) // follows links to files
		switch {
		case err != nil:
			failed = append(failed, &input{name: path, err: err})
		case st.Mode().IsRegular():
			found = true
			add(path, st)
		}
		return nil
	})
	if err != nil && ctx.Err() == nil {
		failed = append(failed, &input{name: dir, err: err})
	}
	if !found && len(failed) == 0 && ctx.Err() == nil {
		failed = append(failed, &input{name: dir, err: fmt.Errorf("no files in this folder: %w", ErrNothing)})
	}
	return failed
}

// spoolFile copies what is no regular file, such as a named pipe.
func spoolFile(ctx context.Context, path, dir string) *input {
	f, err := os.Open(path)
	if err != nil {
		return &input{name: path, err: err}
	}
	defer f.Close()
	in, err := spool(ctx, f, path, dir)
	if err != nil {
		return &input{name: path, err: err}
	}
	return in
}
