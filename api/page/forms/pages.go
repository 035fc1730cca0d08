package forms

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/ladderback/ladderback/identity/accounts"
	"github.com/ladderback/ladderback/identity/credentials"
	"github.com/ladderback/ladderback/identity/oidc"
	"github.com/ladderback/ladderback/market"
)

// maxNext is how long a path of this server may be that a browser is led to, in bytes.
const maxNext = 2048

// Local returns a path of this server, to lead a browser to: next if it is one, else "/".
func Local(next string) string {
	u, err := url.Parse(next)
	if err != nil || len(next) > maxNext || u.IsAbs() || u.Host != "" || u.User != nil || u.Opaque != "" ||
		!strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsFunc(next, func(r rune) bool { return r == '\\' || unicode.IsControl(r) || unicode.IsSpace(r) }) {
		return "/"
	}
	return next
}

// withNext adds to a path where its page leads afterwards.
func withNext(path, next string) string {
	if next == "/" || next == "" {
		return path
	}
	return path + "?next=" + url.QueryEscape(next)
}

func nextOf(r *http.Request) string {
	if r.Method == http.MethodPost {
		return Local(r.PostForm.Get("next"))
	}
	return Local(r.URL.Query().Get("next"))
}

// sentence makes a sentence of a message.
func sentence(text string) string {
	r := []rune(text)
	r[0] = unicode.ToUpper(r[0])
	if last := r[len(r)-1]; last != '.' && last != '!' && last != '?' {
		r = append(r, '.')
	}
	return string(r)
}

// failed puts what went wrong onto a page.
func (f *Forms) failed(r *http.Request, p *page, err error) *page {
	e := market.AsError(err)
	if e == nil || e.Code.Status() == http.StatusInternalServerError {
		f.note(r, err)
		p.status, p.Problem = http.StatusServiceUnavailable, "That did not work, and it is not your fault. Try again in a moment."
		return p
	}
	if e.Cause != nil {
		f.note(r, err)
	}
	p.status, p.Problem, p.wait = e.Code.Status(), sentence(e.Message), e.RetryAfter
	if e.Code == market.CodeRateLimited && e.RetryAfter > 0 {
		p.Problem = "Too many tries: wait " + waiting(e.RetryAfter) + " before the next."
	}
	return p
}

// waiting says a number of seconds.
func waiting(seconds int) string {
	if seconds < 120 {
		return strconv.Itoa(seconds) + " s"
	}
	return strconv.Itoa((seconds+59)/60) + " minutes"
}

// onField puts what is wrong with a field onto a page.
func onField(p *page, name string, err error) *page {
	p.status, p.OnField, p.Problem = http.StatusUnprocessableEntity, true, "invalid"
	for i := range p.Fields {
		one := &p.Fields[i]
		one.Focus = one.Name == name
		if one.Focus {
			one.Problem, one.Hint = sentence(err.Error()), ""
		}
	}
	return p
}

func addressField(value string) field {
	return field{Name: "email", Label: "Email address", Type: "email", Complete: "username", Value: value, Focus: true, Plain: true}
}

func newPassword(label string) field {
	return field{
		Name: "password", Label: label, Type: "password", Complete: "new-password", Shortest: credentials.MinPassword,
		Hint: "At least " + strconv.Itoa(credentials.MinPassword) + " characters. A few words in a row are good.",
	}
}

func password() field {
	return field{Name: "password", Label: "Password", Type: "password", Complete: "current-password"}
}

func codeField(value string) field {
	return field{
		Name: "code", Label: "Code from the mail", Type: "text", Complete: "one-time-code", Value: value, Focus: true, Plain: true,
		Hint: "The link in the mail fills it in.",
	}
}

// mailed says where mails go, where that is not to the people that they are for.
func (f *Forms) mailed() string {
	if f.cfg.Accounts.MailKind() != "log" {
		return ""
	}
	return "This server sends no mail. What it would send is in its log, for trying out."
}

