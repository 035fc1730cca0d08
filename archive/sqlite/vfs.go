package sqlite

import (
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/ncruces/go-sqlite3/vfs"
)

// FileSystem is the name that the system's own files are known to SQLite by once an
// archive has been opened. They are not mapped into memory: a page that is mapped is
// not read, and its checksum not compared (go-sqlite3 0.35.4 fails on such a file
// in WAL mode when it is closed).
const FileSystem = "ladderback"

var registerFiles = sync.OnceFunc(func() { vfs.Register(FileSystem, unmapped{vfs.Find("")}) })

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
	if flags&vfs.OPEN_MAIN_DB == 0 {
		return unmappedFile{f}, flags, nil
	}
	return database{unmappedFile{f}}, flags, nil
}

// database is a file whose pages end in a checksum that covers the page's number too:
// go-sqlite3's alone holds wherever a page stands. That of the first page, which says
// that there are checksums, is as it is.
type database struct{ unmappedFile }

// ReadAt implements io.ReaderAt.
func (f database) ReadAt(p []byte, off int64) (n int, err error) {
	n, err = f.File.ReadAt(p, off)
	number(p[:n], off)
	return n, err
}

// WriteAt implements io.WriterAt. p is as before when it returns.
func (f database) WriteAt(p []byte, off int64) (n int, err error) {
	number(p, off)
	defer number(p, off)
	return f.File.WriteAt(p, off)
}

// number mixes the number of a page, counted from zero, into its checksum, or out of it.
func number(page []byte, off int64) {
	if len(page) != pageSize || off%pageSize != 0 {
		return
	}
	sum := page[pageSize-checksumBytes:]
	binary.LittleEndian.PutUint64(sum, binary.LittleEndian.Uint64(sum)^uint64(off/pageSize)*0x9E3779B97F4A7C15)
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
