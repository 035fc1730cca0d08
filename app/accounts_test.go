package app

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestProviders: identity providers in the configuration, whose secrets come from the
// environment and are neither printed nor logged.
func TestProviders(t *testing.T) {
	t.Parallel()
	const begin = "mail: log\naccounts:\n  enabled: true\n  base_url: http://localhost\n  providers:\n"
	read := func(t *testing.T, text string, env map[string]string) (*Settings, error) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "c.yaml")
		require.NoError(t, os.WriteFile(file, []byte(begin+text), 0o600))
		a := &App{Getenv: func(name string) string { return env[name] }}
		return a.Settings(file)
	}
	s, err := read(t, `
    - {id: big-house, name: House, issuer: "https://accounts.example.com", client_id: c, client_secret: in-the-file}
    - {id: second, issuer: "https://other.example.com", client_id: d, client_secret: s3cret-of-second, scopes: [email, profile]}
`, map[string]string{"LADDERBACK_ACCOUNTS_PROVIDER_BIG_HOUSE_SECRET": "s3cret-of-house"})
	require.NoError(t, err)
	require.Equal(t, []string{"s3cret-of-house", "s3cret-of-second"}, s.Accounts.clientSecrets())
	require.Equal(t, []string{"email", "profile"}, s.Accounts.Providers[1].Scopes)
	p, err := s.Accounts.identities()
	require.NoError(t, err)
	require.Equal(t, "House", p.List()[0].Name)

	var out bytes.Buffer
	require.NoError(t, (&App{Getenv: func(string) string { return "" }}).WriteConfig(&out, s, nil))
	require.Contains(t, out.String(), "https://accounts.example.com")
	require.NotContains(t, out.String(), "s3cret")
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{ReplaceAttr: withoutSecrets(s.Accounts.clientSecrets()...)})).Warn("x", "cause", "answer to s3cret-of-house")
	require.NotContains(t, log.String(), "s3cret")

	for text, says := range map[string]string{
		`    - {id: a, issuer: "https://a.example.com", client_id: c, secret: x}`:                                                        `accounts.providers[0].secret`,
		`    - {id: a, issuer: "http://a.example.com", client_id: c}`:                                                                    "expected https",
		`    - {id: a, issuer: "https://a.example.com"}`:                                                                                 "client_id is needed",
		"    - {id: a, issuer: \"https://a.example.com\", client_id: c}\n    - {id: b, issuer: \"https://a.example.com\", client_id: c}": "twice",
	} {
		_, err := read(t, text, nil)
		require.ErrorContains(t, err, says, text)
	}
}
