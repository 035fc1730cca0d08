package ingest

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// stdinName stands for standard input among paths.
const stdinName = "-"

// collector turns paths into inputs: files as they are, folders into the files
// below them in order of path, names that begin with a dot left out. A path
// that cannot be read is an input with an error. A file named twice is read
// once.
type collector struct {
	o    *Options
	seen map[string]bool // paths without links
	all  []*input
	// skipped are the files that were left out for their names.
	skipped int
}

func (c *collector) collect(ctx context.Context, paths []string) error {
	for _, path := range paths {
		if err := ctx.Err(); err != nil {
			return err
		}
		if path == stdinName {
			c.spool(ctx, Interruptible(ctx, c.o.Stdin), "standard input")
			continue
		}
		st, err := os.Stat(path)
		switch {
		case err != nil:
			c.fail(path, err)
		case st.IsDir():
			c.walk(ctx, path)
		case st.Mode().IsRegular():
			c.add(path, st, false)
		default:
			f, err := OpenInterruptible(ctx, path)
			if err != nil {
				c.fail(path, err)
				continue
			}
			c.spool(ctx, f, path)
			_ = f.Close()
		}
	}
	return ctx.Err()
}

func (c *collector) fail(name string, err error) {
	c.all = append(c.all, &input{name: name, err: err})
}

func (c *collector) add(path string, st fs.FileInfo, found bool) {
	resolved := path
	if r, err := filepath.EvalSymlinks(path); err == nil {
		resolved = r
	}
	if r, err := filepath.Abs(resolved); err == nil {
		resolved = r
	}
	if c.seen[resolved] {
		return
	}
	c.seen[resolved] = true
	c.all = append(c.all, &input{path: path, name: path, size: st.Size(), found: found})
}

// spool copies what can be read only once, such as a pipe.
func (c *collector) spool(ctx context.Context, r io.Reader, name string) {
	in, err := spool(ctx, r, name, c.o.TempDir)
	if err != nil {
		c.fail(name, err)
		return
	}
	c.all = append(c.all, in)
}

// walk adds the files below dir.
func (c *collector) walk(ctx context.Context, dir string) {
	found := false
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			found = true
			c.fail(path, err)
			return nil
		case path != dir && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
			c.skipped++
			return nil
		}
		st, err := os.Stat(path) // follows links to files
		switch {
		case err != nil:
			found = true
			c.fail(path, err)
		case st.Mode().IsRegular():
			found = true
			c.add(path, st, true)
		}
		return nil
	})
	switch {
	case ctx.Err() != nil:
	case err != nil:
		c.fail(dir, err)
	case !found:
		c.fail(dir, fmt.Errorf("no files in this folder: %w", ErrNothing))
	}
}
