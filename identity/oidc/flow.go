package oidc

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	gooidc "github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/ladderback/ladderback/market"
)

// flowLife is how long somebody may take at the provider.
const flowLife = 10 * time.Minute

// flow is a sign-in that was begun, as its browser keeps it. Each has a cookie of its own,
// so that two tabs do not disturb each other.
type flow struct {
	Provider string `json:"p"`
	State    string `json:"s"`
	Nonce    string `json:"n"`
	Verifier string `json:"v"`
	Next     string `json:"t"`
	Ends     int64  `json:"e"` // Unix seconds
}

func (p *Providers) secure() bool { return strings.HasPrefix(p.cfg.BaseURL, "https://") }

// cookie returns the cookie of a flow; without a value, one that removes it.
func (p *Providers) cookie(state, value string) *http.Cookie {
	d := sha256.Sum256([]byte(state))
	c := &http.Cookie{
		Name: "ladderback_flow_" + hex.EncodeToString(d[:6]), Value: value, Path: "/", MaxAge: int(flowLife / time.Second),
		HttpOnly: true, Secure: p.secure(), SameSite: http.SameSiteLaxMode, // it comes back from the provider's site
	}
	if c.Secure {
		c.Name = "__Host-" + c.Name
	}
	if value == "" {
		c.MaxAge = -1
	}
	return c
}

// flowsAtATime is how many sign-ins of one browser are kept that were begun and not ended.
const flowsAtATime = 4

// dropOld removes the cookies of flows that are over, and of the oldest, so that there is
// room for one more.
func (p *Providers) dropOld(w http.ResponseWriter, r *http.Request) {
	type begun struct {
		name string
		ends int64
	}
	var all []begun
	prefix, _, _ := strings.Cut(p.cookie("", "").Name, "flow_")
	for _, c := range r.Cookies() {
		if !strings.HasPrefix(c.Name, prefix+"flow_") {
			continue
		}
		var f flow
		if text, err := base64.RawURLEncoding.DecodeString(c.Value); err != nil || json.Unmarshal(text, &f) != nil || f.Ends <= p.cfg.Now().Unix() {
			f.Ends = 0
		}
		all = append(all, begun{c.Name, f.Ends})
	}
	slices.SortStableFunc(all, func(a, b begun) int { return cmp.Compare(b.ends, a.ends) })
	for i, one := range all {
		if one.ends == 0 || i >= flowsAtATime-1 {
			gone := p.cookie("", "")
			gone.Name = one.name
			http.SetCookie(w, gone)
		}
	}
}

// maxNext bounds where a person is led afterwards: it is kept in the browser.
const maxNext = 2048

// Start leads the browser to a provider. next is a path of this server, shown once the
// person is back; one of over 2048 bytes is not kept.
func (p *Providers) Start(w http.ResponseWriter, r *http.Request, id, next string) error {
	one, err := p.find(id)
	if err != nil {
		return err
	}
	d, err := p.describe(r.Context(), one)
	if err != nil {
		return err
	}
	if len(next) > maxNext {
		next = "/"
	}
	f := flow{
		Provider: id, State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), Next: next,
		Ends: p.cfg.Now().Add(flowLife).Unix(),
	}
	text, err := json.Marshal(f)
	if err != nil {
		return err
	}
	p.dropOld(w, r)
	http.SetCookie(w, p.cookie(f.State, base64.RawURLEncoding.EncodeToString(text)))
	at := p.oauth(one, d).AuthCodeURL(f.State, gooidc.Nonce(f.Nonce), oauth2.S256ChallengeOption(f.Verifier))
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	http.Redirect(w, r, at, http.StatusSeeOther)
	return nil
}

// Person is whom a provider vouches for.
type Person struct {
	Issuer, Subject string
	Address         string // empty: the provider gives none
	Verified        bool   // the provider says that it verified the address
	Next            string // what Start was given
}

// Finish takes the answer that a browser brings from a provider. CodeBadRequest: it does
// not belong to a sign-in that this browser began. CodeUnauthorized: the provider
// refused, or what it says does not hold. CodeUnavailable: it does not answer.
func (p *Providers) Finish(w http.ResponseWriter, r *http.Request, id string) (Person, error) {
	one, err := p.find(id)
	if err != nil {
		return Person{}, err
	}
	f, err := p.begun(w, r, id)
	if err != nil {
		return Person{}, err
	}
	d, err := p.describe(r.Context(), one)
	if err != nil {
		return Person{}, err
	}
	q := r.URL.Query()
	if got := q["iss"]; len(got) > 1 || len(got) == 1 && got[0] != one.Issuer || len(got) == 0 && d.more.SaysIssuer {
		return Person{}, untrusted(one, fmt.Errorf("the answer is of the issuer %q", got))
	}
	if code := q.Get("error"); code != "" {
		return Person{}, refusal(one, code)
	}
	if len(q["code"]) != 1 || q.Get("code") == "" {
		return Person{}, untrusted(one, errors.New("the answer has no code"))
	}
	ctx := gooidc.ClientContext(r.Context(), p.client)
	person, err := p.redeem(ctx, one, d, &f, q.Get("code"))
	person.Next = f.Next
	return person, err
}

