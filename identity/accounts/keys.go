package accounts

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"

	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/market"
)

// MostKeys is how many live keys an organization may have.
const MostKeys = 50

// Key is an API key of an organization.
type Key struct {
	identity.Key
	MadeBy string // address of the member; empty: no member any more
}

// Live reports whether the key can be used at a time.
func (k *Key) Live(at market.Instant) bool {
	return k.RevokedAt == 0 && (k.ExpiresAt == 0 || k.ExpiresAt > at)
}

const selectKeys = `SELECT k.id, k.plan, k.organization, k.name, k.created_at, k.revoked_at, k.expires_at, k.organization_id, k.maker, a.address, u.minute
	FROM access_keys k LEFT JOIN access_usage u ON u.key_id = k.id
	LEFT JOIN access_members m ON m.organization = k.organization_id AND m.account = k.maker
	LEFT JOIN access_accounts a ON a.id = m.account
	WHERE k.organization_id = $1 ORDER BY CASE WHEN k.revoked_at = 0 AND (k.expires_at = 0 OR k.expires_at > $2) THEN 0 ELSE 1 END, k.created_at DESC, k.id`

// Keys lists the keys of the organization, live ones first, then newest first.
func (s *Service) Keys(ctx context.Context, in *Session) ([]Key, error) {
	return collect(ctx, s.conn(), selectKeys, args(in.Organization.ID, int64(s.now())), func(scan func(...any) error) (k Key, err error) {
		var by sql.NullString
		var minute sql.NullInt64
		err = scan(&k.ID, &k.Plan, &k.Organization, &k.Name, &k.CreatedAt, &k.RevokedAt, &k.ExpiresAt, &k.OrganizationID, &k.Maker, &by, &minute)
		k.MadeBy, k.LastUsed = by.String, market.Instant(minute.Int64)*market.Minute
		return k, err
	})
}

// MakeKey makes a key and returns it with its secret, which is stored nowhere. expires is
// when it stops working; zero: never. CodeConflict: there are MostKeys live ones.
func (s *Service) MakeKey(ctx context.Context, in *Session, name string, expires market.Instant, from From) (k Key, secret string, err error) {
	name, err = CheckName(name)
	switch {
	case err != nil:
		return k, "", err
	case !in.Account.Verified:
		return k, "", ErrUnverified
	}
	if secret, err = identity.NewKey(nil); err != nil {
		return k, "", err
	}
	d, _ := identity.DigestOf(secret)
	var id [6]byte
	_, _ = rand.Read(id[:]) // never fails
	err = s.asRole(ctx, in, Member, func(c conn) error {
		now := s.now()
		k = Key{identity.Key{
			ID: "k_" + hex.EncodeToString(id[:]), Name: name, CreatedAt: now, ExpiresAt: expires,
			OrganizationID: in.Organization.ID, Maker: in.Account.ID,
		}, in.Account.Address}
		var live int
		if _, err := c.row(ctx, `SELECT count(*) FROM access_keys WHERE organization_id = $1 AND revoked_at = 0 AND (expires_at = 0 OR expires_at > $2)`,
			args(in.Organization.ID, int64(now)), &live); err != nil {
			return err
		}
		if live >= MostKeys {
			return market.Errorf(market.CodeConflict, "there are %d live keys, the most: revoke one first", live)
		}
		if _, err := c.row(ctx, `SELECT name, plan FROM access_organizations WHERE id = $1`, args(in.Organization.ID), &k.Organization, &k.Plan); err != nil {
			return err
		}
		if err := c.do(ctx, `INSERT INTO access_keys (id, digest, plan, organization, name, created_at, expires_at, organization_id, maker)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
			k.ID, d[:], k.Plan, k.Organization, k.Name, int64(k.CreatedAt), int64(k.ExpiresAt), k.OrganizationID, k.Maker); err != nil {
			return err
		}
		return s.audit(ctx, c, in, "key made", k.ID+" "+k.Name, from)
	})
	return k, secret, err
}

// RevokeKey revokes a key of the organization: owners any, members those they made.
// CodeNotFound: there is none. One that is revoked already stays as it is.
func (s *Service) RevokeKey(ctx context.Context, in *Session, id string, from From) error {
	return s.asRole(ctx, in, Member, func(c conn) error {
		var maker, name string
		var role Role
		ok, err := c.row(ctx, `SELECT k.maker, k.name, m.role FROM access_keys k JOIN access_members m ON m.organization = k.organization_id AND m.account = $3
			WHERE k.id = $1 AND k.organization_id = $2`, args(id, in.Organization.ID, in.Account.ID), &maker, &name, &role)
		switch {
		case err != nil:
			return err
		case !ok:
			return market.Errorf(market.CodeNotFound, "key not found: %s", id)
		case role != Owner && maker != in.Account.ID:
			return ErrRole
		}
		n, err := c.exec(ctx, `UPDATE access_keys SET revoked_at = $2 WHERE id = $1 AND revoked_at = 0`, id, int64(s.now()))
		if err != nil || n == 0 {
			return err
		}
		return s.audit(ctx, c, in, "key revoked", id+" "+name, from)
	})
}
