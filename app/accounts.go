package app

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/netip"
	"net/url"
	"strings"
	"sync"

	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/v2"

	"github.com/ladderback/ladderback/api/grants"
	"github.com/ladderback/ladderback/api/page/forms"
	"github.com/ladderback/ladderback/api/people"
	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/identity/accounts"
	"github.com/ladderback/ladderback/identity/mail"
	"github.com/ladderback/ladderback/identity/oauth"
	"github.com/ladderback/ladderback/identity/oidc"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/runs"
)

// peopleSettings switch accounts on.
type peopleSettings struct {
	Enabled bool     `koanf:"enabled"`
	BaseURL string   `koanf:"base_url"`        // how people reach the server
	Plan    string   `koanf:"plan"`            // of whoever registers; empty: starter
	Closed  bool     `koanf:"closed"`          // nobody can register
	Proxies []string `koanf:"trusted_proxies"` // networks whose X-Forwarded-For is believed
	// Providers are the identity providers that people can sign in through.
	Providers []oidc.Provider `koanf:"providers"`
	Agents    agentSettings   `koanf:"agents"`
}

// agentSettings say which clients may act for people by OAuth 2.1; none: keys alone are
// taken.
type agentSettings struct {
	// Documents lets a client's id be the address of its metadata document, which is
	// fetched: a request out of the server, to an address that a stranger chose.
	Documents bool           `koanf:"client_documents"`
	Clients   []oauth.Client `koanf:"clients"`
}

// server makes what reads what agents ask for; nil: they cannot.
func (p *peopleSettings) server() (*oauth.Server, error) {
	if !p.Agents.Documents && len(p.Agents.Clients) == 0 {
		return nil, nil
	}
	return oauth.New(oauth.Config{
		Issuer: strings.TrimSuffix(p.BaseURL, "/"), Resource: agentsPath, Clients: p.Agents.Clients, Documents: p.Agents.Documents,
	})
}

// secrets takes the client secrets of providers from the environment, where they are
// there: LADDERBACK_ACCOUNTS_PROVIDER_<ID>_SECRET.
func (p *peopleSettings) secrets(getenv func(string) string) {
	for i := range p.Providers {
		one := &p.Providers[i]
		name := strings.ToUpper(strings.ReplaceAll(one.ID, "-", "_"))
		one.ClientSecret = cmp.Or(getenv(EnvPrefix+"ACCOUNTS_PROVIDER_"+name+"_SECRET"), one.ClientSecret)
	}
}

// clientSecrets lists the secrets that may not be logged.
func (p *peopleSettings) clientSecrets() []string {
	var out []string
	for _, one := range p.Providers {
		out = append(out, one.ClientSecret)
	}
	return out
}

// effective returns the settings as a configuration file would state them.
func (p *peopleSettings) effective() map[string]any {
	providers := []any{}
	for _, one := range p.Providers {
		secret := one.ClientSecret
		if secret != "" {
			secret = hidden
		}
		providers = append(providers, map[string]any{
			"id": one.ID, "name": one.Name, "issuer": one.Issuer, "client_id": one.ClientID, "client_secret": secret, "scopes": one.Scopes,
		})
	}
	clients := []any{}
	for _, one := range p.Agents.Clients {
		clients = append(clients, map[string]any{"id": one.ID, "name": one.Name, "redirect_uris": one.Redirects})
	}
	return map[string]any{
		"agents":  map[string]any{"client_documents": p.Agents.Documents, "clients": clients},
		"enabled": p.Enabled, "base_url": WithoutPassword(p.BaseURL), "plan": p.Plan,
		"closed": p.Closed, "trusted_proxies": p.Proxies, "providers": providers,
	}
}

// identities makes the identity providers; nil: there are none.
func (p *peopleSettings) identities() (*oidc.Providers, error) {
	if len(p.Providers) == 0 {
		return nil, nil
	}
	return oidc.New(oidc.Config{Providers: p.Providers, BaseURL: p.BaseURL})
}

// mailSettings say how mails leave.
type mailSettings struct {
	Log  bool         `koanf:"log"` // to the log, rather than to a mail server
	From string       `koanf:"from"`
	SMTP smtpSettings `koanf:"smtp"`
}

