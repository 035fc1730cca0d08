package sqlite

import (
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
	return unmappedFile{f}, flags, nil
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
