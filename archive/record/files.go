package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/ladderback/ladderback/market"
)

// Names of files: when they were begun, or cut, then what they hold. They sort by
// time.
const (
	nameTime     = "20060102T150405.000000Z"
	capturesName = "-captures.jsonl.zst"
	listingsName = "-markets.jsonl.zst"
	partName     = ".part" // not cut yet
)

// files are the file of captures at hand and the metadata for the next.
type files struct {
	c *Config
	r *Recorder

	lines    *bytes.Buffer // not compressed yet
	listings bytes.Buffer  // JSON lines for the next file of metadata
	enc      *zstd.Encoder
	packed   bytes.Buffer // compressed, not on disk yet
	file     File         // nil: none is open
	path     string
	size     int64 // on disk
}

func newFiles(c *Config, r *Recorder) *files { return &files{c: c, r: r, lines: &bytes.Buffer{}} }

// large reports whether the file at hand is to be cut for its size.
func (f *files) large() bool { return f.size > f.c.RotateBytes }

// flush puts the lines on disk. While the disk does not take them it tries again,
// until ctx ends.
func (f *files) flush(ctx context.Context) error {
	if f.lines.Len() == 0 {
		return nil
	}
	if f.enc == nil {
		enc, err := zstd.NewWriter(&f.packed, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return err
		}
		f.enc = enc
		f.path = filepath.Join(f.c.Dir, f.r.now.stamp().Time().Format(nameTime)+capturesName)
	}
	if _, err := f.enc.Write(f.lines.Bytes()); err != nil {
		return err
	}
	f.lines.Reset()
	if err := f.enc.Flush(); err != nil {
		return err
	}
	return f.again(ctx, f.write)
}

// write puts what is compressed behind what is on disk. It may be repeated: a
// part that was written before an error is written over.
func (f *files) write() error {
	if f.file == nil {
		file, err := f.c.Open(f.path + partName)
		if err != nil {
			return err
		}
		f.file = file
	}
	n, err := f.file.WriteAt(f.packed.Bytes(), f.size)
	if err == nil {
		err = f.file.Sync()
	}
	if err != nil {
		return err
	}
	f.size += int64(n)
	f.r.written.Add(int64(n))
	f.packed.Reset()
	return nil
}

// again repeats what needs the disk until it is done, or ctx ends.
func (f *files) again(ctx context.Context, do func() error) error {
	for {
		err := do()
		if err == nil {
			f.r.queue.problem.Store(nil)
			return nil
		}
		f.r.diskWaits.Add(1)
		text := "files: " + err.Error()
		f.r.queue.problem.Store(&text)
		f.r.c.Log.Warn("not written; trying again", "error", err)
		if !pause(ctx, f.c.Flush) {
			return fmt.Errorf("record: received data could not be written: %w", err)
		}
	}
}

// cut ends the files and returns their paths, in the order of their names; none
// when nothing was received.
func (f *files) cut(ctx context.Context, now market.Instant) (paths []string, err error) {
	if err := f.flush(ctx); err != nil {
		return nil, err
	}
	if f.enc != nil {
		if paths, err = f.cutCaptures(ctx); err != nil {
			return nil, err
		}
	}
	if f.listings.Len() > 0 {
		path := filepath.Join(f.c.Dir, now.Time().Format(nameTime)+listingsName)
		if err := f.again(ctx, func() error { return f.whole(path, f.listings.Bytes()) }); err != nil {
			return nil, err
		}
		f.listings.Reset()
		paths = append(paths, path)
	}
	return paths, nil
}

func (f *files) cutCaptures(ctx context.Context) ([]string, error) {
	if err := f.enc.Close(); err != nil {
		return nil, err
	}
	err := f.again(ctx, func() error {
		if err := f.write(); err != nil {
			return err
		}
		return os.Rename(f.path+partName, f.path)
	})
	if err != nil {
		return nil, err
	}
	err = f.file.Close()
	f.enc, f.file, f.size = nil, nil, 0
	return []string{f.path}, err
}

// whole writes a file of lines at once.
func (f *files) whole(path string, lines []byte) error {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	packed := enc.EncodeAll(lines, nil)
	file, err := f.c.Open(path + partName)
	if err != nil {
		return err
	}
	_, err = file.WriteAt(packed, 0)
	if err := errors.Join(err, file.Truncate(int64(len(packed))), file.Sync(), file.Close()); err != nil {
		return err
	}
	f.r.written.Add(int64(len(packed)))
	return os.Rename(path+partName, path)
}

// cutAt returns when a file was begun or cut, by its name.
func cutAt(path string) market.Instant {
	at, _, _ := strings.Cut(filepath.Base(path), "-")
	t, err := time.Parse(nameTime, at)
	if err != nil {
		return 0
	}
	return market.InstantOf(t)
}
