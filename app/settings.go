package app

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/v2"

	"github.com/ladderback/ladderback/api"
	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/identity/oauth"
	"github.com/ladderback/ladderback/identity/oidc"
	"github.com/ladderback/ladderback/parser"
)

// Settings come from a configuration file and from LADDERBACK_* variables. The
// variables override the file; flags override both.
type Settings struct {
	Addr        string          `koanf:"addr"`         // of the API
	MetricsAddr string          `koanf:"metrics_addr"` // of Prometheus' metrics; empty: none
	Access      string          `koanf:"access"`       // where keys and limits are
	CORSOrigins []string        `koanf:"cors_origins"`
	TLSCert     string          `koanf:"tls_cert"` // files; both or none
	TLSKey      string          `koanf:"tls_key"`  //
	Timeouts    timeouts        `koanf:"timeouts"`
	Runs        int             `koanf:"runs"`        // backtests at a time; 0: 2
	QueuedRuns  int             `koanf:"queued_runs"` // backtests waiting; 0: 16
	RunWorkers  int             `koanf:"run_workers"` // markets of a backtest at a time; 0: one per core
	MemoryMB    int             `koanf:"memory_mb"`   // MiB of answers cached to build others from; 0: 256
	Plans       []identity.Plan `koanf:"plans"`       // empty: the default plans; else these instead
	LLM         llmSettings     `koanf:"llm"`
	LogLevel    slog.Level      `koanf:"log_level"`    // debug, info, warn or error; default info
	LogRequests string          `koanf:"log_requests"` // all, failed (and slow) or none; empty: all
	SlowRequest time.Duration   `koanf:"slow_request"` // a request that takes this long is slow; 0: 1 s
	Record      recordSettings  `koanf:"record"`
	Accounts    peopleSettings  `koanf:"accounts"`
	Mail        mailSettings    `koanf:"mail"`
	Packs       PackSettings    `koanf:"packs"`
}

// PackSettings are for packs in buckets.
type PackSettings struct {
	AccessKey string `koanf:"access_key"` // empty: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY
	SecretKey string `koanf:"secret_key"`
	Cache     string `koanf:"cache"`    // folder of what was read; empty: in the user's cache folder
	CacheMB   int    `koanf:"cache_mb"` // MiB of it; 0: none. Default 1024
}

// recordSettings are the base addresses of the exchange that is recorded.
type recordSettings struct {
	Gamma string `koanf:"gamma"` // metadata; empty: Polymarket's
	Feed  string `koanf:"feed"`  // market channel; empty: Polymarket's
}

// timeouts bound how long a client, or an answer, may take. Zero: the default.
type timeouts struct {
	Header  time.Duration `koanf:"header"`  // to send the header of a request; 10 s
	Body    time.Duration `koanf:"body"`    // to send a whole request; 30 s
	Idle    time.Duration `koanf:"idle"`    // between two requests on a connection; 2 min
	Request time.Duration `koanf:"request"` // to make the answer of a data route; 30 s
	Write   time.Duration `koanf:"write"`   // to read the next part of an answer; 30 s
	Stop    time.Duration `koanf:"stop"`    // to finish what is in flight when stopping; 30 s
}

// llmSettings select the language model that reads prompts. Without a base URL
// there is none.
type llmSettings struct {
	BaseURL     string        `koanf:"base_url"`
	APIKey      string        `koanf:"api_key"`
	Model       string        `koanf:"model"`
	Timeout     time.Duration `koanf:"timeout"` // for all attempts and the repair together; 0: 15 s
	Format      string        `koanf:"format"`
	Sampling    string        `koanf:"sampling"`
	Temperature float64       `koanf:"temperature"`
	MaxTokens   int           `koanf:"max_tokens"`
}

// EnvPrefix begins the names of the variables that settings can come from.
const EnvPrefix = "LADDERBACK_"

