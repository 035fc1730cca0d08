package app

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/knadh/koanf/parsers/yaml"
	"github.com/stretchr/testify/require"
)

const sampleConfig = "../examples/ladderback.yaml"

func readSettings(t *testing.T, path string) *Settings {
	t.Helper()
	a := &App{Getenv: func(string) string { return "" }}
	s, err := a.Settings(path)
	require.NoError(t, err)
	return s
}

// TestSampleConfiguration holds that the sample says every setting there is, and
// of each the default.
func TestSampleConfiguration(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(sampleConfig)
	require.NoError(t, err)
	var said []string
	file, err := yaml.Parser().Unmarshal(content)
	require.NoError(t, err)
	var say func(prefix string, group map[string]any)
	say = func(prefix string, group map[string]any) {
		for name, value := range group {
			if members, ok := value.(map[string]any); ok {
				say(prefix+name+".", members)
			} else {
				said = append(said, prefix+name)
			}
		}
	}
	say("", file)
	want := []string{"plans", "accounts.providers", "accounts.agents.clients"}
	for _, key := range settingKeys {
		want = append(want, key)
	}
	slices.Sort(said)
	slices.Sort(want)
	require.Equal(t, want, said)

	sample := readSettings(t, sampleConfig)
	require.Equal(t, readSettings(t, "").PlansInEffect(), sample.PlansInEffect())
	withDefaults, err := yaml.Parser().Marshal(readSettings(t, "").effective())
	require.NoError(t, err)
	fromSample, err := yaml.Parser().Marshal(sample.effective())
	require.NoError(t, err)
	require.Equal(t, string(withDefaults), string(fromSample))
}

// TestOperationsExamples holds that the alerts and the board ask for metrics
// that the server has and operations.md describes, and that the other examples
// name flags and variables there are.
func TestOperationsExamples(t *testing.T) {
	t.Parallel()
	read := func(path string) string {
		content, err := os.ReadFile(filepath.Join("..", path))
		require.NoError(t, err)
		return string(content)
	}
	source, described := read("api/metrics.go"), read("docs/operations.md")
	metric := regexp.MustCompile(`ladderback_[a-z_]+`)
	seen := map[string]bool{}
	for _, file := range []string{"examples/operations/alerts.yaml", "examples/operations/grafana.json"} {
		for _, name := range metric.FindAllString(read(file), -1) {
			name = strings.TrimSuffix(strings.TrimSuffix(name, "_bucket"), "_count")
			seen[name] = true
			require.Contains(t, source, `"`+name+`"`, file)
			require.Contains(t, described, strings.TrimPrefix(name, "ladderback_connections"), file)
		}
	}
	require.Greater(t, len(seen), 7)
	require.True(t, json.Valid([]byte(read("examples/operations/grafana.json"))))
	for _, file := range []string{"examples/operations/alerts.yaml", "examples/operations/compose.yaml"} {
		_, err := yaml.Parser().Unmarshal([]byte(read(file)))
		require.NoError(t, err, file)
	}
	for _, file := range []string{"examples/operations/compose.yaml", "examples/operations/ladderback.service"} {
		for _, name := range regexp.MustCompile(`LADDERBACK_([A-Z_]+)\b`).FindAllStringSubmatch(read(file), -1) {
			known := settingKeys[name[1]] != "" || slices.Contains([]string{"ARCHIVE", "CACHE"}, name[1])
			require.True(t, known, "%s: %s", file, name[0])
		}
	}
}

// TestNoPasswordIsShown: however an address says it, escaped or not.
func TestNoPasswordIsShown(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{
		"":                      "",
		"real.db":               "real.db",
		"C:\\archives\\real.db": "C:\\archives\\real.db",
		"postgres://lb@host/db": "postgres://lb@host/db",
		"postgres://lb:secret@host:5432/db?sslmode=require": "postgres://lb:xxxxx@host:5432/db?sslmode=require",
		"postgres://lb:sec%ret@host/db":                     "postgres://lb:xxxxx@host/db", // no address: %re is no escape
		"postgres://lb:s@c:r/et@host/db":                    "postgres://lb:xxxxx@host/db",
		"postgres://lb:sec ret%@host/db":                    "postgres://lb:xxxxx@host/db",
		"postgres://host/db?user=lb&password=secret&a=b":    "postgres://host/db?user=lb&password=hidden&a=b",
		"postgres://host/db?sslpassword=secret":             "postgres://host/db?sslpassword=hidden",
		"host=h password=secret dbname=d":                   "host=h password=hidden dbname=d",
		"host=h PASSWORD = 'sec ret' dbname=d":              "host=h PASSWORD = hidden dbname=d",
		`host=h password='sec\'ret x' dbname=d`:             "host=h password=hidden dbname=d",
		`host=h password=sec\ ret dbname=d`:                 "host=h password=hidden dbname=d",
		"host=h password='' dbname=d":                       "host=h password=hidden dbname=d",
		"https://user:secret@llm.example/v1":                "https://user:xxxxx@llm.example/v1",
	} {
		require.Equal(t, want, WithoutPassword(addr), addr)
	}
}

// TestCheckListen: a host, which may be empty, and a port, by number or name.
func TestCheckListen(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{":8080", "127.0.0.1:0", "[::1]:80", "localhost:http", "0.0.0.0:65535"} {
		require.NoError(t, CheckListen("addr", addr), addr)
	}
	for _, addr := range []string{"", "8080", "127.0.0.1", "::1:80", "127.0.0.1:65536", "127.0.0.1:-1", "host:nothing", "http://127.0.0.1:80"} {
		require.EqualError(t, CheckListen("addr", addr), fmt.Sprintf("--addr %q: expected an address like 127.0.0.1:8080", addr))
	}
}
