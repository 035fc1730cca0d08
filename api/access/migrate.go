package access

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"

	"github.com/ladderback/ladderback/market"
)

//go:embed migrations/*/*.sql
var migrations embed.FS

// versionTable keeps our versions apart from those of an archive in the same
// place.
const versionTable = "access_version"

// ErrNotMade means that a place holds no keys yet.
var ErrNotMade error = market.Errorf(market.CodeFailed, "no keys have been created there yet: run 'ladderback keys create'")

// migrate brings the tables to this version. Several processes may do so at
// once.
func migrate(ctx context.Context, db *sql.DB, dialect database.Dialect, opts ...goose.ProviderOption) error {
	p, err := provider(db, dialect, opts...)
	if err != nil {
		return err
	}
	_, err = p.Up(ctx)
	return err
}

// current refuses a place whose tables are missing, older or newer than this
// version's.
func current(ctx context.Context, db *sql.DB, dialect database.Dialect) error {
	p, err := provider(db, dialect)
	if err != nil {
		return err
	}
	have, want, err := p.GetVersions(ctx)
	switch {
	case err != nil:
		return err
	case have == 0:
		return ErrNotMade
	case have < want:
		return fmt.Errorf("keys and limits have version %d, this program's is %d: run 'ladderback keys create' or 'ladderback serve --local-key' to migrate them", have, want)
	case have > want:
		return fmt.Errorf("keys and limits have version %d, newer than this program's %d: use a newer program", have, want)
	}
	return nil
}

func provider(db *sql.DB, dialect database.Dialect, opts ...goose.ProviderOption) (*goose.Provider, error) {
	folder := "sqlite"
	if dialect == database.DialectPostgres {
		folder = "postgres"
	}
	sub, err := fs.Sub(migrations, "migrations/"+folder)
	if err != nil {
		return nil, err
	}
	store, err := database.NewStore(dialect, versionTable)
	if err != nil {
		return nil, err
	}
	opts = append(opts, goose.WithStore(store), goose.WithDisableGlobalRegistry(true))
	return goose.NewProvider(goose.DialectCustom, db, sub, opts...)
}
