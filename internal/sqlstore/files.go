package sqlstore

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/ncruces/go-sqlite3/vfs"
)

// FileSystem is the name that the system's own files are known to SQLite by after
// RegisterFiles. They are not mapped into memory: a page that is mapped is
// not read, and its checksum not compared (go-sqlite3 0.35.4 fails on such a file
// in WAL mode when it is closed).
const FileSystem = "ladderback"

// RegisterFiles makes FileSystem known, once.
var RegisterFiles = sync.OnceFunc(func() { vfs.Register(FileSystem, Over(vfs.Find(""))) })

// Over is what SQLite sees of a file system.
func Over(files vfs.VFS) vfs.VFS { return unmapped{files} }

type unmapped struct{ vfs.VFS }

// Open is not called: OpenFilename is.
func (unmapped) Open(name string, _ vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	return nil, 0, fmt.Errorf("open %s without its name object", name)
}

// OpenFilename opens through the system's own.
func (u unmapped) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	f, flags, err := u.VFS.(vfs.VFSFilename).OpenFilename(name, flags)
	if err != nil {
		return nil, flags, err
	}
	switch {
	case flags&vfs.OPEN_MAIN_DB != 0:
		return &database{unmappedFile: unmappedFile{f}}, flags, nil
	case flags&vfs.OPEN_WAL != 0:
		if of, ok := underlying(name.DatabaseFile()); ok {
			return &writeAhead{unmappedFile{f}, of, map[int64]int64{}}, flags, nil
		}
	}
	return unmappedFile{f}, flags, nil
}

// database is a file whose pages, where they end in checksums, have them cover the page's
// number too: go-sqlite3's alone hold wherever a page stands. That of the first page,
// which says that there are checksums, is as it is.
type database struct {
	unmappedFile
	page  int64  // bytes of one; 0: there are no checksums
	pages *Pages // nil: nobody asks for them
}

// ReadAt implements io.ReaderAt.
func (f *database) ReadAt(p []byte, off int64) (n int, err error) {
	n, err = f.File.ReadAt(p, off)
	f.look(p[:n], off)
	f.number(p[:n], off)
	if f.page > 0 && int64(n) == f.page {
		f.note(read, off/f.page+1, p)
	}
	return n, err
}

// WriteAt implements io.WriterAt. p is as before when it returns.
func (f *database) WriteAt(p []byte, off int64) (n int, err error) {
	f.look(p, off)
	if f.page > 0 {
		f.note(written, off/f.page+1, p)
	}
	f.number(p, off)
	defer f.number(p, off)
	return f.File.WriteAt(p, off)
}

// look reads the header of the file, which SQLite reads and writes before all else.
func (f *database) look(p []byte, off int64) {
	if off != 0 || len(p) < headerBytes || !bytes.HasPrefix(p, []byte(fileMagic)) {
		return
	}
	f.page = 0
	if p[20] == checksumBytes {
		f.page = int64(binary.BigEndian.Uint16(p[16:]))
	}
}

// number mixes the number of a page, counted from zero, into its checksum, or out of it.
func (f *database) number(page []byte, off int64) {
	if f.page == 0 || int64(len(page)) != f.page || off%f.page != 0 {
		return
	}
	sum := page[len(page)-checksumBytes:]
	binary.LittleEndian.PutUint64(sum, binary.LittleEndian.Uint64(sum)^uint64(off/f.page)*0x9E3779B97F4A7C15)
}

const (
	fileMagic     = "SQLite format 3\x00"
	headerBytes   = 100
	checksumBytes = 8 // at the end of each page
)

// checksummed reports whether the pages of a file end in checksums: it is an archive's.
func checksummed(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, headerBytes)
	_, err = io.ReadFull(f, head)
	return err == nil && bytes.HasPrefix(head, []byte(fileMagic)) && head[20] == checksumBytes
}

// unmappedFile is a file of which nothing is known but how to read, write and lock
// it, and where connections share memory.
type unmappedFile struct{ vfs.File }

// SharedMemory returns what the connections to a file share.
func (f unmappedFile) SharedMemory() vfs.SharedMemory {
	if m, ok := f.File.(vfs.FileSharedMemory); ok {
		return m.SharedMemory()
	}
	return nil
}
