package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const sampleConfig = "../../examples/ladderback.yaml"

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