func (f *Forms) signIn(r *http.Request) *page {
	next := nextOf(r)
	if r.Method == http.MethodGet && f.signedIn(r) != nil {
		return &page{to: next}
	}
	p := &page{
		Title: "Sign in", Action: pathSignIn, Button: "Sign in", Fields: []field{addressField(""), password()},
		Links: []link{{withNext(pathRegister, next), "Register"}, {pathForgotten, "Forgotten the password?"}, {"/#key", "Sign in with an API key"}},
	}
	if next != "/" {
		p.Next = next
	}
	if f.cfg.Accounts.Closed() {
		p.Links = p.Links[1:]
	}
	if f.cfg.Providers != nil {
		for _, one := range f.cfg.Providers.List() {
			p.Ways = append(p.Ways, link{withNext(oidc.StartPath(one.ID), next), "Continue with " + one.Name})
		}
	}
	return p
}

func (f *Forms) sendSignIn(w http.ResponseWriter, r *http.Request) *page {
	p := f.signIn(r)
	address := r.PostForm.Get("email")
	in, err := f.cfg.Accounts.SignIn(r.Context(), address, r.PostForm.Get("password"), f.cfg.Browser.From(r))
	if err != nil {
		p.Fields[0].Value, p.Fields[0].Focus, p.Fields[1].Focus = address, false, true
		return f.failed(r, p, err)
	}
	return f.enter(w, r, &in, nextOf(r))
}

func (f *Forms) register(r *http.Request) *page {
	next := nextOf(r)
	p := &page{
		Title: "Register", Action: pathRegister, Button: "Register", Fields: []field{addressField(""), newPassword("Password")},
		Lead:  []string{"Free, without a payment card."},
		Links: []link{{withNext(pathSignIn, next), "I have an account"}}, Note: f.mailed(),
	}
	if f.cfg.Accounts.Closed() {
		p.Fields, p.Note = nil, ""
		p.Lead = []string{"This server takes no registrations. Its operator makes accounts and keys."}
	}
	return p
}

func (f *Forms) sendRegister(_ http.ResponseWriter, r *http.Request) *page {
	p := f.register(r)
	address, secret := r.PostForm.Get("email"), r.PostForm.Get("password")
	if len(p.Fields) == 0 {
		p.status = http.StatusForbidden
		return p
	}
	p.Fields[0].Value = address
	if _, _, err := credentials.ParseAddress(address); err != nil {
		return onField(p, "email", err)
	}
	if err := credentials.CheckPassword(secret, address); err != nil {
		return onField(p, "password", err)
	}
	if err := f.cfg.Accounts.Register(r.Context(), address, secret, f.cfg.Browser.From(r)); err != nil {
		return f.failed(r, p, err)
	}
	return &page{
		Title: "Look into your mail", status: http.StatusAccepted, Note: f.mailed(),
		Lead: []string{
			"We wrote to the address. The link in the mail works for 24 hours.",
			"A few seconds from now you can sign in, before you open it too; data and keys need a verified address.",
		},
		Links: []link{{pathSignIn, "Sign in"}, {pathVerify, "I have a code to paste"}},
	}
}

func (f *Forms) verify(r *http.Request) *page {
	p := &page{
		Title: "Verify your address", Action: pathVerify, Code: true, Button: "Verify", Fields: []field{codeField("")},
		Lead: []string{"One click, and the address is yours."}, Links: []link{{pathSignIn, "Sign in"}}, Note: f.mailed(),
	}
	if f.signedIn(r) == nil {
		f.askPassword(p)
	}
	return p
}

// askPassword has the page of a link ask for the password of its registration: anybody
// can have a link sent to any address.
func (f *Forms) askPassword(p *page) {
	one := password()
	one.Label, one.Hint = "Your password", "The one that you chose when you registered."
	p.Fields[0].Hint = ""
	p.Fields, p.Lead = append(p.Fields[:1], one), []string{"The code and your password, and the address is yours."}
}

