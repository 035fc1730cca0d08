package pack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ladderback/ladderback/archive/store"
)

// folder keeps objects as files.
type folder struct{ dir string }

// partial begins the names of files that are being written.
const partial = ".part-"

// Put writes a file under another name, and renames it when it is on the disk.
func (f folder) Put(_ context.Context, name string, data []byte) (err error) {
	if err := os.MkdirAll(f.dir, 0o755); err != nil {
		return full(err)
	}
	part, err := os.CreateTemp(f.dir, partial+"*")
	if err != nil {
		return full(err)
	}
	defer func() {
		if err != nil {
			err = full(errors.Join(err, os.Remove(part.Name())))
		}
	}()
	_, err = part.Write(data)
	if err == nil {
		err = part.Chmod(0o644)
	}
	if err == nil {
		err = part.Sync()
	}
	if err = errors.Join(err, part.Close()); err != nil {
		return err
	}
	if err = os.Rename(part.Name(), filepath.Join(f.dir, name)); err != nil {
		return err
	}
	return f.sync()
}

// full says of an error that there is no space left.
func full(err error) error {
	if isFull(err) {
		return fmt.Errorf("%w: %w", store.ErrFull, err)
	}
	return err
}

// sync makes sure that a name in the folder, and the folder's own, outlive a loss of
// power.
func (f folder) sync() error {
	for _, dir := range []string{f.dir, filepath.Dir(f.dir), filepath.Dir(filepath.Dir(f.dir))} {
		d, err := os.Open(dir)
		if err != nil {
			return err
		}
		err = d.Sync()
		if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrInvalid) || errors.Is(err, fs.ErrPermission) {
			err = nil
		}
		if err := errors.Join(err, d.Close()); err != nil {
			return err
		}
	}
	return nil
}

// Read reads a part of a file.
func (f folder) Read(_ context.Context, name string, offset int64, p []byte) error {
	file, err := os.Open(filepath.Join(f.dir, name))
	if err != nil {
		return f.why(name, err)
	}
	defer file.Close()
	n, err := file.ReadAt(p, offset)
	if n == len(p) {
		return nil
	}
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: %s ends after %d bytes", store.ErrDamaged, name, offset+int64(n))
	}
	return unreachable(f.dir, err)
}

// why tells a file that is missing from a folder that is.
func (f folder) why(name string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return unreachable(f.dir, err)
	}
	if _, err := os.Stat(f.dir); err != nil {
		return unreachable(f.dir, err)
	}
	return missing(name)
}

// List lists the files, those half written too.
func (f folder) List(_ context.Context, each func(string, time.Time) error) error {
	entries, err := os.ReadDir(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unreachable(f.dir, err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), suffix) && !strings.HasPrefix(e.Name(), partial) {
			continue
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if err := each(e.Name(), info.ModTime()); err != nil {
			return err
		}
	}
	return nil
}

// Delete removes a file, and the folder with the last one.
func (f folder) Delete(_ context.Context, name string) error {
	err := os.Remove(filepath.Join(f.dir, name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
