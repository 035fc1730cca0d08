package archive

import (
	"context"
	"errors"
	"fmt"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// Opener opens the store at an address: a file or a server. If the store can be
// opened but does not respond now, away says why, and the store is tried again
// whenever it is needed. Which kinds of store exist is up to the caller.
type Opener func(ctx context.Context, address string) (s store.Store, away, err error)

// Open opens the archive at an address. An archive that does not respond is an
// error.
func Open(ctx context.Context, address string, open Opener) (*Archive, error) {
	s, away, err := open(ctx, address)
	if err != nil {
		return nil, err
	}
	if away != nil {
		return nil, errors.Join(away, s.Close())
	}
	return New(s), nil
}

// Place is the location of the archive of a category.
type Place struct {
	Category market.Category
	Address  string
}

// OpenUnion opens the archives of several categories as one. Archives that do
// not respond now are reported in absent and tried again when they are needed.
// It is an error if none responds.
func OpenUnion(ctx context.Context, places []Place, open Opener) (u *Union, absent []error, err error) {
	var members []Member
	closeAll := func(err error) error {
		for _, m := range members {
			err = errors.Join(err, m.Archive.Close())
		}
		return err
	}
	for _, p := range places {
		s, away, err := open(ctx, p.Address)
		if err != nil {
			return nil, nil, closeAll(fmt.Errorf("archive of %s: %w", p.Category, err))
		}
		members = append(members, Member{Category: p.Category, Archive: New(s)})
		if away != nil {
			absent = append(absent, fmt.Errorf("archive of %s: %w", p.Category, away))
		}
	}
	if len(absent) == len(places) && len(absent) > 0 {
		return nil, nil, closeAll(errors.Join(absent...))
	}
	if u, err = NewUnion(members...); err != nil {
		return nil, nil, closeAll(err)
	}
	return u, absent, nil
}
