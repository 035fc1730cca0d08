// Package outfile writes the files that flags name. It is the one way in which a
// result gets a name of the user's.
//
// A regular file appears whole or not at all: it is written beside its place and
// renamed when it is complete. Symbolic links are followed, so that a link stays one.
// What is no regular file (a device, a FIFO, a socket, /dev/stdout) is written to as it
// stands and never replaced.
package outfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"
)

// File is a file being written. It is used by one goroutine, and ended by Commit or
// by Abort.
type File struct {
	io.Writer
	place string   // regular file that appears at Commit; empty: written to as it stands
	temp  *os.File // beside place
	perm  fs.FileMode
	open  io.Closer // what is written to as it stands; nil: a stream of this process
}

// Create opens the place that path names for writing. It blocks for a FIFO until
// somebody reads it. Errors name no path: the caller says which flag it was.
func Create(path string) (*File, error) {
	place, err := follow(path)
	if err != nil {
		return nil, err
	}
	if stream := ofProcess(place); stream != nil {
		return &File{Writer: stream}, nil
	}
	info, err := os.Stat(place)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return beside(place, 0o644)
	case err != nil:
		return nil, cause(err)
	case info.Mode().IsRegular() && !descriptor.MatchString(place):
		return beside(place, info.Mode().Perm())
	case info.Mode()&fs.ModeSocket != 0:
		c, err := net.Dial("unix", place)
		if err != nil {
			return nil, err
		}
		return &File{Writer: c, open: c}, nil
	}
	f, err := os.OpenFile(place, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return nil, cause(err)
	}
	return &File{Writer: f, open: f}, nil
}

// beside opens a file that takes place when it is committed.
func beside(place string, perm fs.FileMode) (*File, error) {
	temp, err := os.CreateTemp(filepath.Dir(place), ".ladderback-*.partial")
	if err != nil {
		return nil, cause(err)
	}
	return &File{Writer: temp, place: place, temp: temp, perm: perm}, nil
}

// cause is an error without the name of the file, which may be that of a temporary one.
func cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// mostLinks is how many links are followed one after the other, as systems do.
const mostLinks = 40

// descriptor matches the names of open files of this process.
var descriptor = regexp.MustCompile(`^/(?:dev|proc/self|proc/\d+)/(?:fd/\d+|stdout|stderr)$`)

// follow returns what the symbolic links at path lead to, which need not exist; the
// names of open files stay as they are.
func follow(path string) (string, error) {
	for range mostLinks {
		if descriptor.MatchString(path) {
			return path, nil
		}
		to, err := os.Readlink(path)
		if err != nil {
			return path, nil // no link, or nothing: opening it says what is wrong
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return "", errors.New("too many levels of symbolic links")
}

// ofProcess returns the stream of this process that a name stands for; nil: none.
func ofProcess(path string) *os.File {
	if !descriptor.MatchString(path) {
		return nil
	}
	switch filepath.Base(path) {
	case "stdout", "1":
		return os.Stdout
	case "stderr", "2":
		return os.Stderr
	}
	return nil
}

// Mode gives a regular file another mode than that of the file that stood there, or 0644.
func (f *File) Mode(perm fs.FileMode) { f.perm = perm }

// Commit ends the file: whole at its place.
func (f *File) Commit() error {
	if f.temp == nil {
		if f.open == nil {
			return nil
		}
		return f.open.Close()
	}
	err := errors.Join(f.temp.Chmod(f.perm), f.temp.Sync(), f.temp.Close())
	if err == nil {
		err = os.Rename(f.temp.Name(), f.place)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.temp.Name()))
	}
	return nil
}

// Abort ends the file without a result: what stood at its place stays.
func (f *File) Abort() error {
	if f.temp != nil {
		return errors.Join(f.temp.Close(), os.Remove(f.temp.Name()))
	}
	if f.open != nil {
		return f.open.Close()
	}
	return nil
}

// Write gives write the file at path, and keeps it if write succeeds. flag, such as
// --out, and path begin the errors of opening it.
func Write(flag, path string, write func(w io.Writer) error) error {
	f, err := Create(path)
	if err != nil {
		return fmt.Errorf("%s %s: %w", flag, path, err)
	}
	if err := write(f); err != nil {
		return errors.Join(err, f.Abort())
	}
	return f.Commit()
}
