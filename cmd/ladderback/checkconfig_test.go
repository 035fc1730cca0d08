package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/knadh/koanf/parsers/yaml"
	"github.com/stretchr/testify/require"
)

const sampleConfig = "../../examples/ladderback.yaml"

func readSettings(t *testing.T, path string) *settings {
	t.Helper()
	a := &app{out: io.Discard, err: io.Discard, getenv: func(string) string { return "" }}
	s, err := a.settings(path)
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
	want := []string{"plans", "accounts.providers"}
	for _, key := range settingKeys {
		want = append(want, key)
	}
	slices.Sort(said)
	slices.Sort(want)
	require.Equal(t, want, said)

	sample := readSettings(t, sampleConfig)
	require.Equal(t, readSettings(t, "").plans(), sample.plans())
	withDefaults, err := yaml.Parser().Marshal(readSettings(t, "").effective())
	require.NoError(t, err)
	fromSample, err := yaml.Parser().Marshal(sample.effective())
	require.NoError(t, err)
	require.Equal(t, string(withDefaults), string(fromSample))
}

func TestCheckConfig(t *testing.T) {
	t.Parallel()
	env := map[string]string{
		"LADDERBACK_LLM_API_KEY": "sk-hushed", "LADDERBACK_LLM_BASE_URL": "http://127.0.0.1:1/v1", "LADDERBACK_LLM_MODEL": "m",
		"LADDERBACK_ACCESS": "postgres://u:hushed@h/db", "LADDERBACK_ARCHIVE": "crypto=postgres://h/a?password=hushed sports=s.db", "LADDERBACK_RUNS": "7",
		"LADDERBACK_PACKS_ACCESS_KEY": "reader", "LADDERBACK_PACKS_SECRET_KEY": "hushed",
	}
	r := runWith(t, context.Background(), env, "", "serve", "--config", sampleConfig, "--check-config", "--addr", "127.0.0.1:1234")
	require.Equal(t, exitDone, r.code, r.err)
	require.NotContains(t, r.out+r.err, "hushed")
	for _, line := range []string{
		"# archive: postgres://h/a?password=hidden (crypto)", "# archive: s.db (sports)", "access: postgres://u:xxxxx@h/db",
		"runs: 7", "addr: 127.0.0.1:1234", "    api_key: hidden", "    secret_key: hidden", "    access_key: reader", "    idle: 2m0s",
	} {
		require.Contains(t, "\n"+r.out, "\n"+line+"\n")
	}
	// What it prints is a configuration that prints the same.
	path := filepath.Join(t.TempDir(), "c.yaml")
	require.NoError(t, os.WriteFile(path, []byte(r.out), 0o600))
	again := runWith(t, context.Background(), map[string]string{"LADDERBACK_ARCHIVE": env["LADDERBACK_ARCHIVE"]}, "", "serve", "--config", path, "--check-config")
	require.Equal(t, r.out, again.out, again.err)

	require.NoError(t, os.WriteFile(path, []byte("tls_cert: /nowhere.pem\ntls_key: /nowhere.key\n"), 0o600))
	for args, want := range map[string]string{
		"--config " + path:              "tls_cert /nowhere.pem",
		"--config /no/such/file":        "no such file",
		"--addr nowhere":                `--addr "nowhere": expected an address`,
		"--archive a.db --archive b.db": "needs a category",
	} {
		r := ladderback(t, append([]string{"serve", "--check-config"}, strings.Fields(args)...)...)
		require.Equal(t, exitUsage, r.code, args)
		require.Contains(t, r.err, want)
		require.Empty(t, r.out)
	}
	bad := runWith(t, context.Background(), map[string]string{"LADDERBACK_RUNS": "-1"}, "", "serve", "--check-config")
	require.Equal(t, exitUsage, bad.code)
	require.Contains(t, bad.err, `LADDERBACK_RUNS "-1": expected a whole number`)
}

// TestOperationsExamples holds that the alerts and the board ask for metrics
// that the server has and operations.md describes, and that the other examples
// name flags and variables there are.
func TestOperationsExamples(t *testing.T) {
	t.Parallel()
	read := func(path string) string {
		content, err := os.ReadFile(filepath.Join("../..", path))
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
