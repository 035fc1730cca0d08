package listing

import (
	"fmt"
	"io"
	"time"

	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/identity/accounts"
	"github.com/ladderback/ladderback/market"
)

// KeyRecord is a key as JSON.
type KeyRecord struct {
	ID           string          `json:"id"`
	Plan         string          `json:"plan"`
	Organization string          `json:"organization"`
	Name         string          `json:"name"`
	CreatedAt    market.Instant  `json:"created_at"`
	ExpiresAt    *market.Instant `json:"expires_at"`   // null: never
	LastUsedAt   *market.Instant `json:"last_used_at"` // start of the minute
	RevokedAt    *market.Instant `json:"revoked_at"`
}

// KeyOf is the record of a key.
func KeyOf(k identity.Key) KeyRecord {
	return KeyRecord{
		ID: k.ID, Plan: k.Plan, Organization: k.Organization, Name: k.Name, CreatedAt: k.CreatedAt,
		ExpiresAt: k.ExpiresAt.Known(), LastUsedAt: k.LastUsed.Known(), RevokedAt: k.RevokedAt.Known(),
	}
}

// KeysDocument is the keys as JSON.
func KeysDocument(keys []identity.Key) any {
	records := make([]KeyRecord, len(keys))
	for i, k := range keys {
		records[i] = KeyOf(k)
	}
	return records
}

// Keys writes the keys as a table.
func Keys(w io.Writer, keys []identity.Key) {
	if len(keys) == 0 {
		fmt.Fprintln(w, "no keys")
		return
	}
	t := NewTable(w, "id", "plan", "organization", "name", "created", "last used", "ends")
	for _, k := range keys {
		used, ends := "never", ""
		if k.LastUsed != 0 {
			used = k.LastUsed.Time().Format("2006-01-02 15:04")
		}
		switch {
		case k.RevokedAt != 0:
			ends = "revoked " + k.RevokedAt.Time().Format(time.DateOnly)
		case k.ExpiresAt != 0:
			ends = k.ExpiresAt.Time().Format("2006-01-02 15:04")
		}
		t.AppendRow([]any{k.ID, k.Plan, k.Organization, k.Name, k.CreatedAt.Time().Format(time.DateOnly), used, ends})
	}
	t.Render()
}

// OrganizationRecord is an organization as JSON.
type OrganizationRecord struct {
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Plan      string         `json:"plan"`
	Members   int            `json:"members"`
	Keys      int            `json:"keys"` // live ones
	CreatedAt market.Instant `json:"created_at"`
}

// OrganizationsDocument is the organizations as JSON.
func OrganizationsDocument(list []accounts.Listed) any {
	records := make([]OrganizationRecord, len(list))
	for i, o := range list {
		records[i] = OrganizationRecord{o.ID, o.Name, o.Plan, o.Members, o.Keys, o.CreatedAt}
	}
	return records
}

// Organizations writes the organizations as a table.
func Organizations(w io.Writer, list []accounts.Listed) {
	if len(list) == 0 {
		fmt.Fprintln(w, "no organizations")
		return
	}
	t := NewTable(w, "id", "name", "plan", "members", "keys", "created")
	for _, o := range list {
		t.AppendRow([]any{o.ID, o.Name, o.Plan, o.Members, o.Keys, ToSecond(o.CreatedAt)})
	}
	t.Render()
}
