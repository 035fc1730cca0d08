package app

import (
	"encoding/json"
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
