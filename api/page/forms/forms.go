// Package forms serves the pages on which people come in: register, sign in, verify an
// address, ask for another password and set it, join an identity, take an invitation.
// They are plain HTML, and work without a script; one only spares pasting the code that a
// mail's link carries.
package forms

import (
	"context"
	_ "embed" // the template
	"fmt"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/identity/accounts"
	"github.com/ladderback/ladderback/identity/oauth"
	"github.com/ladderback/ladderback/identity/oidc"
)

// Accounts is what the pages do; *accounts.Service does it.
type Accounts interface {
	Register(ctx context.Context, address, password string, from accounts.From) error
	SignIn(ctx context.Context, address, password string, from accounts.From) (accounts.SignedIn, error)
	Verify(ctx context.Context, secret, password string, in *accounts.Session, from accounts.From) (accounts.Verified, error)
	Forgotten(ctx context.Context, address string, from accounts.From) error
	Reset(ctx context.Context, secret, password string, revoke bool, from accounts.From) error
	SignInWithIdentity(ctx context.Context, issuer, subject, address string, verified bool, from accounts.From) (accounts.SignedIn, error)
	Join(ctx context.Context, ticket, password string, from accounts.From) (accounts.SignedIn, error)
	Accept(ctx context.Context, in *accounts.Session, secret string, from accounts.From) (accounts.SignedIn, error)
	Allow(ctx context.Context, in *accounts.Session, g *accounts.Grant, p accounts.Proof, from accounts.From) (code string, err error)
	Closed() bool
	MailKind() string
}

// Browser is the browser at the other end of a request; *people.Handler knows it.
type Browser interface {
	From(r *http.Request) accounts.From
	// Session returns who is signed in; an error: nobody, or it cannot be told.
	Session(r *http.Request) (*accounts.Session, error)
	// Enter gives the browser a session in place of the one that it had. It may take other
	// cookies that are about to be set away.
	Enter(w http.ResponseWriter, r *http.Request, in *accounts.SignedIn) error
}

// Config configures Forms.
type Config struct {
	Accounts  Accounts
	Browser   Browser
	Providers *oidc.Providers // nil: there are none
	Agents    *oauth.Server   // reads what agents ask for; nil: they cannot
	// Assets are the files of the workbench page; of them the style, the font and the
	// script of forms are used, where they are there.
	Assets fs.FS
	Log    *slog.Logger // nil: nothing is logged
	// Secure is set where people reach the server over https.
	Secure bool
}

// Forms serves the pages. It is safe for concurrent use.
type Forms struct {
	cfg    Config
	assets assets
}

type assets struct{ Font, Style, Script string }

//go:embed forms.html
var source string

var pages = template.Must(template.New("").Parse(source))

// New finds the files that the pages name.
func New(cfg Config) (*Forms, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	f := &Forms{cfg: cfg}
	if cfg.Assets == nil {
		return f, nil
	}
	for pattern, into := range map[string]*string{
		"assets/inter-*.woff2": &f.assets.Font, "assets/style-*.css": &f.assets.Style, "assets/forms-*.js": &f.assets.Script,
	} {
		names, err := fs.Glob(cfg.Assets, pattern)
		if err != nil {
			return nil, fmt.Errorf("forms: %w", err)
		}
		if len(names) > 0 {
			*into = names[0]
		}
	}
	return f, nil
}

// Route is an address of the pages.
type Route struct {
	Method, Path string
	Handle       http.HandlerFunc
}

// Routes lists the addresses, in the patterns of net/http. Those with the method POST
// may be called from this site alone: that is the caller's to hold.
func (f *Forms) Routes() []Route {
	var out []Route
	for _, one := range f.pages() {
		out = append(out,
			Route{http.MethodGet, one.path, func(w http.ResponseWriter, r *http.Request) { f.show(w, r, one.open(r)) }},
			Route{http.MethodPost, one.path, func(w http.ResponseWriter, r *http.Request) {
				if !posted(w, r) {
					p := one.open(r)
					p.status, p.Problem = http.StatusBadRequest, "The form came broken: send it again."
					f.show(w, r, p)
					return
				}
				f.show(w, r, one.send(w, r))
			}})
	}
	if f.cfg.Providers != nil {
		out = append(out,
			Route{http.MethodGet, oidc.StartPath("{id}"), f.start},
			Route{http.MethodGet, oidc.CallbackPath("{id}"), f.back})
	}
	return out
}

// Addresses of the pages.
const (
	pathSignIn     = "/sign-in"
	pathRegister   = "/register"
	pathVerify     = "/verify"
	pathForgotten  = "/forgotten"
	pathReset      = "/reset"
	pathJoin       = "/join"
	pathInvitation = "/invitation"
)

