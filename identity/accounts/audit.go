package accounts

import (
	"context"
	"database/sql"
	"time"

	"github.com/ladderback/ladderback/market"
)

// AuditLife is how long the audit is kept.
const AuditLife = 365 * 24 * time.Hour

// auditPage is how many entries are told at a time.
const auditPage = 100

// Entry is one entry of an organization's audit.
type Entry struct {
	ID      string
	At      market.Instant
	Who     string // address of the account; "operator"; empty: an account that is gone
	Action  string
	What    string
	Network string
}

// audit notes what somebody did, in the organization of the session; in each of the
// account's where the session has none.
func (s *Service) audit(ctx context.Context, c conn, in *Session, action, target string, from From) error {
	organizations := []string{in.Organization.ID}
	if in.Organization.ID == "" {
		list, err := s.memberships(ctx, c, in.Account.ID)
		if err != nil {
			return err
		}
		organizations = nil
		for _, m := range list {
			organizations = append(organizations, m.ID)
		}
	}
	now := s.now()
	for _, o := range organizations {
		err := c.do(ctx, `INSERT INTO access_audit (id, organization, account, action, target, at, network) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			s.orderedID("l_", now), o, in.Account.ID, action, target, int64(now), network(from.Address))
		if err != nil {
			return err
		}
	}
	return nil
}

// Audit returns entries of the organization's audit, newest first, at most 100: those
// before an entry, all if that is empty. next is the entry to go on before; empty: there
// are no more.
func (s *Service) Audit(ctx context.Context, in *Session, before string) (list []Entry, next string, err error) {
	if !in.Organization.Role.May(Owner) {
		return nil, "", ErrRole
	}
	if before == "" {
		before = "m" // after every id
	}
	list, err = collect(ctx, s.conn(), `SELECT l.id, l.at, l.account, a.address, l.action, l.target, l.network
		FROM access_audit l LEFT JOIN access_accounts a ON a.id = l.account
		WHERE l.organization = $1 AND l.id < $2 AND l.at > $3 ORDER BY l.id DESC LIMIT $4`,
		args(in.Organization.ID, before, int64(s.now()-span(AuditLife)), int64(auditPage+1)), func(scan func(...any) error) (e Entry, err error) {
			var account string
			var address sql.NullString
			err = scan(&e.ID, &e.At, &account, &address, &e.Action, &e.What, &e.Network)
			if e.Who = address.String; account == "" {
				e.Who = "operator"
			}
			return e, err
		})
	if len(list) > auditPage {
		list = list[:auditPage]
		next = list[auditPage-1].ID
	}
	return list, next, err
}

// sweepAudit forgets entries older than AuditLife.
func (s *Service) sweepAudit(ctx context.Context) error {
	return s.conn().do(ctx, `DELETE FROM access_audit WHERE at <= $1`, int64(s.now()-span(AuditLife)))
}
