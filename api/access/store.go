package access

import (
	"context"
	"database/sql"

	"github.com/ladderback/ladderback/market"
)

// Key is what is stored about an API key, which excludes the secret itself.
type Key struct {
	ID           string // short, for people: "k_" and 12 hex digits
	Plan         string // ID of its plan
	Organization string
	Name         string // empty: none was given
	CreatedAt    market.Instant
	RevokedAt    market.Instant // zero: not revoked
	ExpiresAt    market.Instant // refused from then on; zero: never
	// OrganizationID is the id of the organization of accounts that the key belongs
	// to, and Maker that of the account that made it; empty: the operator made it,
	// for whoever Organization names.
	OrganizationID, Maker string
	// LastUsed is the start of the minute of its last request; zero: none. Only
	// ListKeys fills it in.
	LastUsed market.Instant
}

// Tenant names whose runs the key sees, apart from all others.
func (k *Key) Tenant() string {
	if k.OrganizationID != "" {
		return k.OrganizationID
	}
	return k.Organization
}

// Errors of stores.
var (
	ErrNoKey     error = market.Errorf(market.CodeNotFound, "no such key")
	ErrAmbiguous error = market.Errorf(market.CodeFailed, "several keys have that name; revoke by id")
	// ErrFull: the disk has no room for what is to be kept.
	ErrFull error = market.Errorf(market.CodeFailed, "no space left")
)

// Windows are the UTC minute and day of a request, as numbers counted from
// 1970.
type Windows struct {
	Minute int64
	Day    int64
}

// WindowsAt returns the windows that now lies in.
func WindowsAt(now market.Instant) Windows {
	return Windows{Minute: int64(now / market.Minute), Day: int64(now / market.Day)}
}

// Usage is how much of its windows a key has used.
type Usage struct {
	Windows
	InMinute int
	InDay    int
	Bulk     int64 // bulk points in the day
}

// Store keeps keys and counters. Its methods are safe for concurrent use.
type Store interface {
	// CreateKey stores a key under its digest.
	CreateKey(ctx context.Context, k Key, d Digest) error
	// FindKey returns the key of a digest, revoked or not, or ErrNoKey.
	FindKey(ctx context.Context, d Digest) (Key, error)
	// ListKeys returns every key with its last use, oldest first.
	ListKeys(ctx context.Context) ([]Key, error)
	// RevokeKey revokes the key with that id or, if there is none, that name,
	// and returns it. A key revoked earlier stays as it was. ErrNoKey, or
	// ErrAmbiguous if several live keys have the name.
	RevokeKey(ctx context.Context, idOrName string, at market.Instant) (Key, error)
	// Take counts one request in its windows and returns the usage that
	// results. The request is over the limit when InMinute or InDay exceeds it;
	// a request over the minute's limit is not counted in the day.
	Take(ctx context.Context, keyID string, w Windows, perMinute int) (Usage, error)
	// Used returns the usage in the windows without counting.
	Used(ctx context.Context, keyID string, w Windows) (Usage, error)
	// TakeBulk counts bulk points if the day then has at most most of them, and
	// reports whether it did. Requests that do not fit leave no trace, not even for
	// a moment.
	TakeBulk(ctx context.Context, keyID string, day, points, limit int64) (ok bool, err error)
	// GiveBulk returns bulk points counted on that day. It does nothing once
	// the key has been counted on a later day.
	GiveBulk(ctx context.Context, keyID string, day, points int64) error
	// CreateSession keeps a session under the digest of its token, and forgets those
	// not seen since before.
	CreateSession(ctx context.Context, d Digest, s Session, before market.Instant) error
	// FindSession returns the session of a digest, or ErrNoSession.
	FindSession(ctx context.Context, d Digest) (Session, error)
	// TouchSession records that a session was seen at a time.
	TouchSession(ctx context.Context, d Digest, at market.Instant) error
	// EndSession forgets a session; there may be none.
	EndSession(ctx context.Context, d Digest) error
	// Tables gives the database behind the store, for tables that stand beside its own.
	Tables() Tables
	// Connections returns how many connections to the database are in use, and
	// their maximum.
	Connections() (used, limit int)
	// Close writes whatever is held in memory and closes the store.
	Close() error
}

// Tables is the database of a Store, which it stays the owner of.
type Tables struct {
	*sql.DB
	// Spell turns a query, written with the placeholders $1, $2… and the function
	// LEAST, into the database's own.
	Spell func(query string) string
}
