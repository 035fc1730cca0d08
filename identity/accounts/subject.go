package accounts

import (
	"context"
	"slices"

	"github.com/ladderback/ladderback/identity"
)

// Subject is who asks: whoever has a key, or a person who is signed in.
type Subject struct {
	// Holder has the key that requests count against, a person's own in an organization,
	// and its plan.
	identity.Holder
	Person *Session // nil: whoever has a key
	Reads  bool     // a client acts for the person, with a grant that only reads
}

// May says why the subject may not do what only reads, or what does more: ErrUnverified,
// ErrRole or ErrScope; nil: it may. A key may do both.
func (s *Subject) May(reads bool) error {
	switch {
	case s.Person == nil:
	case !s.Person.Account.Verified:
		return ErrUnverified
	case !reads && !s.Person.Organization.Role.May(Member):
		return ErrRole
	case !reads && s.Reads:
		return ErrScope
	}
	return nil
}

// Authenticator says who asks, by the token of a session or of a person; whoever bears a key
// is found by the keys themselves. It is safe for concurrent use.
type Authenticator struct {
	Keys   *identity.Keys
	People *Service // nil: there are keys alone
}

// BySession returns whose session the token of a cookie is. It returns
// identity.ErrNoSession for one that is over, and an error with code forbidden if the plan
// is not configured, of a person beside who it is; any other error means that the store
// did not answer.
func (g *Authenticator) BySession(ctx context.Context, token string) (Subject, error) {
	if g.isPersons(token) {
		return g.subject(g.People.InSession(ctx, token))
	}
	h, err := g.Keys.InSession(ctx, token)
	return Subject{Holder: h}, err
}

// ByToken returns whose token it is. It returns identity.ErrUnauthorized for what is invalid,
// over, or no person's token at all, else the errors of BySession.
func (g *Authenticator) ByToken(ctx context.Context, secret string) (Subject, error) {
	if g.People == nil || !isToken(secret) {
		return Subject{}, identity.ErrUnauthorized
	}
	return g.subject(g.People.OfToken(ctx, secret))
}

// ByGrant returns for whom a client acts that bears an access token for a resource. Its errors
// are those of ByToken.
func (g *Authenticator) ByGrant(ctx context.Context, secret, resource string) (Subject, error) {
	if g.People == nil || !isGranted(secret) {
		return Subject{}, identity.ErrUnauthorized
	}
	in, scopes, err := g.People.OfGrant(ctx, secret, resource)
	who, err := g.subject(in, err)
	who.Reads = !slices.Contains(scopes, ScopeRun)
	return who, err
}

// SignOut ends the session of a token; none, or one that is over, is no error.
func (g *Authenticator) SignOut(ctx context.Context, token string) error {
	switch {
	case token == "":
		return nil
	case g.isPersons(token):
		return g.People.SignOut(ctx, token)
	}
	return g.Keys.SignOut(ctx, token)
}

func (g *Authenticator) isPersons(token string) bool { return g.People != nil && isSession(token) }

func (g *Authenticator) subject(in *Session, err error) (Subject, error) {
	if err != nil {
		return Subject{}, err
	}
	h, err := in.Holder(g.People.Plans())
	return Subject{Holder: h, Person: in}, err
}