type smtpSettings struct {
	Host     string `koanf:"host"`
	Port     int    `koanf:"port"` // 0: 587, or 465 with tls
	TLS      string `koanf:"tls"`  // starttls, tls or none; empty: starttls
	Username string `koanf:"username"`
	Password string `koanf:"password"`
}

// mailWord reads "mail: log", which stands for the setting of that name.
func mailWord(k *koanf.Koanf) error {
	word, ok := k.Get("mail").(string)
	if !ok {
		return nil
	}
	if word != "log" {
		return fmt.Errorf("configuration: mail %q: expected log, or from and smtp", word)
	}
	k.Delete("mail")
	return k.Load(confmap.Provider(map[string]any{"mail.log": true}, "."), nil)
}

// effective returns the settings as a configuration file would state them.
func (m *mailSettings) effective() map[string]any {
	password := m.SMTP.Password
	if password != "" {
		password = hidden
	}
	return map[string]any{"log": m.Log, "from": m.From, "smtp": map[string]any{
		"host": m.SMTP.Host, "port": m.SMTP.Port, "tls": m.SMTP.TLS, "username": m.SMTP.Username, "password": password,
	}}
}

// sender makes what hands mails on.
func (m *mailSettings) sender(log io.Writer) (mail.Sender, error) {
	if m.Log {
		return mail.NewLog(log), nil
	}
	s, err := mail.NewSMTP(mail.SMTPConfig{
		Host: m.SMTP.Host, Port: m.SMTP.Port, TLS: m.SMTP.TLS, Username: m.SMTP.Username, Password: m.SMTP.Password, From: m.From,
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// proxies reads the networks of trusted proxies.
func (p *peopleSettings) proxies() ([]netip.Prefix, error) {
	var out []netip.Prefix
	for _, text := range p.Proxies {
		one, err := netip.ParsePrefix(text)
		if a, aerr := netip.ParseAddr(text); aerr == nil {
			one, err = netip.PrefixFrom(a, a.BitLen()), nil
		}
		if err != nil {
			return nil, fmt.Errorf("configuration: accounts.trusted_proxies %q: expected an address, or a network such as 10.0.0.0/8", text)
		}
		out = append(out, one)
	}
	return out, nil
}

// validatePeople refuses settings with which accounts cannot be had.
func (s *Settings) validatePeople() error {
	if !s.Accounts.Enabled {
		return nil
	}
	u, err := url.Parse(s.Accounts.BaseURL)
	switch {
	case err != nil, u.Host == "", u.Path != "" && u.Path != "/", u.RawQuery != "", u.User != nil, u.Scheme != "https" && u.Scheme != "http":
		return fmt.Errorf("configuration: accounts.base_url %q: expected how people reach the server, such as https://app.example.com", WithoutPassword(s.Accounts.BaseURL))
	case u.Scheme == "http" && !isLoopbackName(u.Hostname()):
		return fmt.Errorf("configuration: accounts.base_url %q: expected https: only a server on loopback may do without", s.Accounts.BaseURL)
	}
	if _, err := s.PlansInEffect().Find(s.Accounts.Plan); err != nil {
		return fmt.Errorf("configuration: accounts: %w", err)
	}
	if _, err := s.Accounts.proxies(); err != nil {
		return err
	}
	if _, err := s.Accounts.identities(); err != nil {
		return fmt.Errorf("configuration: accounts: %w", err)
	}
	if _, err := s.Accounts.server(); err != nil {
		return fmt.Errorf("configuration: accounts.agents: %w", err)
	}
	if _, err := s.Mail.sender(io.Discard); err != nil {
		return fmt.Errorf("configuration: %w; or mail: log, for trying out", err)
	}
	return nil
}

func isLoopbackName(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.IsLoopback()
}

// peopleParts are the accounts of a server; without accounts, nothing.
type peopleParts struct {
	handler *people.Handler
	forms   *forms.Forms
	grants  *grants.Handler // nil: clients act for nobody
	meter   *identity.Meter
	service *accounts.Service
}

// peopleNeeds is what accounts are made of.
type peopleNeeds struct {
	store     *identity.Store
	keys      *identity.Keys
	scheduler *runs.Scheduler
	log       *slog.Logger
	assets    fs.FS     // of the page
	mails     io.Writer // where mails are written with mail: log
	watermark func(ctx context.Context) (market.Instant, error)
}

// people makes the accounts of a server, if they are switched on.
func (s *Settings) people(n peopleNeeds) (out peopleParts, err error) {
	if !s.Accounts.Enabled {
		return out, nil
	}
	sender, err := s.Mail.sender(n.mails)
	if err != nil {
		return out, err
	}
	proxies, err := s.Accounts.proxies()
	if err != nil {
		return out, err
	}
	out.meter = identity.NewMeter(n.store, nil)
	out.service, err = accounts.New(accounts.Config{
		Store: n.store, Plans: s.PlansInEffect(), Mail: sender, BaseURL: s.Accounts.BaseURL, Plan: s.Accounts.Plan, Closed: s.Accounts.Closed,
		Runs: runsOf{n.scheduler}, Log: n.log,
	}, out.meter)
	if err != nil {
		return out, err
	}
	identities, err := s.Accounts.identities()
	if err != nil {
		return out, err
	}
	var named []people.Provider
	if identities != nil {
		for _, one := range identities.List() {
			named = append(named, people.Provider(one))
		}
	}
	out.handler, err = people.New(people.Config{Keys: n.keys, Accounts: out.service, Proxies: proxies, Providers: named, Watermark: n.watermark})
	if err != nil {
		return out, err
	}
	agents, err := s.Accounts.server()
	if err != nil {
		return out, err
	}
	if agents != nil {
		out.grants = grants.New(out.service, agents)
	}
	out.forms, err = forms.New(forms.Config{
		Accounts: out.service, Browser: out.handler, Providers: identities, Agents: agents, Assets: n.assets, Log: n.log,
		Secure: strings.HasPrefix(s.Accounts.BaseURL, "https:"),
	})
	return out, err
}

// work does what accounts do in the background, until ctx ends.
func (f *peopleParts) work(ctx context.Context, group *sync.WaitGroup) {
	if f.service == nil {
		return
	}
	group.Go(func() { f.meter.Work(ctx) })
	group.Go(func() { f.service.Work(ctx) })
}

// runsOf removes and exports the runs of an organization.
type runsOf struct{ scheduler *runs.Scheduler }

// runsAtATime is how many runs are listed at a time.
const runsAtATime = 100

// ForgetAll implements accounts.Runs.
func (r runsOf) ForgetAll(ctx context.Context, organization string) error {
	for {
		list, err := r.scheduler.List(ctx, organization, runs.Filter{Limit: runsAtATime})
		if err != nil || len(list) == 0 {
			return err
		}
		for i := range list {
			if err := r.scheduler.Delete(ctx, organization, list[i].ID); err != nil && !errors.Is(err, runs.ErrNoRun) {
				return err
			}
		}
	}
}

// exportedRun is a run as an export has it.
type exportedRun struct {
	Organization string          `json:"organization"`
	ID           string          `json:"id"`
	CreatedAt    market.Instant  `json:"created_at"`
	State        runs.State      `json:"state"`
	Spec         runs.Spec       `json:"spec"`
	Headline     *runs.Headline  `json:"headline"`
	Error        string          `json:"error,omitempty"`
	Result       json.RawMessage `json:"result,omitempty"` // of a run that is done
}

// Export implements accounts.Runs.
func (r runsOf) Export(ctx context.Context, organization string, f func(run json.RawMessage) error) error {
	var after runs.Cursor
	for {
		list, err := r.scheduler.List(ctx, organization, runs.Filter{Limit: runsAtATime, After: after})
		if err != nil {
			return err
		}
		for i := range list {
			if err := r.exportRun(ctx, &list[i], f); err != nil {
				return err
			}
			after = runs.Cursor{CreatedAt: list[i].CreatedAt, ID: list[i].ID}
		}
		if len(list) < runsAtATime {
			return nil
		}
	}
}

func (r runsOf) exportRun(ctx context.Context, run *runs.Run, f func(run json.RawMessage) error) error {
	out := exportedRun{run.Organization, run.ID, run.CreatedAt, run.State, run.Spec, run.Headline, run.Error, nil}
	if run.State == runs.Done {
		result, err := r.scheduler.Result(ctx, run.Organization, run.ID)
		if errors.Is(err, runs.ErrNoRun) {
			return nil // forgotten meanwhile
		}
		if err != nil {
			return err
		}
		out.Result = bytes.TrimSpace(result)
	}
	text, err := json.Marshal(out)
	if err != nil {
		return err
	}
	return f(text)
}
