package accounts

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/market"
)

// A grant lets a client act for a person in one of the person's organizations. Its
// authorization code and its tokens are a family: one that is used twice, though it works
// once, was stolen from somebody, and ends all of them (RFC 9700, 4.14.2).

// Scopes of grants.
const (
	ScopeRead = "read" // what only reads
	ScopeRun  = "run"  // backtests and sweeps, too
)

// Scopes lists them.
var Scopes = [...]string{ScopeRead, ScopeRun}

// How long what belongs to a grant lives.
const (
	GrantCodeLife = time.Minute
	AccessLife    = 10 * time.Minute
	RefreshLife   = 30 * 24 * time.Hour // without a use
)

// MostGrants is how many live grants an account may have.
const MostGrants = 50

// Prefixes of what the clients of grants bear.
const (
	accessPrefix  = "lbo_"
	refreshPrefix = "lbr_"
)

// Kinds of what belongs to a grant.
const (
	kindCode    = "code"
	kindAccess  = "access"
	kindRefresh = "refresh"
)

// Errors of grants.
var (
	// ErrGrant: a code or a refresh token is unknown, over, used, or another client's.
	ErrGrant error = market.Errorf(market.CodeBadRequest, "the code or the refresh token is unknown, over, was used before, or is not this client's")
	// ErrScope: the scopes of the token do not hold what is asked for.
	ErrScope error = market.Errorf(market.CodeForbidden, "the token has the scope read alone: connect again, and allow run")
	// ErrScopes: more is asked for than was granted.
	ErrScopes error = market.Errorf(market.CodeBadRequest, "scope: more than was granted")
)

// isGranted reports whether a bearer is an access token of a grant rather than a key.
func isGranted(bearer string) bool { return strings.HasPrefix(bearer, accessPrefix) }

// Grant is what a person lets a client do.
type Grant struct {
	ID           string
	Client, Name string // id of the client, and the name that it gives itself
	Resource     string // audience of the tokens
	Scopes       []string
	Organization Membership // in which the client acts; of a list: ID and Name
	MadeAt       market.Instant
	UsedAt       market.Instant // when the last access token was made
}

// Proof is what a client has to show with an authorization code.
type Proof struct {
	Redirect  string `json:"redirect"`  // that the code was sent to
	Challenge string `json:"challenge"` // S256, of RFC 7636
}

// Claim is what a client shows for tokens: an authorization code, or a refresh token.
type Claim struct {
	Secret   string
	Client   string
	Redirect string   // empty: not said; a refresh token needs none
	Verifier string   // of the code's challenge
	Scopes   []string // nil: those granted
}

// Tokens are what a client is given.
type Tokens struct {
	Access, Refresh string
	Scopes          []string
}

// Allow grants a client what g has, in the organization of the session, and returns an
// authorization code. A viewer grants reading alone. CodeConflict: there are MostGrants.
func (s *Service) Allow(ctx context.Context, in *Session, g *Grant, p Proof, from From) (code string, err error) {
	if !in.Account.Verified {
		return "", ErrUnverified
	}
	detail, err := json.Marshal(p)
	if err != nil {
		return "", err
	}
	code = identity.NewSecret()
	err = s.asRole(ctx, in, Viewer, func(c conn) error {
		scopes := []string{ScopeRead}
		if slices.Contains(g.Scopes, ScopeRun) && in.Organization.Role.May(Member) {
			scopes = Scopes[:]
		}
		now := s.now()
		var live int
		if _, err := c.row(ctx, `SELECT count(*) FROM access_grants WHERE account = $1 AND ends_at > $2`, args(in.Account.ID, int64(now)), &live); err != nil {
			return err
		}
		if live >= MostGrants {
			return market.Errorf(market.CodeConflict, "%d agents are connected, the most: end one first", live)
		}
		id, ends := newID("g_"), int64(now+span(GrantCodeLife))
		if err := c.do(ctx, `INSERT INTO access_grants (id, account, organization, client, name, resource, scopes, made_at, used_at, ends_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`, id, in.Account.ID, in.Organization.ID, g.Client, g.Name, g.Resource,
			strings.Join(scopes, " "), int64(now), int64(now), ends); err != nil {
			return err
		}
		if err := s.keep(ctx, c, kindCode, code, id, scopes, string(detail), ends); err != nil {
			return err
		}
		return s.audit(ctx, c, in, "agent connected", id+" "+g.Client, from)
	})
	return code, err
}

