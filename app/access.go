package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/ladderback/ladderback/identity"
)

// AccessAddress returns where keys and limits are: --access, else the database of
// the first archive, else a file beside the first archive. An archive that holds
// keys of an earlier version of the program goes on holding them.
func (a *App) AccessAddress(ctx context.Context, accessFlag string, archives []string) (string, error) {
	if accessFlag != "" {
		return accessFlag, errors.Join(CheckAddress("--access", accessFlag), a.NotDemo(accessFlag))
	}
	addrs, err := a.Addresses(archives)
	if err != nil {
		return "", err
	}
	if len(addrs) > 0 {
		first := addrs[0].Target
		if IsPostgres(first) || a.NotDemo(first) == nil && identity.InFile(ctx, first) {
			return first, nil
		}
		return besideArchive(first), nil
	}
	demo, err := a.demoPath()
	return besideArchive(demo), err
}

// besideArchive returns the name of the file of keys that belongs to an archive.
func besideArchive(path string) string { return strings.TrimSuffix(path, ".db") + "-access.db" }

// OpenAccess opens the store of keys and limits; create makes or migrates it.
func OpenAccess(ctx context.Context, addr string, create bool) (*identity.Store, error) {
	if IsPostgres(addr) {
		s, err := identity.Open(ctx, addr, create)
		if err != nil {
			return nil, err
		}
		return s, nil
	}
	s, err := identity.Open(ctx, addr, create)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return nil, fmt.Errorf("%w: name another place for keys with --access", err)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// IsPostgres reports whether an address is that of a database in PostgreSQL.
func IsPostgres(addr string) bool {
	return strings.HasPrefix(addr, "postgres://") || strings.HasPrefix(addr, "postgresql://")
}

// ArchiveIsThere refuses an address of --archive at which there is no archive:
// only --access makes a place for keys by itself.
func (a *App) ArchiveIsThere(ctx context.Context, accessFlag string, archives []string) error {
	addrs, err := a.Addresses(archives)
	if err != nil || accessFlag != "" || len(addrs) == 0 {
		return err
	}
	ar, err := a.OpenOne(ctx, addrs[0].Target)
	if err != nil {
		return err
	}
	return ar.Close()
}