func (f *Forms) sendVerify(w http.ResponseWriter, r *http.Request) *page {
	in := f.signedIn(r)
	out, err := f.cfg.Accounts.Verify(r.Context(), codeOf(r), r.PostForm.Get("password"), in, f.cfg.Browser.From(r))
	if err != nil {
		p := f.verify(r)
		p.Fields[0].Value = codeOf(r)
		if market.CodeOf(err) == market.CodeUnauthorized {
			f.askPassword(p)
		} else if in == nil {
			p.Lead = []string{"Sign in to have another link sent."}
		}
		return f.failed(r, p, err)
	}
	done := &page{Title: "Address verified", Lead: []string{out.Address + " is yours."}, Links: []link{{"/", "To the workbench"}, {"/account/keys", "Make a key"}}}
	if out.Session == nil {
		done.Links = []link{{pathSignIn, "Sign in"}}
	} else if to := f.enter(w, r, out.Session, "/"); to.Problem != "" {
		return to
	}
	return done
}

// codeOf is the code of a mail's link, without what pasting adds.
func codeOf(r *http.Request) string {
	code := strings.Join(strings.Fields(r.PostForm.Get("code")), "")
	if i := strings.LastIndexByte(code, '#'); i >= 0 { // the whole link
		code = code[i+1:]
	}
	return code
}

func (f *Forms) forgotten(*http.Request) *page {
	return &page{
		Title: "Forgotten password", Action: pathForgotten, Button: "Send a link", Fields: []field{addressField("")},
		Lead: []string{"We write to the address, if it has an account."}, Links: []link{{pathSignIn, "Sign in"}}, Note: f.mailed(),
	}
}

func (f *Forms) sendForgotten(_ http.ResponseWriter, r *http.Request) *page {
	p := f.forgotten(r)
	address := r.PostForm.Get("email")
	p.Fields[0].Value = address
	if _, _, err := credentials.ParseAddress(address); err != nil {
		return onField(p, "email", err)
	}
	if err := f.cfg.Accounts.Forgotten(r.Context(), address, f.cfg.Browser.From(r)); err != nil {
		return f.failed(r, p, err)
	}
	return &page{
		Title: "Look into your mail", status: http.StatusAccepted, Note: f.mailed(),
		Lead:  []string{"If the address has an account, we wrote to it. The link in the mail works for an hour."},
		Links: []link{{pathReset, "I have a code to paste"}, {pathSignIn, "Sign in"}},
	}
}

func (f *Forms) reset(*http.Request) *page {
	p := &page{
		Title: "Set another password", Action: pathReset, Code: true, Button: "Set the password",
		Fields: []field{codeField(""), newPassword("New password"), {
			Name: "revoke", Label: "Revoke my API keys too, and forget identity providers", Type: "checkbox", Value: "yes",
		}},
		Lead: []string{"All sessions end. If somebody else may know the password, revoke the keys too: they may have made some."}, Links: []link{{pathForgotten, "Another link"}}, Note: f.mailed(),
	}
	p.Fields[0].Hint = ""
	return p
}

func (f *Forms) sendReset(_ http.ResponseWriter, r *http.Request) *page {
	p := f.reset(r)
	p.Fields[0].Value = codeOf(r)
	if err := f.cfg.Accounts.Reset(r.Context(), codeOf(r), r.PostForm.Get("password"), r.PostForm.Get("revoke") != "", f.cfg.Browser.From(r)); err != nil {
		if market.CodeOf(err) == market.CodeInvalid {
			return onField(p, "password", err)
		}
		return f.failed(r, p, err)
	}
	return &page{Title: "Password set", Lead: []string{"All sessions have ended. Sign in with the new password."}, Links: []link{{pathSignIn, "Sign in"}}}
}

func (f *Forms) invitation(r *http.Request) *page {
	p := &page{Title: "An invitation", Action: pathInvitation, Code: true, Note: f.mailed()}
	in := f.signedIn(r)
	if in == nil {
		p.Lead = []string{"Sign in with the address that it was sent to, or register with it, to join the organization."}
		p.Links = []link{{withNext(pathSignIn, pathInvitation), "Sign in"}, {withNext(pathRegister, pathInvitation), "Register"}}
		return p
	}
	p.Lead, p.Button, p.Fields = []string{"You are signed in as " + in.Account.Address + "."}, "Join the organization", []field{codeField("")}
	p.Links = []link{{"/", "Not now"}}
	return p
}