// begun finds the flow that an answer belongs to, and ends it.
func (p *Providers) begun(w http.ResponseWriter, r *http.Request, id string) (f flow, err error) {
	lost := market.Errorf(market.CodeBadRequest, "this sign-in was not begun in this browser, or more than ten minutes ago: sign in again")
	states := r.URL.Query()["state"]
	if len(states) != 1 || states[0] == "" {
		return f, lost
	}
	gone := p.cookie(states[0], "")
	c, err := r.Cookie(gone.Name)
	if err != nil {
		return f, lost
	}
	http.SetCookie(w, gone)
	text, err := base64.RawURLEncoding.DecodeString(c.Value)
	if err != nil || json.Unmarshal(text, &f) != nil {
		return f, lost
	}
	same := subtle.ConstantTimeCompare([]byte(f.State), []byte(states[0])) == 1
	if !same || f.Provider != id || f.Nonce == "" || f.Verifier == "" || p.cfg.Now().Unix() >= f.Ends {
		return f, lost
	}
	return f, nil
}

var errorForm = regexp.MustCompile(`^[a-z_]{1,40}$`)

// refusal says why a provider sent somebody back without a code. What it says beyond its
// error's code is not shown: the address could be anybody's work.
func refusal(one *provider, code string) error {
	switch {
	case code == "access_denied":
		return market.Errorf(market.CodeUnauthorized, "the sign-in through %s was given up", one.Name)
	case code == "temporarily_unavailable" || code == "server_error":
		return unreachable(one, errors.New(code))
	case !errorForm.MatchString(code):
		code = "unknown reason"
	}
	return market.Errorf(market.CodeUnauthorized, "%s refused the sign-in (%s)", one.Name, code)
}

// flag is a boolean that some providers write as text.
type flag bool

// UnmarshalJSON implements json.Unmarshaler.
func (f *flag) UnmarshalJSON(text []byte) error {
	*f = flag(string(text) == "true" || string(text) == `"true"`)
	return nil
}

type claims struct {
	Authorized string `json:"azp"`
	Email      string `json:"email"`
	Verified   flag   `json:"email_verified"`
}

// redeem takes a code for the provider's word.
func (p *Providers) redeem(ctx context.Context, one *provider, d *described, f *flow, code string) (Person, error) {
	token, err := p.oauth(one, d).Exchange(ctx, code, oauth2.VerifierOption(f.Verifier))
	if err != nil {
		return Person{}, asked(one, err)
	}
	raw, _ := token.Extra("id_token").(string)
	said, err := d.Verifier(&gooidc.Config{ClientID: one.ClientID, Now: p.cfg.Now}).Verify(ctx, raw)
	if err != nil {
		return Person{}, asked(one, err)
	}
	var c claims
	if err := said.Claims(&c); err != nil {
		return Person{}, untrusted(one, err)
	}
	if err := holds(said, &c, one, f, token.AccessToken); err != nil {
		return Person{}, untrusted(one, err)
	}
	person := Person{Issuer: said.Issuer, Subject: said.Subject, Address: c.Email, Verified: bool(c.Verified) && c.Email != ""}
	if c.Email == "" && d.UserInfoEndpoint() != "" {
		info, err := d.UserInfo(ctx, oauth2.StaticTokenSource(token))
		if err != nil {
			return Person{}, asked(one, err)
		}
		if info.Subject != said.Subject { // OpenID Connect Core 5.3.2
			return Person{}, untrusted(one, errors.New("the address is another subject's"))
		}
		person.Address, person.Verified = info.Email, info.EmailVerified && info.Email != ""
	}
	return person, nil
}

// holds checks what go-oidc leaves to its callers of an ID token whose signature, issuer,
// audience and time are good.
func holds(said *gooidc.IDToken, c *claims, one *provider, f *flow, access string) error {
	switch {
	case said.Subject == "":
		return errors.New("no subject")
	case subtle.ConstantTimeCompare([]byte(said.Nonce), []byte(f.Nonce)) != 1:
		return errors.New("another nonce")
	case len(said.Audience) > 1 && c.Authorized == "", c.Authorized != "" && c.Authorized != one.ClientID:
		return fmt.Errorf("meant for %q, authorized %q", said.Audience, c.Authorized)
	case said.AccessTokenHash != "":
		return said.VerifyAccessToken(access)
	}
	return nil
}
