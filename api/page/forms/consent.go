package forms

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/identity/accounts"
	"github.com/ladderback/ladderback/identity/oauth"
	"github.com/ladderback/ladderback/market"
)

// asked returns the query with which a client sent the browser here.
func asked(r *http.Request) string {
	if r.Method == http.MethodPost {
		return r.PostForm.Get("request")
	}
	return r.URL.RawQuery
}

// request reads what a client asks the person who is signed in for; otherwise the page that
// is shown instead.
func (f *Forms) request(r *http.Request) (in *accounts.Session, q *oauth.Request, instead *page) {
	if in = f.signedIn(r); in == nil { // only then are documents of clients fetched
		return nil, nil, &page{to: withNext(pathSignIn, Local(oauth.AuthorizePath+"?"+asked(r)))}
	}
	p := &page{Title: "Connect an agent", Links: []link{{"/", "To the workbench"}}}
	if !in.Account.Verified {
		return nil, nil, f.failed(r, p, accounts.ErrUnverified)
	}
	values, err := url.ParseQuery(asked(r))
	if err != nil {
		return nil, nil, f.failed(r, p, market.Errorf(market.CodeBadRequest, "the address is broken"))
	}
	q, err = f.cfg.Agents.Read(r.Context(), values)
	if refusal, ok := errors.AsType[*oauth.Refusal](err); ok {
		return nil, nil, &page{to: refusal.To}
	}
	if err != nil {
		return nil, nil, f.failed(r, p, err)
	}
	return in, q, nil
}

func (f *Forms) consent(r *http.Request) *page {
	in, q, instead := f.request(r)
	if instead != nil {
		return instead
	}
	return consentPage(r, in, q)
}

// consentPage asks whether a client may act for the person.
func consentPage(r *http.Request, in *accounts.Session, q *oauth.Request) *page {
	to, _ := url.Parse(q.Redirect) // one of the client's
	from := q.Client.Host()
	if from == "" {
		from = q.Client.ID + ", which the operator of this server knows"
	}
	p := &page{
		Title: "Connect an agent", Action: oauth.AuthorizePath, Request: asked(r), Button: "Allow", Refuse: "Do not allow",
		Lead: []string{"“" + q.Client.Name + "” asks to use Ladderback for you. Allow it only if you began this there."},
		Facts: []fact{
			{"Client", from}, {"The answer goes to", to.Host},
			{"Account", in.Account.Address}, {"Organization", in.Organization.Name},
			{"read", "Look up markets, history and your organization's runs, and read strategies. Counts against your limits."},
		},
		leads: to.Scheme + "://" + to.Host,
		Note:  "You can end this at any time, in your account.",
	}
	if strings.Contains(to.Hostname(), ":") { // a policy cannot name an address of IPv6
		p.leads = to.Scheme + ":"
	}
	if oauth.IsLoopback(to.Hostname()) {
		p.Facts[1].Value += ", a program on this computer"
	}
	if slices.Contains(q.Scopes, accounts.ScopeRun) && in.Organization.Role.May(accounts.Member) {
		p.Fields = []field{{Name: "run", Label: "run: start backtests and sweeps, and cancel them", Type: "checkbox", Value: "yes"}}
	}
	return p
}

func (f *Forms) sendConsent(_ http.ResponseWriter, r *http.Request) *page {
	in, q, instead := f.request(r)
	switch {
	case instead != nil:
		return instead
	case r.PostForm.Get("answer") != "yes":
		return &page{to: q.Denied()}
	}
	g := &accounts.Grant{Client: q.Client.ID, Name: q.Client.Name, Resource: f.cfg.Agents.Resource(), Scopes: []string{accounts.ScopeRead}}
	if r.PostForm.Get("run") != "" && slices.Contains(q.Scopes, accounts.ScopeRun) {
		g.Scopes = accounts.Scopes[:]
	}
	code, err := f.cfg.Accounts.Allow(r.Context(), in, g, q.Proof, f.cfg.Browser.From(r))
	if err != nil {
		return f.failed(r, consentPage(r, in, q), err)
	}
	return &page{to: q.Allowed(code)}
}
