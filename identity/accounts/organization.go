package accounts

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ladderback/ladderback/identity/credentials"
	"github.com/ladderback/ladderback/market"
)

// maxName bounds the names of organizations and keys, in characters.
const maxName = 80

// nameOf makes the name of the organization of whoever has an address.
func nameOf(address string) string {
	local, _, _ := strings.Cut(address, "@")
	return string([]rune(local)[:min(maxName, utf8.RuneCountInString(local))])
}

// CheckName returns a name without spaces around it. CodeInvalid: it cannot be one, since
// it is empty, too long, or has characters that nobody sees.
func CheckName(text string) (string, error) {
	text = strings.TrimSpace(text)
	switch n := utf8.RuneCountInString(text); {
	case n == 0 || n > maxName || !utf8.ValidString(text):
		return "", market.Errorf(market.CodeInvalid, "expected 1 to %d characters", maxName)
	case strings.ContainsFunc(text, unicode.IsControl):
		return "", market.Errorf(market.CodeInvalid, "expected a name in one line")
	}
	for _, r := range text {
		if unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Other_Default_Ignorable_Code_Point) || r == unicode.ReplacementChar {
			return "", market.Errorf(market.CodeInvalid, "U+%04X cannot be seen, or changes how the rest is read: leave it out", r)
		}
	}
	return text, nil
}

// Organizations lists those that an account is a member of, its own first.
func (s *Service) Organizations(ctx context.Context, in *Session) ([]Membership, error) {
	return s.memberships(ctx, s.conn(), in.Account.ID)
}

func (s *Service) memberships(ctx context.Context, c conn, account string) ([]Membership, error) {
	return collect(ctx, c, `SELECT o.id, o.name, o.plan, m.role FROM access_members m JOIN access_organizations o ON o.id = m.organization
		WHERE m.account = $1 ORDER BY m.since, o.id`, args(account), func(scan func(...any) error) (one Membership, err error) {
		return one, scan(&one.ID, &one.Name, &one.Plan, &one.Role)
	})
}

// Founded returns when the organization of a session was made.
func (s *Service) Founded(ctx context.Context, in *Session) (at market.Instant, err error) {
	_, err = s.conn().row(ctx, `SELECT created_at FROM access_organizations WHERE id = $1`, args(in.Organization.ID), &at)
	return at, err
}

// Rename gives the organization another name.
func (s *Service) Rename(ctx context.Context, in *Session, name string, from From) error {
	name, err := CheckName(name)
	if err != nil {
		return err
	}
	return s.asRole(ctx, in, Owner, func(c conn) error {
		if err := c.do(ctx, `UPDATE access_organizations SET name = $2 WHERE id = $1`, in.Organization.ID, name); err != nil {
			return err
		}
		if err := c.do(ctx, `UPDATE access_keys SET organization = $2 WHERE organization_id = $1`, in.Organization.ID, name); err != nil {
			return err
		}
		return s.audit(ctx, c, in, "organization renamed", name, from)
	})
}

// asRole runs f in a transaction in which the session's account has at least that role
// in the organization, which nobody else changes meanwhile.
func (s *Service) asRole(ctx context.Context, in *Session, least Role, f func(c conn) error) error {
	return s.tx(ctx, func(c conn) error {
		role, err := s.locked(ctx, c, in)
		if err != nil {
			return err
		}
		if !role.May(least) {
			return ErrRole
		}
		return f(c)
	})
}

// locked keeps others from changing the organization of a session until the transaction
// ends, and returns the role that the account then has.
func (s *Service) locked(ctx context.Context, c conn, in *Session) (role Role, err error) {
	if err := s.stillIn(ctx, c, in); err != nil {
		return "", err
	}
	if err := c.do(ctx, `UPDATE access_organizations SET name = name WHERE id = $1`, in.Organization.ID); err != nil {
		return "", err
	}
	_, err = c.row(ctx, `SELECT role FROM access_members WHERE organization = $1 AND account = $2`, args(in.Organization.ID, in.Account.ID), &role)
	return role, err
}

// Colleague is a member of an organization.
type Colleague struct {
	ID      string // of the account
	Address string
	Role    Role
	Since   market.Instant
}

// Members lists the members of the organization, those of longest standing first.
func (s *Service) Members(ctx context.Context, in *Session) ([]Colleague, error) {
	return collect(ctx, s.conn(), `SELECT a.id, a.address, m.role, m.since FROM access_members m JOIN access_accounts a ON a.id = m.account
		WHERE m.organization = $1 ORDER BY m.since, a.id`, args(in.Organization.ID), func(scan func(...any) error) (one Colleague, err error) {
		return one, scan(&one.ID, &one.Address, &one.Role, &one.Since)
	})
}

