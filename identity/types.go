package identity

import "github.com/ladderback/ladderback/market"

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