// settingKeys are the settings that a variable can set, by the variable's name
// without its prefix.
var settingKeys = map[string]string{
	"ADDR": "addr", "METRICS_ADDR": "metrics_addr", "ACCESS": "access", "CORS_ORIGINS": "cors_origins",
	"TLS_CERT": "tls_cert", "TLS_KEY": "tls_key", "RUNS": "runs", "QUEUED_RUNS": "queued_runs", "RUN_WORKERS": "run_workers", "MEMORY_MB": "memory_mb",
	"TIMEOUTS_HEADER": "timeouts.header", "TIMEOUTS_BODY": "timeouts.body", "TIMEOUTS_IDLE": "timeouts.idle",
	"TIMEOUTS_REQUEST": "timeouts.request", "TIMEOUTS_WRITE": "timeouts.write", "TIMEOUTS_STOP": "timeouts.stop",
	"LLM_BASE_URL": "llm.base_url", "LLM_API_KEY": "llm.api_key", "LLM_MODEL": "llm.model", "LLM_TIMEOUT": "llm.timeout",
	"PACKS_ACCESS_KEY": "packs.access_key", "PACKS_SECRET_KEY": "packs.secret_key", "PACKS_CACHE": "packs.cache", "PACKS_CACHE_MB": "packs.cache_mb",
	"RECORD_GAMMA": "record.gamma", "RECORD_FEED": "record.feed",
	"LOG_LEVEL": "log_level", "LOG_REQUESTS": "log_requests", "SLOW_REQUEST": "slow_request",
	"ACCOUNTS_ENABLED": "accounts.enabled", "ACCOUNTS_BASE_URL": "accounts.base_url", "ACCOUNTS_PLAN": "accounts.plan",
	"ACCOUNTS_CLOSED": "accounts.closed", "ACCOUNTS_AGENTS_CLIENT_DOCUMENTS": "accounts.agents.client_documents", "ACCOUNTS_TRUSTED_PROXIES": "accounts.trusted_proxies", "MAIL_LOG": "mail.log", "MAIL_FROM": "mail.from",
	"MAIL_SMTP_HOST": "mail.smtp.host", "MAIL_SMTP_PORT": "mail.smtp.port", "MAIL_SMTP_TLS": "mail.smtp.tls",
	"MAIL_SMTP_USERNAME": "mail.smtp.username", "MAIL_SMTP_PASSWORD": "mail.smtp.password",
	"LLM_FORMAT": "llm.format", "LLM_SAMPLING": "llm.sampling", "LLM_TEMPERATURE": "llm.temperature", "LLM_MAX_TOKENS": "llm.max_tokens",
}

// Settings reads the configuration file at path (empty: $LADDERBACK_CONFIG, else
// none) and the environment.
func (a *App) Settings(path string) (*Settings, error) {
	k := koanf.New(".")
	if err := k.Load(confmap.Provider(defaultAddresses(), "."), nil); err != nil {
		return nil, err
	}
	if path == "" {
		path = a.Getenv(EnvPrefix + "CONFIG")
	}
	if path != "" {
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("configuration: %w", err)
		}
		if err := k.Load(file.Provider(path), yaml.Parser()); err != nil {
			return nil, fmt.Errorf("configuration %s: %w", path, err)
		}
	}
	vars := env.Provider(".", env.Opt{
		Prefix: EnvPrefix,
		TransformFunc: func(name, value string) (string, any) {
			key := settingKeys[strings.TrimPrefix(name, EnvPrefix)]
			if key == "cors_origins" || key == "accounts.trusted_proxies" {
				return key, strings.Fields(strings.ReplaceAll(value, ",", " "))
			}
			return key, value
		},
		EnvironFunc: a.environ,
	})
	if err := k.Load(vars, nil); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	if err := mailWord(k); err != nil {
		return nil, err
	}
	if err := a.checkValues(k, path); err != nil {
		return nil, err
	}
	var s Settings
	if err := k.Unmarshal("", &s); err != nil {
		_, told, _ := strings.Cut(err.Error(), "error(s):")
		return nil, fmt.Errorf("configuration %s:%s", path, strings.TrimSuffix(" "+strings.Join(strings.Fields(told), " "), " "))
	}
	s.Accounts.secrets(a.Getenv)
	s.fill()
	return &s, s.validate(k)
}

