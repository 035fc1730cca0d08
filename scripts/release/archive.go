package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// file is one file of an archive or an image.
type file struct {
	name    string // with slashes
	mode    int64
	content []byte
}

// packed are the files of the project that go with the binary.
var packed = []string{"LICENSE", "README.md", "CHANGELOG.md", "docs", "examples"}

// archive writes a .tar.gz, for Windows a .zip, with everything in one folder.
func (r *release) archive(goos, arch string) error {
	content, err := os.ReadFile(r.binary(goos, arch))
	if err != nil {
		return err
	}
	files := []file{
		{program(goos), 0o755, content},
		{"THIRD_PARTY_LICENSES", 0o644, r.notices},
	}
	err = r.walk(func(at, name string) error {
		content, err := os.ReadFile(at)
		files = append(files, file{name, 0o644, content})
		return err
	})
	if err != nil {
		return err
	}
	manuals, err := r.manuals()
	if err != nil {
		return err
	}
	files = append(files, manuals...)
	folder := "ladderback_" + r.version + "_" + goos + "_" + arch
	for i := range files {
		files[i].name = path.Join(folder, files[i].name)
	}
	if goos == "windows" {
		return r.zip(r.name(goos+"_"+arch+".zip"), files)
	}
	raw, err := r.tar(files)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(raw); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(r.name(goos+"_"+arch+".tar.gz"), out.Bytes(), 0o644)
}

// walk calls f for each file of the project that goes with the binary: where it is, and its
// name below the project's folder, with slashes.
func (r *release) walk(f func(at, name string) error) error {
	for _, from := range packed {
		err := filepath.WalkDir(filepath.Join(r.root, from), func(at string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(at, ".go") {
				return err
			}
			name, err := filepath.Rel(r.root, at)
			if err != nil {
				return err
			}
			return f(at, filepath.ToSlash(name))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// manuals returns the manual pages, where man looks for them beside a program.
func (r *release) manuals() (files []file, err error) {
	pages, err := filepath.Glob(filepath.Join(r.man, "*.1"))
	if err != nil {
		return nil, err
	}
	if len(pages) == 0 {
		return nil, fmt.Errorf("%s: no manual pages there", r.man)
	}
	for _, at := range pages {
		content, err := os.ReadFile(at)
		if err != nil {
			return nil, err
		}
		files = append(files, file{"share/man/man1/" + filepath.Base(at), 0o644, content})
	}
	return files, nil
}

// tar packs files in the order given; a name that ends in a slash is a folder.
func (r *release) tar(files []file) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(f.content)), ModTime: r.time, Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
		if strings.HasSuffix(f.name, "/") {
			h.Typeflag, h.Uid, h.Gid = tar.TypeDir, nobody, nobody
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.content); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func (r *release) zip(name string, files []file) error {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: r.time}
		h.SetMode(fs.FileMode(f.mode))
		part, err := w.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := part.Write(f.content); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(name, out.Bytes(), 0o644)
}