// roleOf returns the role and the address of a member. CodeNotFound: there is none.
func (s *Service) roleOf(ctx context.Context, c conn, in *Session, account string) (role Role, address string, err error) {
	ok, err := c.row(ctx, `SELECT m.role, a.address FROM access_members m JOIN access_accounts a ON a.id = m.account
		WHERE m.organization = $1 AND m.account = $2`, args(in.Organization.ID, account), &role, &address)
	if err == nil && !ok {
		err = market.Errorf(market.CodeNotFound, "member not found: %s", account)
	}
	return role, address, err
}

// errLastOwner refuses to leave an organization without an owner.
var errLastOwner = market.Errorf(market.CodeConflict, "an organization needs an owner: make another member one first")

func (s *Service) otherOwners(ctx context.Context, c conn, organization, account string) (n int, err error) {
	_, err = c.row(ctx, `SELECT count(*) FROM access_members WHERE organization = $1 AND account <> $2 AND role = 'owner'`, args(organization, account), &n)
	return n, err
}

// SetRole gives a member another role; CodeConflict: it is the last owner.
func (s *Service) SetRole(ctx context.Context, in *Session, account string, role Role, from From) error {
	if !role.Valid() {
		return errBadRole
	}
	return s.asRole(ctx, in, Owner, func(c conn) error {
		was, address, err := s.roleOf(ctx, c, in, account)
		if err != nil || was == role {
			return err
		}
		if was == Owner {
			if n, err := s.otherOwners(ctx, c, in.Organization.ID, account); err != nil || n == 0 {
				return errors.Join(err, errLastOwner)
			}
		}
		if err := c.do(ctx, `UPDATE access_members SET role = $3 WHERE organization = $1 AND account = $2`, in.Organization.ID, account, role); err != nil {
			return err
		}
		return s.audit(ctx, c, in, "role of a member set to "+string(role), address, from)
	})
}

var errBadRole = market.Errorf(market.CodeInvalid, "expected owner, member or viewer")

// Remove takes a member out of the organization, whose keys that the member made are
// revoked; members may remove themselves. CodeConflict: it is the last owner.
func (s *Service) Remove(ctx context.Context, in *Session, account string, from From) error {
	return s.tx(ctx, func(c conn) error {
		mine, err := s.locked(ctx, c, in)
		if err != nil {
			return err
		}
		if !mine.May(Owner) && (account != in.Account.ID || !mine.Valid()) {
			return ErrRole
		}
		role, address, err := s.roleOf(ctx, c, in, account)
		if err != nil {
			return err
		}
		if role == Owner {
			if n, err := s.otherOwners(ctx, c, in.Organization.ID, account); err != nil || n == 0 {
				return errors.Join(err, errLastOwner)
			}
		}
		if err := s.part(ctx, c, in.Organization.ID, account); err != nil {
			return err
		}
		return s.audit(ctx, c, in, "member removed", address, from)
	})
}

// part ends a membership: the keys that the account made there are revoked, and its
// sessions work in another of its organizations from then on.
func (s *Service) part(ctx context.Context, c conn, organization, account string) error {
	if err := c.do(ctx, `DELETE FROM access_members WHERE organization = $1 AND account = $2`, organization, account); err != nil {
		return err
	}
	if err := c.do(ctx, `UPDATE access_keys SET revoked_at = $3 WHERE organization_id = $1 AND maker = $2 AND revoked_at = 0`,
		organization, account, int64(s.now())); err != nil {
		return err
	}
	var other string
	ok, err := c.row(ctx, `SELECT organization FROM access_members WHERE account = $1 ORDER BY since, organization LIMIT 1`, args(account), &other)
	if err != nil {
		return err
	}
	if !ok { // the organization that it had was left to others: it gets another
		if other, err = s.found(ctx, c, account); err != nil {
			return err
		}
	}
	return c.do(ctx, `UPDATE access_sessions SET organization = $3 WHERE account = $1 AND organization = $2`, account, organization, other)
}

// found makes an organization of an account's own.
func (s *Service) found(ctx context.Context, c conn, account string) (string, error) {
	var address string
	if _, err := c.row(ctx, `SELECT address FROM access_accounts WHERE id = $1`, args(account), &address); err != nil {
		return "", err
	}
	id, now := newID("o_"), int64(s.now())
	if err := c.do(ctx, `INSERT INTO access_organizations (id, name, plan, created_at) VALUES ($1, $2, $3, $4)`, id, nameOf(address), s.cfg.Plan, now); err != nil {
		return "", err
	}
	return id, c.do(ctx, `INSERT INTO access_members (organization, account, role, since) VALUES ($1, $2, $3, $4)`, id, account, Owner, now)
}

// Invitation asks somebody into an organization.
type Invitation struct {
	ID        string
	Address   string
	Role      Role
	CreatedAt market.Instant
	EndsAt    market.Instant
}

