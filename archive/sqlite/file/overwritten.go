package file

import (
	"fmt"

	"github.com/ladderback/ladderback/archive/store"
)

// Merged checks a file that was overwritten, after its archive has been closed. It
// returns store.ErrOverwritten if a log still stands beside the file: read with
// that log, the file would be a mixture of two archives.
func Merged(path string) error {
	if noLog(path) {
		return nil
	}
	return fmt.Errorf("%s: %w: %s-wal belongs to the archive that stood there before: stop whatever has the file open, then delete %s-wal and %s-shm",
		path, store.ErrOverwritten, path, path, path)
}