// UnknownVariables lists those of the variables given as NAME=VALUE that begin like
// settings and are none.
func UnknownVariables(environ []string) []string {
	var out []string
	for _, one := range environ {
		name, _, _ := strings.Cut(one, "=")
		rest, ours := strings.CutPrefix(name, EnvPrefix)
		known := settingKeys[rest] != "" || slices.Contains([]string{"ARCHIVE", "CACHE", "CONFIG"}, rest) ||
			strings.HasPrefix(rest, "ACCOUNTS_PROVIDER_") || strings.HasPrefix(rest, "TEST_")
		if ours && !known {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// checkValues refuses settings that should be numbers or durations and are not,
// naming the variable or file that sets them.
func (a *App) checkValues(k *koanf.Koanf, path string) error {
	whole := func(text string) bool { n, err := strconv.Atoi(text); return err == nil && n >= 0 }
	type kind struct {
		ok   func(text string) bool
		want string
	}
	duration := kind{func(text string) bool { d, err := time.ParseDuration(text); return err == nil && d >= 0 }, "a duration with its unit, like 15s"}
	yesNo := kind{func(text string) bool { _, err := strconv.ParseBool(text); return err == nil }, "true or false"}
	kinds := map[string]kind{
		"RUNS": {whole, wantWhole}, "QUEUED_RUNS": {whole, wantWhole}, "RUN_WORKERS": {whole, wantWhole}, "LLM_MAX_TOKENS": {whole, wantWhole},
		"ACCOUNTS_ENABLED": yesNo, "ACCOUNTS_CLOSED": yesNo, "MAIL_LOG": yesNo, "MAIL_SMTP_PORT": {whole, wantWhole}, "PACKS_CACHE_MB": {whole, wantWhole},
		"LLM_TIMEOUT": duration, "TIMEOUTS_HEADER": duration, "TIMEOUTS_BODY": duration, "TIMEOUTS_IDLE": duration,
		"TIMEOUTS_REQUEST": duration, "TIMEOUTS_WRITE": duration, "TIMEOUTS_STOP": duration, "SLOW_REQUEST": duration,
		"LOG_LEVEL":    {func(text string) bool { return new(slog.Level).UnmarshalText([]byte(text)) == nil }, "debug, info, warn or error"},
		"LOG_REQUESTS": {func(text string) bool { return slices.Contains(api.LogRequests[:], text) }, "all, failed or none"},
		"LLM_TEMPERATURE": {func(text string) bool {
			f, err := strconv.ParseFloat(text, 64)
			return err == nil && f >= 0 && !math.IsInf(f, 0)
		}, "a number, 0 or more"},
	}
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		key, kind := settingKeys[name], kinds[name]
		value := k.Get(key)
		if value == nil || kind.ok(fmt.Sprint(value)) {
			continue
		}
		if a.Getenv(EnvPrefix+name) != "" {
			return fmt.Errorf("configuration: %s%s %q: expected %s", EnvPrefix, name, value, kind.want)
		}
		return fmt.Errorf("configuration %s: %s \"%v\": expected %s", path, key, value, kind.want)
	}
	return nil
}

const wantWhole = "a whole number, 0 or more"

// validate refuses unknown settings in the file, and invalid values.
func (s *Settings) validate(k *koanf.Koanf) error {
	known := map[string]bool{"plans": true, "accounts.providers": true, "accounts.agents.clients": true}
	for _, key := range settingKeys {
		known[key] = true
	}
	for _, key := range k.Keys() {
		if !known[key] {
			return fmt.Errorf("configuration: unknown setting %q ('ladderback serve --check-config' without a file prints all)", key)
		}
	}
	if err := errors.Join(knownMembers[identity.Plan]("plans", k.Get("plans")), knownMembers[oidc.Provider]("accounts.providers", k.Get("accounts.providers")),
		knownMembers[oauth.Client]("accounts.agents.clients", k.Get("accounts.agents.clients"))); err != nil {
		return err
	}
	for _, p := range s.Plans {
		if err := p.Validate(); err != nil {
			return fmt.Errorf("configuration: %w", err)
		}
		if _, ok := history.FindResolution(p.Finest); !ok {
			return fmt.Errorf("configuration: plan %s: finest_resolution %q: expected one of %s", p.Name, p.Finest, ResolutionNames)
		}
	}
	if s.MemoryMB < 0 {
		return fmt.Errorf("configuration: memory_mb %d: expected 1 or more", s.MemoryMB)
	}
	if (s.Packs.AccessKey == "") != (s.Packs.SecretKey == "") {
		return fmt.Errorf("configuration: packs.access_key and packs.secret_key go together")
	}
	if (s.TLSCert == "") != (s.TLSKey == "") {
		return fmt.Errorf("configuration: tls_cert and tls_key go together")
	}
	return errors.Join(s.validateOrigins(), s.validatePeople())
}

// validateOrigins refuses anything that is not an origin.
func (s *Settings) validateOrigins() error {
	for _, origin := range s.CORSOrigins {
		if u, err := url.Parse(origin); origin != "*" && (err != nil || u.Scheme == "" || u.Host == "" || origin != u.Scheme+"://"+u.Host) {
			return fmt.Errorf("configuration: cors_origins: %q: expected an origin such as https://app.example.com, without a path, or *", origin)
		}
	}
	return nil
}

// knownMembers refuses unknown members in a list of settings of type T.
func knownMembers[T any](name string, value any) error {
	known := map[string]bool{}
	for f := range reflect.TypeFor[T]().Fields() {
		known[f.Tag.Get("koanf")] = true
	}
	list, _ := value.([]any)
	for i, one := range list {
		members, _ := one.(map[string]any)
		for _, member := range slices.Sorted(maps.Keys(members)) {
			if !known[member] {
				return fmt.Errorf("configuration: unknown setting \"%s[%d].%s\"", name, i, member)
			}
		}
	}
	return nil
}

// Certificate reads the files that TLS needs; nil if none are given.
func (s *Settings) Certificate() (*tls.Config, error) {
	if s.TLSCert == "" {
		return nil, nil
	}
	c, err := tls.LoadX509KeyPair(s.TLSCert, s.TLSKey)
	if err != nil {
		return nil, fmt.Errorf("configuration: tls_cert %s, tls_key %s: %w", s.TLSCert, s.TLSKey, err)
	}
	return &tls.Config{Certificates: []tls.Certificate{c}, NextProtos: []string{"h2", "http/1.1"}}, nil
}

// environ lists the variables that settings can come from, through getenv.
func (a *App) environ() []string {
	var out []string
	for name := range settingKeys {
		if v := a.Getenv(EnvPrefix + name); v != "" {
			out = append(out, EnvPrefix+name+"="+v)
		}
	}
	return out
}

// PlansInEffect returns the plans of the settings, else the default ones.
func (s *Settings) PlansInEffect() identity.Plans {
	if len(s.Plans) > 0 {
		return identity.NewPlans(s.Plans...)
	}
	return identity.DefaultPlans()
}

// LanguageModel returns the configured language model; nil if there is none.
func (s *Settings) LanguageModel(with func(*parser.ModelConfig)) (*parser.Model, error) {
	if s.LLM.BaseURL == "" {
		return nil, nil
	}
	c := parser.ModelConfig{
		BaseURL: s.LLM.BaseURL, Key: s.LLM.APIKey, Model: s.LLM.Model, Timeout: s.LLM.Timeout,
		Format: parser.AnswerFormat(s.LLM.Format), Sampling: parser.Sampling(s.LLM.Sampling),
		Temperature: s.LLM.Temperature, MaxTokens: s.LLM.MaxTokens,
	}
	if with != nil {
		with(&c)
	}
	return parser.NewModel(c)
}

// ResolutionNames lists the sizes of buckets.
const ResolutionNames = "250ms, 1s, 5s, 15s, 30s, 1m, 5m, 10m, 15m, 1h, 6h, 1d"

// secrets are the settings that no log may show.
func (s *Settings) secrets() []string {
	return append(s.Accounts.clientSecrets(), s.LLM.APIKey, s.Mail.SMTP.Password, s.Packs.SecretKey)
}

// aKey is what an API key, or a token of a client that acts for somebody, looks like
// anywhere in a text.
var aKey = regexp.MustCompile(`\b(` + identity.Prefix + `|lb[or]_)[0-9A-Za-z_-]{20,}`)

// withoutSecrets returns a function that removes API keys, and the given secrets,
// from everything that is logged: paths, panics, errors.
func withoutSecrets(secrets ...string) func([]string, slog.Attr) slog.Attr {
	clean := cleaner(secrets)
	return func(_ []string, at slog.Attr) slog.Attr {
		switch v := at.Value; v.Kind() {
		case slog.KindString:
			return slog.String(at.Key, clean(v.String()))
		case slog.KindAny:
			if err, ok := v.Any().(error); ok {
				return slog.String(at.Key, clean(err.Error()))
			}
		}
		return at
	}
}

// cleaner returns a function that removes API keys, and the given secrets, from a text.
func cleaner(secrets []string) func(text string) string {
	return func(text string) string {
		if strings.Contains(text, "lb") {
			text = aKey.ReplaceAllString(text, "${1}…")
		}
		for _, secret := range secrets {
			if secret != "" {
				text = strings.ReplaceAll(text, secret, "…")
			}
		}
		return text
	}
}

// Logger writes what a server or a worker logs as JSON lines, without secrets.
func (s *Settings) Logger(w io.Writer) *slog.Logger {
	secrets := s.secrets()
	out := &oneByOne{w: w}
	return slog.New(&lines{
		Handler: slog.NewJSONHandler(out, &slog.HandlerOptions{Level: s.LogLevel, ReplaceAttr: withoutSecrets(secrets...)}),
		out:     out, clean: cleaner(secrets),
	})
}