// keep keeps a secret of a grant.
func (s *Service) keep(ctx context.Context, c conn, kind, secret, grant string, scopes []string, detail string, ends int64) error {
	return c.do(ctx, `INSERT INTO access_grant_tokens (digest, family, kind, scopes, detail, ends_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		digestOf(kind, secret), grant, kind, strings.Join(scopes, " "), detail, ends)
}

// Exchange gives a client tokens for an authorization code, which works once. ErrGrant: it
// does not work, or is used again, which ends its tokens. ErrScopes.
func (s *Service) Exchange(ctx context.Context, claim *Claim) (Tokens, error) {
	return s.redeem(ctx, kindCode, claim, func(detail string) bool {
		var p Proof
		if json.Unmarshal([]byte(detail), &p) != nil || claim.Redirect != "" && claim.Redirect != p.Redirect {
			return false
		}
		d := sha256.Sum256([]byte(claim.Verifier))
		return subtle.ConstantTimeCompare([]byte(base64.RawURLEncoding.EncodeToString(d[:])), []byte(p.Challenge)) == 1
	})
}

// Refresh gives a client other tokens for a refresh token, which works once, and fails as
// Exchange does.
func (s *Service) Refresh(ctx context.Context, claim *Claim) (Tokens, error) {
	return s.redeem(ctx, kindRefresh, claim, func(string) bool { return true })
}

// redeem uses up what a client shows, and gives it tokens.
func (s *Service) redeem(ctx context.Context, kind string, claim *Claim, proven func(detail string) bool) (out Tokens, err error) {
	refused := false // what was done is kept, and the client refused
	err = s.tx(ctx, func(c conn) error {
		now, d := s.now(), digestOf(kind, claim.Secret)
		n, err := c.exec(ctx, `UPDATE access_grant_tokens SET used_at = $3 WHERE digest = $1 AND kind = $2 AND used_at = 0`, d, kind, int64(now))
		if err != nil {
			return err
		}
		var family, client, scopes, detail string
		var ends int64
		found, err := c.row(ctx, `SELECT t.family, t.detail, t.ends_at, g.client, g.scopes FROM access_grant_tokens t
			JOIN access_grants g ON g.id = t.family
			JOIN access_accounts a ON a.id = g.account AND a.disabled_at = 0
			JOIN access_members m ON m.account = g.account AND m.organization = g.organization
			WHERE t.digest = $1 AND t.kind = $2`, args(d, kind), &family, &detail, &ends, &client, &scopes)
		if err != nil {
			return err
		}
		refused = !found || ends <= int64(now)
		if refused {
			return nil
		}
		if n == 0 || client != claim.Client || !proven(detail) {
			refused = true
			return s.endFamily(ctx, c, family)
		}
		out.Scopes = strings.Fields(scopes)
		if claim.Scopes != nil {
			for _, one := range claim.Scopes {
				if !slices.Contains(out.Scopes, one) {
					return ErrScopes
				}
			}
			out.Scopes = claim.Scopes
		}
		return s.hand(ctx, c, family, &out)
	})
	if err == nil && refused {
		err = ErrGrant
	}
	if err != nil {
		return Tokens{}, err
	}
	return out, nil
}

// hand makes the tokens of a grant, which lives on for RefreshLife.
func (s *Service) hand(ctx context.Context, c conn, family string, out *Tokens) error {
	now := s.now()
	ends := int64(now + span(RefreshLife))
	out.Access, out.Refresh = accessPrefix+identity.NewSecret(), refreshPrefix+identity.NewSecret()
	if err := c.do(ctx, `UPDATE access_grants SET used_at = $2, ends_at = $3 WHERE id = $1`, family, int64(now), ends); err != nil {
		return err
	}
	if err := s.keep(ctx, c, kindAccess, out.Access, family, out.Scopes, "", int64(now+span(AccessLife))); err != nil {
		return err
	}
	return s.keep(ctx, c, kindRefresh, out.Refresh, family, out.Scopes, "", ends)
}

// endFamily ends a grant of which something was used twice, or shown by another client.
func (s *Service) endFamily(ctx context.Context, c conn, id string) error {
	var in Session
	var client string
	ok, err := c.row(ctx, `SELECT account, organization, client FROM access_grants WHERE id = $1`, args(id), &in.Account.ID, &in.Organization.ID, &client)
	if err != nil || !ok {
		return err
	}
	if err := s.audit(ctx, c, &in, "agent ended: a code or token was used twice", id+" "+client, From{}); err != nil {
		return err
	}
	return c.do(ctx, `DELETE FROM access_grants WHERE id = $1`, id)
}

// OfGrant returns for whom the client that bears an access token for a resource acts, and
// its scopes. identity.ErrUnauthorized: the token is unknown, over, or for another
// resource; any other error means that the store did not answer.
func (s *Service) OfGrant(ctx context.Context, token, resource string) (*Session, []string, error) {
	var one Session
	var scopes string
	var verified int64
	ok, err := s.conn().row(ctx, `SELECT t.scopes, g.id, a.id, a.address, a.verified_at, o.id, o.name, o.plan, m.role
		FROM access_grant_tokens t
		JOIN access_grants g ON g.id = t.family
		JOIN access_accounts a ON a.id = g.account AND a.disabled_at = 0
		JOIN access_members m ON m.account = a.id AND m.organization = g.organization
		JOIN access_organizations o ON o.id = m.organization
		WHERE t.digest = $1 AND t.kind = $2 AND t.ends_at > $3 AND g.resource = $4`, args(digestOf(kindAccess, token), kindAccess, int64(s.now()), resource),
		&scopes, &one.ID, &one.Account.ID, &one.Account.Address, &verified,
		&one.Organization.ID, &one.Organization.Name, &one.Organization.Plan, &one.Organization.Role)
	switch {
	case err != nil:
		return nil, nil, err
	case !ok:
		return nil, nil, identity.ErrUnauthorized
	}
	one.Account.Verified = verified != 0
	return &one, strings.Fields(scopes), nil
}

// Withdraw ends the grant that a token of a client belongs to; there may be none.
func (s *Service) Withdraw(ctx context.Context, token, client string) error {
	return s.conn().do(ctx, `DELETE FROM access_grants WHERE client = $1 AND id IN
		(SELECT family FROM access_grant_tokens WHERE digest = $2 OR digest = $3)`, client, digestOf(kindAccess, token), digestOf(kindRefresh, token))
}

// Grants lists what the account lets clients do, the latest first.
func (s *Service) Grants(ctx context.Context, in *Session) ([]Grant, error) {
	return collect(ctx, s.conn(), `SELECT g.id, g.client, g.name, g.resource, g.scopes, g.made_at, g.used_at, o.id, o.name
		FROM access_grants g JOIN access_organizations o ON o.id = g.organization
		WHERE g.account = $1 AND g.ends_at > $2 ORDER BY g.made_at DESC, g.id`, args(in.Account.ID, int64(s.now())), func(scan func(...any) error) (g Grant, err error) {
		var scopes string
		err = scan(&g.ID, &g.Client, &g.Name, &g.Resource, &scopes, &g.MadeAt, &g.UsedAt, &g.Organization.ID, &g.Organization.Name)
		g.Scopes = strings.Fields(scopes)
		return g, err
	})
}

// EndGrant ends a grant of the account. CodeNotFound: it has no such grant.
func (s *Service) EndGrant(ctx context.Context, in *Session, id string, from From) error {
	return s.tx(ctx, func(c conn) error {
		n, err := c.exec(ctx, `DELETE FROM access_grants WHERE id = $1 AND account = $2`, id, in.Account.ID)
		if err != nil {
			return err
		}
		if n == 0 {
			return market.Errorf(market.CodeNotFound, "connected agent not found: %s", id)
		}
		return s.audit(ctx, c, in, "agent ended", id, from)
	})
}

// sweepGrants forgets grants and tokens that are over.
func (s *Service) sweepGrants(ctx context.Context) error {
	c, now := s.conn(), int64(s.now())
	if err := c.do(ctx, `DELETE FROM access_grants WHERE ends_at <= $1`, now); err != nil {
		return err
	}
	return c.do(ctx, `DELETE FROM access_grant_tokens WHERE ends_at <= $1`, now)
}
