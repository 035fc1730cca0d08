package accounts

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"github.com/ladderback/ladderback/market"
)

// Delete removes the account, with its sessions, links and mails, and the organizations
// that have no other member, with their runs; its keys are revoked at once.
// CodeConflict: an organization with other members would be left without an owner.
func (s *Service) Delete(ctx context.Context, in *Session, password string) error {
	if err := s.again(ctx, in, password); err != nil {
		return err
	}
	return s.tx(ctx, func(c conn) error {
		if err := s.stillIn(ctx, c, in); err != nil {
			return err
		}
		return s.remove(ctx, c, in.Account.ID)
	})
}

// remove takes an account out of the tables.
func (s *Service) remove(ctx context.Context, c conn, account string) error {
	list, err := s.memberships(ctx, c, account)
	if err != nil {
		return err
	}
	for i := range list {
		if err := s.abandon(ctx, c, &list[i], account); err != nil {
			return err
		}
	}
	var address string
	if _, err := c.row(ctx, `SELECT address FROM access_accounts WHERE id = $1`, args(account), &address); err != nil {
		return err
	}
	if err := c.do(ctx, `UPDATE access_keys SET revoked_at = CASE WHEN revoked_at = 0 THEN $2 ELSE revoked_at END, maker = '' WHERE maker = $1`, account, int64(s.now())); err != nil {
		return err
	}
	if err := c.do(ctx, `DELETE FROM access_outbox WHERE account = $1 OR (address = $2 AND kind IN ('register', 'forgotten'))`, account, address); err != nil {
		return err
	}
	// Sessions, identities, links and memberships go with it.
	return c.do(ctx, `DELETE FROM access_accounts WHERE id = $1`, account)
}

// abandon takes an account out of an organization, which goes too if it was alone there.
func (s *Service) abandon(ctx context.Context, c conn, m *Membership, account string) error {
	if err := c.do(ctx, `UPDATE access_organizations SET name = name WHERE id = $1`, m.ID); err != nil { // nobody joins meanwhile
		return err
	}
	var others int
	if _, err := c.row(ctx, `SELECT count(*) FROM access_members WHERE organization = $1 AND account <> $2`, args(m.ID, account), &others); err != nil {
		return err
	}
	if others == 0 {
		for _, table := range []string{"access_usage_days", "access_refusals", "access_usage"} { // of sessions
			if err := c.do(ctx, `DELETE FROM `+table+` WHERE key_id >= $1 AND key_id < $2`, SessionKey+m.ID+":", SessionKey+m.ID+";"); err != nil {
				return err
			}
		}
		for _, query := range []string{
			`DELETE FROM access_usage_days WHERE key_id IN (SELECT id FROM access_keys WHERE organization_id = $1)`,
			`DELETE FROM access_refusals WHERE key_id IN (SELECT id FROM access_keys WHERE organization_id = $1)`,
			`DELETE FROM access_usage WHERE key_id IN (SELECT id FROM access_keys WHERE organization_id = $1)`,
			`DELETE FROM access_audit WHERE organization = $1`,
			`DELETE FROM access_keys WHERE organization_id = $1`,
			`DELETE FROM access_organizations WHERE id = $1`,
		} {
			if err := c.do(ctx, query, m.ID); err != nil {
				return err
			}
		}
		return s.post(ctx, c, &entry{Kind: kindForget, Detail: detail{Organization: m.ID}})
	}
	if m.Role == Owner {
		if n, err := s.otherOwners(ctx, c, m.ID, account); err != nil || n == 0 {
			return errors.Join(err, errLastOwner)
		}
	}
	return nil
}

// Export is everything that is kept about an account.
type Export struct {
	Account       Account
	Identities    []Identity
	Sessions      []Session
	Grants        []Grant
	Organizations []ExportedOrganization
	Mails         []ExportedMail
}

// ExportedOrganization is what an organization keeps that the account may see.
type ExportedOrganization struct {
	Membership
	Keys  []Key // that the account made
	Audit []Entry
}

// ExportedMail is a mail that was, or is to be, sent.
type ExportedMail struct {
	Kind, Address string
	MadeAt        market.Instant
	DoneAt        market.Instant // zero: it waits
}

// Export returns everything that is kept about the account of a session, but for
// runs.
func (s *Service) Export(ctx context.Context, in *Session) (out Export, err error) {
	out.Account = in.Account
	if out.Identities, err = s.Identities(ctx, in); err != nil {
		return out, err
	}
	if out.Sessions, err = s.Sessions(ctx, in); err != nil {
		return out, err
	}
	if out.Grants, err = s.Grants(ctx, in); err != nil {
		return out, err
	}
	list, err := s.Organizations(ctx, in)
	if err != nil {
		return out, err
	}
	for _, m := range list {
		one, err := s.exportOrganization(ctx, in, m)
		if err != nil {
			return out, err
		}
		out.Organizations = append(out.Organizations, one)
	}
	out.Mails, err = collect(ctx, s.conn(), `SELECT kind, address, made_at, done_at FROM access_outbox WHERE account = $1 ORDER BY made_at, id`, args(in.Account.ID),
		func(scan func(...any) error) (one ExportedMail, err error) {
			err = scan(&one.Kind, &one.Address, &one.MadeAt, &one.DoneAt)
			one.Address = cmp.Or(one.Address, in.Account.Address)
			return one, err
		})
	return out, err
}

func (s *Service) exportOrganization(ctx context.Context, in *Session, m Membership) (out ExportedOrganization, err error) {
	out.Membership = m
	there := *in
	there.Organization = m
	keys, err := s.Keys(ctx, &there)
	if err != nil {
		return out, err
	}
	for i := range keys {
		if keys[i].Maker == in.Account.ID {
			out.Keys = append(out.Keys, keys[i])
		}
	}
	out.Audit, err = collect(ctx, s.conn(), `SELECT id, at, action, target, network FROM access_audit WHERE organization = $1 AND account = $2 ORDER BY id`,
		args(m.ID, in.Account.ID), func(scan func(...any) error) (e Entry, err error) {
			e.Who = in.Account.Address
			return e, scan(&e.ID, &e.At, &e.Action, &e.What, &e.Network)
		})
	return out, err
}

// ExportRuns gives the runs of the organizations of a session's account to f, with
// their results: one at a time, since together they may be large.
func (s *Service) ExportRuns(ctx context.Context, in *Session, f func(run json.RawMessage) error) error {
	list, err := s.Organizations(ctx, in)
	if err != nil || s.cfg.Runs == nil {
		return err
	}
	for _, m := range list {
		if err := s.cfg.Runs.Export(ctx, m.ID, f); err != nil {
			return err
		}
	}
	return nil
}
