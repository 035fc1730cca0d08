package care

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/ladderback/ladderback/archive/store"
)

// FindSource finds a source by the beginning of its SHA-256 (at least six
// digits), by its file's name as imported, or by the last part of that.
func FindSource(all []store.Source, name string) (store.Source, error) {
	var found, called []store.Source
	for _, s := range all {
		if s.Name == name || len(name) >= 6 && strings.HasPrefix(fmt.Sprintf("%x", s.SHA256), strings.ToLower(name)) {
			found = append(found, s)
		}
		if filepath.Base(s.Name) == name {
			called = append(called, s)
		}
	}
	if len(found) == 0 {
		found = called
	}
	switch len(found) {
	case 0:
		return store.Source{}, fmt.Errorf("source %q: %w; 'archive sources' lists them", name, store.ErrNotFound)
	case 1:
		return found[0], nil
	}
	return store.Source{}, fmt.Errorf("source %q: %d sources have that name; use the id shown by 'archive sources'", name, len(found))
}