// Invitations lists those that were not answered and are not over, newest first.
func (s *Service) Invitations(ctx context.Context, in *Session) ([]Invitation, error) {
	if !in.Organization.Role.May(Owner) {
		return nil, ErrRole
	}
	return collect(ctx, s.conn(), `SELECT id, address, role, created_at, ends_at FROM access_invitations WHERE organization = $1 AND ends_at > $2
		ORDER BY created_at DESC, id`, args(in.Organization.ID, int64(s.now())), func(scan func(...any) error) (one Invitation, err error) {
		return one, scan(&one.ID, &one.Address, &one.Role, &one.CreatedAt, &one.EndsAt)
	})
}

// Invite asks somebody into the organization by mail, and returns the invitation's id;
// one made earlier for the address is worth nothing from then on. CodeConflict: the
// address is a member's.
func (s *Service) Invite(ctx context.Context, in *Session, address string, role Role, from From) (id string, err error) {
	address, folded, err := credentials.ParseAddress(address)
	switch {
	case err != nil:
		return "", err
	case !role.Valid():
		return "", errBadRole
	case !in.Account.Verified:
		return "", ErrUnverified
	case !in.Organization.Role.May(Owner):
		return "", ErrRole
	}
	if err := s.mayMail(ctx, folded, from); err != nil {
		return "", err
	}
	id = newID("i_")
	return id, s.asRole(ctx, in, Owner, func(c conn) error {
		var n int
		if _, err := c.row(ctx, `SELECT count(*) FROM access_members m JOIN access_accounts a ON a.id = m.account WHERE m.organization = $1 AND a.folded = $2`,
			args(in.Organization.ID, folded), &n); err != nil {
			return err
		}
		if n > 0 {
			return market.Errorf(market.CodeConflict, "%s is a member already", address)
		}
		now := s.now()
		if err := c.do(ctx, `INSERT INTO access_invitations (id, organization, address, folded, role, made_by, created_at, ends_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
			ON CONFLICT (organization, folded) DO UPDATE SET id = excluded.id, address = excluded.address, role = excluded.role, digest = NULL,
				made_by = excluded.made_by, created_at = excluded.created_at, ends_at = excluded.ends_at`,
			id, in.Organization.ID, address, folded, role, in.Account.ID, int64(now), int64(now+span(inviteLife))); err != nil {
			return err
		}
		if err := s.post(ctx, c, &entry{Kind: mailInvite, Address: address, Detail: detail{Invitation: id}}); err != nil {
			return err
		}
		return s.audit(ctx, c, in, "invited as "+string(role), address, from)
	})
}

// Uninvite withdraws an invitation. CodeNotFound: there is none.
func (s *Service) Uninvite(ctx context.Context, in *Session, id string, from From) error {
	return s.asRole(ctx, in, Owner, func(c conn) error {
		var address string
		ok, err := c.row(ctx, `DELETE FROM access_invitations WHERE id = $1 AND organization = $2 RETURNING address`, args(id, in.Organization.ID), &address)
		switch {
		case err != nil:
			return err
		case !ok:
			return market.Errorf(market.CodeNotFound, "invitation not found: %s", id)
		}
		return s.audit(ctx, c, in, "invitation withdrawn", address, from)
	})
}

// inviteKind is the kind of the secret of an invitation.
const inviteKind = "invitation"