// onePage is a page: how it opens, and what its button does.
type onePage struct {
	path string
	open func(r *http.Request) *page
	send func(w http.ResponseWriter, r *http.Request) *page
}

func (f *Forms) pages() []onePage {
	all := []onePage{
		{pathSignIn, f.signIn, f.sendSignIn},
		{pathRegister, f.register, f.sendRegister},
		{pathVerify, f.verify, f.sendVerify},
		{pathForgotten, f.forgotten, f.sendForgotten},
		{pathReset, f.reset, f.sendReset},
		{pathJoin, f.join, f.sendJoin},
		{pathInvitation, f.invitation, f.sendInvitation},
	}
	if f.cfg.Agents != nil {
		all = append(all, onePage{oauth.AuthorizePath, f.consent, f.sendConsent})
	}
	return all
}

// mostBytes bounds a form.
const mostBytes = 16 << 10

// posted reads a form as browsers send it, and reports whether it is one.
func posted(w http.ResponseWriter, r *http.Request) bool {
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	if !strings.EqualFold(strings.TrimSpace(kind), "application/x-www-form-urlencoded") {
		return false
	}
	r.Body = http.MaxBytesReader(w, r.Body, mostBytes)
	if r.ParseForm() != nil {
		return false
	}
	for _, texts := range r.PostForm {
		for _, text := range texts {
			if !wire.Storable(text) {
				return false
			}
		}
	}
	return true
}

// policy lets a page load the files of this server and send its form there, and nothing
// else, but that the answer to the form may lead to one other origin.
func policy(leadsTo string) string {
	return "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src data:; " +
		"base-uri 'none'; form-action " + strings.TrimSpace("'self' "+leadsTo) + "; frame-ancestors 'none'"
}

// page is what a page shows.
type page struct {
	Assets  assets
	Title   string
	Lead    []string
	Action  string
	Code    bool // the form takes the code of a mail's link
	Next    string
	Fields  []field
	Button  string
	Refuse  string // a second button, which says no; empty: there is none
	Request string // goes with the form
	Facts   []fact
	Problem string // of the whole form, unless OnField
	OnField bool
	Ways    []link
	Links   []link
	Note    string

	status int    // zero: 200
	to     string // where the browser goes instead
	leads  string // origin that the form leads to, beside this server's
	wait   int    // seconds until the next try; 0: not said
}

type field struct {
	Name, Label, Type, Complete string
	Value, Hint, Problem        string
	Shortest                    int
	Focus, Plain                bool
}

// Described names what describes the field; empty: nothing.
func (f field) Described() string {
	var by []string
	if f.Hint != "" {
		by = append(by, "hint")
	}
	if f.Problem != "" {
		by = append(by, "problem")
	}
	return strings.Join(by, " ")
}

type link struct{ Path, Words string }

type fact struct{ Name, Value string }

// show answers with a page, or leads to another.
func (f *Forms) show(w http.ResponseWriter, r *http.Request, p *page) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "same-origin")
	if p.to != "" {
		http.Redirect(w, r, p.to, http.StatusSeeOther)
		return
	}
	p.Assets = f.assets
	var out strings.Builder
	if err := pages.ExecuteTemplate(&out, "page", p); err != nil {
		f.note(r, err)
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", policy(p.leads))
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Robots-Tag", "noindex")
	if p.wait > 0 {
		h.Set("Retry-After", fmt.Sprint(p.wait))
	}
	if p.status != 0 {
		w.WriteHeader(p.status)
	}
	_, _ = w.Write([]byte(out.String())) // the browser has gone: nobody is left to tell
}

// note logs what went wrong without being the person's own fault.
func (f *Forms) note(r *http.Request, err error) {
	f.cfg.Log.LogAttrs(r.Context(), slog.LevelWarn, "a page of accounts failed", slog.String("request_id", wire.LogOf(r.Context()).ID),
		slog.String("path", r.URL.Path), slog.String("cause", err.Error()))
}

// signedIn returns who is signed in; nil: nobody, or it cannot be told.
func (f *Forms) signedIn(r *http.Request) *accounts.Session {
	in, err := f.cfg.Browser.Session(r)
	if err != nil {
		return nil
	}
	return in
}

// enter gives the browser a session and leads to a page. Whoever has to verify the
// address first is led to where that is said.
func (f *Forms) enter(w http.ResponseWriter, r *http.Request, in *accounts.SignedIn, to string) *page {
	others := slices.Clone(w.Header()["Set-Cookie"])
	err := f.cfg.Browser.Enter(w, r, in)
	for _, c := range others {
		w.Header().Add("Set-Cookie", c)
	}
	if err != nil {
		return f.failed(r, f.signIn(withoutSession(r)), err)
	}
	if to == "/" && !in.Account.Verified {
		to = "/account/keys"
	}
	return &page{to: to}
}
