package app

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A variable that begins like a setting and is none is told: it was mistyped.
func TestUnknownVariables(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"LADDERBACK_ADRESS", "LADDERBACK_LOGLEVEL"}, UnknownVariables([]string{
		"PATH=/bin", "LADDERBACK_LOGLEVEL=debug", "LADDERBACK_LOG_LEVEL=debug", "LADDERBACK_ADRESS=:80", "LADDERBACK_ADDR=:80",
		"LADDERBACK_ARCHIVE=a.db", "LADDERBACK_CACHE=/c", "LADDERBACK_CONFIG=c", "LADDERBACK_ACCOUNTS_PROVIDER_A_SECRET=s",
	}))
}

// settingsOf reads a configuration file of a text, and an environment.
func settingsOf(t *testing.T, text string, env map[string]string) (*Settings, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "c.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return quiet(env).Settings(path)
}

// TestSettings: variables override the file; what neither says has its default, which for
// the addresses is not what an empty one means.
func TestSettings(t *testing.T) {
	t.Parallel()
	s, err := settingsOf(t, "addr: 127.0.0.1:1\nruns: 3\ntimeouts: {stop: 5s}\ncors_origins: [https://a.example.com]\npacks: {cache_mb: 0}\n", map[string]string{
		"LADDERBACK_ADDR": "127.0.0.1:2", "LADDERBACK_TIMEOUTS_BODY": "7s", "LADDERBACK_LOG_LEVEL": "warn",
		"LADDERBACK_ACCOUNTS_TRUSTED_PROXIES": "10.0.0.1, 10.1.0.0/16",
	})
	require.NoError(t, err)
	require.Equal(t, []any{"127.0.0.1:2", "127.0.0.1:9090", 3, 16, 256, 0, slog.LevelWarn}, []any{s.Addr, s.MetricsAddr, s.Runs, s.QueuedRuns, s.MemoryMB, s.Packs.CacheMB, s.LogLevel})
	require.Equal(t, []time.Duration{5 * time.Second, 7 * time.Second, 10 * time.Second}, []time.Duration{s.Timeouts.Stop, s.Timeouts.Body, s.Timeouts.Header})
	require.Equal(t, []string{"https://a.example.com"}, s.CORSOrigins)
	require.Equal(t, []string{"10.0.0.1", "10.1.0.0/16"}, s.Accounts.Proxies)
	require.Contains(t, s.PlansInEffect(), "starter")

	// The file may be named by a variable; flags come before that.
	path := filepath.Join(t.TempDir(), "c.yaml")
	require.NoError(t, os.WriteFile(path, []byte("metrics_addr: none\nplans:\n  - {name: desk, requests_per_minute: 5, finest_resolution: 1s}\n"), 0o600))
	s, err = quiet(map[string]string{"LADDERBACK_CONFIG": path}).Settings("")
	require.NoError(t, err)
	require.Equal(t, "none", s.MetricsAddr)
	plans := s.PlansInEffect()
	require.Len(t, plans, 1, "plans of the file replace the default ones")
	require.Equal(t, 5, plans["desk"].RequestsPerMinute)
	_, err = quiet(map[string]string{"LADDERBACK_CONFIG": path}).Settings(path + ".none")
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestWrongSettings: each mistake names the setting, or the variable that has it, and what
// was expected.
func TestWrongSettings(t *testing.T) {
	t.Parallel()
	const people = "mail: log\naccounts: {enabled: true, base_url: "
	for _, c := range []struct {
		text string
		env  map[string]string
		says []string
	}{
		{"runs: many", nil, []string{"c.yaml: runs \"many\": expected a whole number, 0 or more"}},
		{"runs: -1", nil, []string{"runs \"-1\": expected a whole number"}},
		{"runs: 1", map[string]string{"LADDERBACK_RUNS": "2.5"}, []string{"LADDERBACK_RUNS \"2.5\": expected a whole number"}},
		{"timeouts: {stop: 5}", nil, []string{"timeouts.stop \"5\": expected a duration with its unit, like 15s"}},
		{"", map[string]string{"LADDERBACK_SLOW_REQUEST": "-1s"}, []string{"LADDERBACK_SLOW_REQUEST", "a duration"}},
		{"log_level: loud", nil, []string{"log_level \"loud\": expected debug, info, warn or error"}},
		{"log_requests: some", nil, []string{"expected all, failed or none"}},
		{"llm: {temperature: -1}", nil, []string{"llm.temperature \"-1\": expected a number, 0 or more"}},
		{"accounts: {enabled: perhaps}", nil, []string{"accounts.enabled \"perhaps\": expected true or false"}},
		{"memory_mb: -1", nil, []string{"memory_mb -1: expected 1 or more"}},
		{"adr: x", nil, []string{"unknown setting \"adr\""}},
		{"timeouts: {sop: 5s}", nil, []string{"unknown setting \"timeouts.sop\""}},
		{"plans: [{name: a, finest_resolution: 1s, rpm: 5}]", nil, []string{"unknown setting \"plans[0].rpm\""}},
		{"plans: [{name: a, finest_resolution: 2s}]", nil, []string{"plan a: finest_resolution \"2s\": expected one of 250ms, 1s,"}},
		{"plans: [{finest_resolution: 1s}]", nil, []string{"configuration: plan"}},
		{"packs: {access_key: a}", nil, []string{"packs.access_key and packs.secret_key go together"}},
		{"tls_cert: a", nil, []string{"tls_cert and tls_key go together"}},
		{"cors_origins: [https://a.example.com/]", nil, []string{"cors_origins", "without a path"}},
		{"", map[string]string{"LADDERBACK_CORS_ORIGINS": "* a.example.com"}, []string{"cors_origins: \"a.example.com\""}},
		{"mail: post", nil, []string{"mail \"post\": expected log, or from and smtp"}},
		{"addr: [a, b]", nil, []string{"c.yaml: "}},
		{": :", nil, []string{"c.yaml: "}},
		{people + "ftp://a.example.com}", nil, []string{"accounts.base_url \"ftp://a.example.com\": expected how people reach the server"}},
		{people + "\"https://u:secret@a.example.com\"}", nil, []string{"accounts.base_url \"https://u:xxxxx@a.example.com\""}},
		{people + "\"https://a.example.com/app\"}", nil, []string{"expected how people reach the server"}},
		{people + "\"http://a.example.com\"}", nil, []string{"only a server on loopback may do without"}},
		{people + "\"http://localhost:8080\", plan: gold}", nil, []string{"configuration: accounts: ", "gold"}},
		{people + "\"http://127.0.0.1\", trusted_proxies: [10.0.0.0/40]}", nil, []string{"trusted_proxies \"10.0.0.0/40\""}},
		{"accounts: {enabled: true, base_url: \"https://a.example.com\"}", nil, []string{"or mail: log, for trying out"}},
	} {
		_, err := settingsOf(t, c.text, c.env)
		for _, says := range c.says {
			require.ErrorContains(t, err, says, c.text)
		}
		require.NotContains(t, err.Error(), "secret@")
	}
	for _, text := range []string{"cors_origins: ['*', 'http://localhost:3000']", people + "\"http://[::1]:8080\"}", "tls_cert: a\ntls_key: b"} {
		_, err := settingsOf(t, text, nil)
		require.NoError(t, err, text)
	}
}

// TestLogWithoutSecrets: whatever is logged, as text or error, no key and no secret of the
// settings is in it.
func TestLogWithoutSecrets(t *testing.T) {
	t.Parallel()
	s, err := settingsOf(t, "packs: {access_key: a, secret_key: of-packs}\nmail: {smtp: {password: of-mail}}\nlog_level: error\n", map[string]string{"LADDERBACK_LLM_API_KEY": "of-llm"})
	require.NoError(t, err)
	var out bytes.Buffer
	log := s.Logger(&out)
	log.Warn("not as loud")
	require.Empty(t, out.String())
	const key = "lb_0123456789abcdefghijklmnop"
	log.Error("x "+key, "path", "/v1?key="+key, "cause", errors.New("of-llm and of-mail"), "n", 5, "any", []string{"a"}, "of", "of-packs")
	require.NotContains(t, out.String(), "0123456789")
	require.NotContains(t, out.String(), "of-")
	require.Contains(t, out.String(), `"path":"/v1?key=lb_…","cause":"… and …","n":5,"any":["a"],"of":"…"`)
}
