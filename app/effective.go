package app

import (
	"cmp"
	"io"
	"maps"
	"math"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/knadh/koanf/parsers/yaml"

	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/identity/mail"
)

// defaultAddresses are the settings whose default is not what no value means:
// an empty one turns them off.
func defaultAddresses() map[string]any {
	return map[string]any{"addr": "127.0.0.1:8080", "metrics_addr": "127.0.0.1:9090", "packs.cache_mb": 1024}
}

// fill replaces zero values with their defaults. Zero stays where it is the
// default: run_workers (one per core), access (the first archive) and the model's
// format and sampling (whatever suits the server).
func (s *Settings) fill() {
	s.Runs, s.QueuedRuns, s.MemoryMB = cmp.Or(s.Runs, 2), cmp.Or(s.QueuedRuns, 16), cmp.Or(s.MemoryMB, 256)
	s.Timeouts = timeouts{
		Header: cmp.Or(s.Timeouts.Header, 10*time.Second), Body: cmp.Or(s.Timeouts.Body, 30*time.Second),
		Idle: cmp.Or(s.Timeouts.Idle, 2*time.Minute), Request: cmp.Or(s.Timeouts.Request, 30*time.Second),
		Write: cmp.Or(s.Timeouts.Write, 30*time.Second), Stop: cmp.Or(s.Timeouts.Stop, 30*time.Second),
	}
	s.Accounts.Plan, s.Mail.SMTP.TLS = cmp.Or(s.Accounts.Plan, "starter"), cmp.Or(s.Mail.SMTP.TLS, mail.StartTLS)
	s.LogRequests, s.SlowRequest = cmp.Or(s.LogRequests, "all"), cmp.Or(s.SlowRequest, time.Second)
	s.LLM.Timeout, s.LLM.MaxTokens = cmp.Or(s.LLM.Timeout, 15*time.Second), cmp.Or(s.LLM.MaxTokens, 1500)
}

// WriteConfig writes the effective settings as a configuration file, with a
// comment for the archives, after the checks that a server makes before it opens
// anything.
func (a *App) WriteConfig(w io.Writer, s *Settings, archives []string) error {
	addrs, err := a.Addresses(archives)
	if err != nil {
		return err
	}
	if _, err := s.Certificate(); err != nil {
		return err
	}
	if _, err := s.LanguageModel(nil); err != nil {
		return err
	}
	if err := CheckListen("addr", s.Addr); err != nil {
		return err
	}
	if s.MetricsAddr != "" && s.MetricsAddr != "none" {
		if err := CheckListen("metrics-addr", s.MetricsAddr); err != nil {
			return err
		}
	}
	where := "# archive: the demo archive\n"
	if len(addrs) > 0 {
		where = ""
	}
	for _, addr := range addrs {
		where += "# archive: " + WithoutPassword(addr.Target)
		if addr.Category != "" {
			where += " (" + string(addr.Category) + ")"
		}
		where += "\n"
	}
	text, err := yaml.Parser().Marshal(s.effective())
	if err != nil {
		return err
	}
	_, err = w.Write(append([]byte(where), text...))
	return err
}

// hidden stands for a secret that is set.
const hidden = "hidden"

// effective returns the settings as a configuration file would state them,
// without secrets.
func (s *Settings) effective() map[string]any {
	plans := s.Plans
	if len(plans) == 0 {
		plans = PlansInOrder(s.PlansInEffect())
	}
	list := make([]any, len(plans))
	for i, p := range plans {
		list[i] = map[string]any{
			"name": p.Name, "requests_per_minute": p.RequestsPerMinute, "requests_per_day": p.RequestsPerDay,
			"finest_resolution": p.Finest, "history_days": p.HistoryDays,
			"prices": p.Prices, "metrics": p.Metrics, "books": p.Books,
			"backtest": p.Backtest, "backtest_markets": p.BacktestMarkets, "sweep_replays": p.SweepReplays, "bulk_points_per_day": p.BulkPointsPerDay,
			"backtests_waiting": p.BacktestsWaiting, "backtests_running": p.BacktestsRunning, "run_days": p.RunDays,
		}
	}
	t := s.Timeouts
	key := s.LLM.APIKey
	if key != "" {
		key = hidden
	}
	return map[string]any{
		"addr": s.Addr, "metrics_addr": s.MetricsAddr, "access": WithoutPassword(s.Access),
		"cors_origins": s.CORSOrigins, "tls_cert": s.TLSCert, "tls_key": s.TLSKey,
		"timeouts": map[string]any{
			"header": t.Header.String(), "body": t.Body.String(), "idle": t.Idle.String(),
			"request": t.Request.String(), "write": t.Write.String(), "stop": t.Stop.String(),
		},
		"runs": s.Runs, "queued_runs": s.QueuedRuns, "run_workers": s.RunWorkers, "memory_mb": s.MemoryMB,
		"log_level": strings.ToLower(s.LogLevel.String()), "log_requests": s.LogRequests, "slow_request": s.SlowRequest.String(),
		"plans":    list,
		"accounts": s.Accounts.effective(),
		"packs":    s.Packs.effective(),
		"mail":     s.Mail.effective(),
		"record":   map[string]any{"gamma": s.Record.Gamma, "feed": s.Record.Feed},
		"llm": map[string]any{
			"base_url": WithoutPassword(s.LLM.BaseURL), "api_key": key, "model": s.LLM.Model, "timeout": s.LLM.Timeout.String(),
			"format": s.LLM.Format, "sampling": s.LLM.Sampling, "temperature": s.LLM.Temperature, "max_tokens": s.LLM.MaxTokens,
		},
	}
}

// effective returns the settings without their secret.
func (p *PackSettings) effective() map[string]any {
	secret := p.SecretKey
	if secret != "" {
		secret = hidden
	}
	return map[string]any{"access_key": p.AccessKey, "secret_key": secret, "cache": p.Cache, "cache_mb": p.CacheMB}
}

// passwordWord matches a password given as a parameter, in an address or in words, where a
// backslash stands before what would end it.
var passwordWord = regexp.MustCompile(`((?i:password)\s*=\s*)(?:'(?:[^'\\]|\\.)*'|(?:[^\s&\\]|\\.)+)`)

// passwordPart matches the one before the host, of an address that is none: one with a
// character that should have been escaped, say.
var passwordPart = regexp.MustCompile(`(://[^:@/]*:).*@`)

// WithoutPassword hides the password in an address, wherever it appears.
func WithoutPassword(addr string) string {
	addr = passwordWord.ReplaceAllString(addr, "${1}"+hidden)
	u, err := url.Parse(addr)
	switch {
	case err != nil:
		return passwordPart.ReplaceAllString(addr, "${1}xxxxx@")
	case u.User == nil:
		return addr
	}
	return u.Redacted()
}

// CheckListen refuses an address that no server can listen on.
func CheckListen(flag, addr string) error {
	_, port, err := net.SplitHostPort(addr)
	if n, portErr := net.LookupPort("tcp", port); err != nil || portErr != nil || n < 0 {
		return Usagef("--%s %q: expected an address like 127.0.0.1:8080", flag, addr)
	}
	return nil
}

// PlansInOrder lists plans from the smallest to the largest.
func PlansInOrder(plans identity.Plans) []identity.Plan {
	bound := func(n int) int {
		if n == 0 { // none
			return math.MaxInt
		}
		return n
	}
	return slices.SortedFunc(maps.Values(plans), func(p, q identity.Plan) int {
		return cmp.Or(cmp.Compare(bound(p.RequestsPerMinute), bound(q.RequestsPerMinute)), cmp.Compare(p.Name, q.Name))
	})
}