// Accept makes the account a member of the organization that invited its address, and
// has the session work there. ErrLink: the link cannot be used; CodeForbidden: it was
// sent to another address.
func (s *Service) Accept(ctx context.Context, in *Session, secret string, from From) (out SignedIn, err error) {
	if !in.Account.Verified {
		return out, ErrUnverified
	}
	links := []try{{linksOfNetwork, network(from.Address), false}}
	if err := s.attempts(ctx, links); err != nil {
		return out, err
	}
	d := digestOf(inviteKind, secret)
	err = s.tx(ctx, func(c conn) error {
		if err := s.stillIn(ctx, c, in); err != nil {
			return err
		}
		var organization, folded string
		var role Role
		var maker sql.NullString
		ok, err := c.row(ctx, `SELECT i.organization, i.folded, i.role, m.account FROM access_invitations i
			LEFT JOIN access_members m ON m.organization = i.organization AND m.account = i.made_by AND m.role = 'owner'
			WHERE i.digest = $1 AND i.ends_at > $2`, args(d, int64(s.now())), &organization, &folded, &role, &maker)
		switch {
		case err != nil:
			return err
		case !ok || !maker.Valid: // or whoever invited may no more
			return ErrLink
		case folded != credentials.FoldAddress(in.Account.Address):
			return market.Errorf(market.CodeForbidden, "the invitation was sent to another address")
		}
		if n, err := c.exec(ctx, `DELETE FROM access_invitations WHERE digest = $1`, d); err != nil || n == 0 {
			return errors.Join(err, ErrLink)
		}
		if err := c.do(ctx, `INSERT INTO access_members (organization, account, role, since) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
			organization, in.Account.ID, role, int64(s.now())); err != nil {
			return err
		}
		if err := c.do(ctx, `UPDATE access_sessions SET organization = $2 WHERE id = $1`, in.ID, organization); err != nil {
			return err
		}
		if out, err = s.rotate(ctx, c, in.ID); err != nil {
			return err
		}
		return s.audit(ctx, c, &out.Session, "joined as "+string(role), in.Account.Address, from)
	})
	if err == nil {
		err = s.succeeded(ctx, links)
	}
	return out, err
}

// SetPlan puts an organization, named by its id or, where only one has it, its name, on
// a plan, with all its keys. It is the operator's. CodeNotFound: there is none.
func (s *Service) SetPlan(ctx context.Context, organization, plan string) (Membership, error) {
	p, err := s.cfg.Plans.Find(plan)
	if err != nil {
		return Membership{}, err
	}
	var out Membership
	err = s.tx(ctx, func(c conn) error {
		found, err := collect(ctx, c, `SELECT id, name, plan FROM access_organizations WHERE id = $1 OR name = $1 ORDER BY CASE WHEN id = $1 THEN 0 ELSE 1 END, id LIMIT 2`,
			args(organization), func(scan func(...any) error) (one Membership, err error) {
				return one, scan(&one.ID, &one.Name, &one.Plan)
			})
		switch {
		case err != nil:
			return err
		case len(found) == 0:
			return market.Errorf(market.CodeNotFound, "organization not found: %s", organization)
		case len(found) > 1 && found[0].ID != organization:
			return market.Errorf(market.CodeConflict, "several organizations are named %s: give the id", organization)
		}
		out = found[0]
		if err := c.do(ctx, `UPDATE access_organizations SET plan = $2 WHERE id = $1`, out.ID, p.ID()); err != nil {
			return err
		}
		if err := c.do(ctx, `UPDATE access_keys SET plan = $2 WHERE organization_id = $1`, out.ID, p.ID()); err != nil {
			return err
		}
		by := &Session{Organization: out}
		out.Plan = p.ID()
		return s.audit(ctx, c, by, "plan set", p.ID(), From{})
	})
	return out, err
}

// Disable shuts an account out, or lets it in again: its sessions end at once, and
// nobody signs in to it by whatever way. Keys are its organizations', and stay. It is
// the operator's; the audit of each organization of the account says so. CodeNotFound:
// no account has the address.
func (s *Service) Disable(ctx context.Context, address string, out bool) (written string, err error) {
	err = s.tx(ctx, func(c conn) error {
		var account string
		known, err := c.row(ctx, `UPDATE access_accounts SET folded = folded WHERE folded = $1 RETURNING id, address`, args(credentials.AddressKey(address)), &account, &written)
		switch {
		case err != nil:
			return err
		case !known:
			return market.Errorf(market.CodeNotFound, "account not found: %s", address)
		}
		at, action := int64(0), "account enabled"
		if out {
			at, action = int64(s.now()), "account disabled"
			if err := s.endSessions(ctx, c, account, ""); err != nil {
				return err
			}
		}
		if err := c.do(ctx, `UPDATE access_accounts SET disabled_at = $2 WHERE id = $1`, account, at); err != nil {
			return err
		}
		list, err := s.memberships(ctx, c, account)
		if err != nil {
			return err
		}
		for _, m := range list {
			if err := s.audit(ctx, c, &Session{Organization: m}, action, written, From{}); err != nil {
				return err
			}
		}
		return nil
	})
	return written, err
}

// Listed is an organization as the operator sees it.
type Listed struct {
	ID, Name, Plan string
	Members, Keys  int // keys: live ones
	CreatedAt      market.Instant
}

// All lists every organization, oldest first. It is the operator's.
func (s *Service) All(ctx context.Context) ([]Listed, error) {
	return collect(ctx, s.conn(), `SELECT o.id, o.name, o.plan, o.created_at,
		(SELECT count(*) FROM access_members m WHERE m.organization = o.id),
		(SELECT count(*) FROM access_keys k WHERE k.organization_id = o.id AND k.revoked_at = 0 AND (k.expires_at = 0 OR k.expires_at > $1))
		FROM access_organizations o ORDER BY o.created_at, o.id`, args(int64(s.now())), func(scan func(...any) error) (one Listed, err error) {
		return one, scan(&one.ID, &one.Name, &one.Plan, &one.CreatedAt, &one.Members, &one.Keys)
	})
}