func (f *Forms) sendInvitation(w http.ResponseWriter, r *http.Request) *page {
	in := f.signedIn(r)
	if in == nil {
		p := f.invitation(r)
		p.status = http.StatusUnauthorized
		return p
	}
	out, err := f.cfg.Accounts.Accept(r.Context(), in, codeOf(r), f.cfg.Browser.From(r))
	if err != nil {
		p := f.invitation(r)
		p.Fields[0].Value = codeOf(r)
		return f.failed(r, p, err)
	}
	return f.enter(w, r, &out, "/account/members")
}

// start leads to an identity provider.
func (f *Forms) start(w http.ResponseWriter, r *http.Request) {
	if err := f.cfg.Providers.Start(w, r, r.PathValue("id"), nextOf(r)); err != nil {
		f.show(w, r, f.failed(r, f.signIn(withoutSession(r)), err))
	}
}

// withoutSession is a request for the page of signing in, whoever is signed in.
func withoutSession(r *http.Request) *http.Request {
	r = r.Clone(r.Context())
	r.Method, r.PostForm = http.MethodPost, url.Values{}
	return r
}

// back takes what a browser brings from an identity provider.
func (f *Forms) back(w http.ResponseWriter, r *http.Request) {
	who, err := f.cfg.Providers.Finish(w, r, r.PathValue("id"))
	if err == nil {
		var in accounts.SignedIn
		in, err = f.cfg.Accounts.SignInWithIdentity(r.Context(), who.Issuer, who.Subject, who.Address, who.Verified, f.cfg.Browser.From(r))
		if err == nil {
			f.show(w, r, f.enter(w, r, &in, Local(who.Next)))
			return
		}
	}
	if join, ok := errors.AsType[*accounts.JoinError](err); ok {
		http.SetCookie(w, f.ticket(join.Ticket))
		f.show(w, r, &page{to: withNext(pathJoin, Local(who.Next))})
		return
	}
	f.show(w, r, f.failed(r, f.signIn(withoutSession(r)), err))
}

const ticketLife = 10 * time.Minute

// ticket is the cookie that keeps a ticket between two pages; without one, what removes
// it.
func (f *Forms) ticket(value string) *http.Cookie {
	c := &http.Cookie{
		Name: "ladderback_join", Value: value, Path: "/", MaxAge: int(ticketLife / time.Second),
		HttpOnly: true, Secure: f.cfg.Secure, SameSite: http.SameSiteLaxMode,
	}
	if c.Secure {
		c.Name = "__Host-" + c.Name
	}
	if value == "" {
		c.MaxAge = -1
	}
	return c
}

func (f *Forms) join(r *http.Request) *page {
	p := &page{
		Title: "You have an account already", Action: pathJoin, Button: "Join and sign in", Fields: []field{password()},
		Lead:  []string{"There is an account with this address. Its password, once, joins the two; from then on either way signs you in."},
		Links: []link{{pathForgotten, "Forgotten the password?"}, {pathSignIn, "Sign in another way"}},
	}
	p.Fields[0].Focus = true
	if next := nextOf(r); next != "/" {
		p.Next = next
	}
	return p
}

func (f *Forms) sendJoin(w http.ResponseWriter, r *http.Request) *page {
	c, err := r.Cookie(f.ticket("").Name)
	if err != nil {
		c = &http.Cookie{}
	}
	in, err := f.cfg.Accounts.Join(r.Context(), c.Value, r.PostForm.Get("password"), f.cfg.Browser.From(r))
	if errors.Is(err, accounts.ErrLink) {
		p := f.signIn(r)
		p.status, p.Problem = http.StatusBadRequest, "That took over ten minutes, or was done already: sign in again."
		return p
	}
	if err != nil {
		p := f.failed(r, f.join(r), err)
		if market.CodeOf(err) == market.CodeUnauthorized {
			p.Problem = "The password is wrong."
		}
		return p
	}
	http.SetCookie(w, f.ticket(""))
	return f.enter(w, r, &in, nextOf(r))
}
