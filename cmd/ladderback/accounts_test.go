//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/pgtest"
	"github.com/ladderback/ladderback/report/listing"
)

// TestAccountsOfTwoServers has two servers with accounts on one PostgreSQL: who registers
// at one signs in at the other, and the operator's plan holds at both.
func TestAccountsOfTwoServers(t *testing.T) {
	t.Parallel()
	archive, err := smallArchive()
	require.NoError(t, err)
	config := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(config, []byte("accounts: {enabled: true, base_url: \"http://localhost:1\"}\nmail: log\n"), 0o600))
	at := pgtest.Database(t)
	one, two := serve(t, nil, "--archive", archive, "--access", at, "--config", config), serve(t, nil, "--archive", archive, "--access", at, "--config", config)
	const creds = `{"email":"ada@example.com","password":"staple.Horse-42.battery"}`
	post := func(p *process, path, cookie, body string) (*http.Response, string) {
		t.Helper()
		resp, text := p.send(http.MethodPost, path, http.Header{"Content-Type": {"application/json"}, "Cookie": {"ladderback_session=" + cookie}}, body)
		return resp, string(text)
	}
	resp, text := post(one, "/app/register", "", creds)
	require.Equal(t, http.StatusAccepted, resp.StatusCode, text)
	link := regexp.MustCompile(`/verify#([A-Za-z0-9_-]{43})\n`)
	var found [][]string // in the log of whichever was quicker
	require.Eventually(t, func() bool {
		found = append(link.FindAllStringSubmatch(one.log.String(), -1), link.FindAllStringSubmatch(two.log.String(), -1)...)
		return len(found) > 0
	}, time.Minute, 10*time.Millisecond)
	require.Len(t, found, 1, "sent once")
	resp, text = post(two, "/app/verify", "", `{"token":"`+found[0][1]+`","password":"staple.Horse-42.battery"}`)
	require.Equal(t, http.StatusOK, resp.StatusCode, text)
	resp, text = post(two, "/app/sign-in", "", creds)
	require.Equal(t, http.StatusOK, resp.StatusCode, text)
	cookie := resp.Cookies()[0].Value
	resp, text = post(one, "/app/keys", cookie, `{"name":"desk"}`)
	require.Equal(t, http.StatusCreated, resp.StatusCode, text)
	var key struct{ Key, ID string }
	require.NoError(t, json.Unmarshal([]byte(text), &key))
	plan := func(p *process) string {
		_, text := p.get("/v1/usage", key.Key)
		var u struct{ Plan string }
		require.NoError(t, json.Unmarshal(text, &u))
		return u.Plan
	}
	require.Equal(t, "starter", plan(two))

	r := ladderback(t, "accounts", "list", "--access", at, "--json")
	require.Equal(t, exitDone, r.code, r.err)
	var list []listing.OrganizationRecord
	require.NoError(t, json.Unmarshal([]byte(r.out), &list))
	require.Len(t, list, 1)
	require.Equal(t, "ada", list[0].Name)
	require.Equal(t, 1, list[0].Keys)
	require.Contains(t, ladderback(t, "accounts", "list", "--access", at).out, list[0].ID)
	require.Equal(t, exitUsage, ladderback(t, "accounts", "plan", list[0].ID, "gold", "--access", at).code)
	require.Equal(t, exitUsage, ladderback(t, "accounts", "plan", list[0].ID, "--access", at).code)
	require.Equal(t, exitFailed, ladderback(t, "accounts", "plan", "o_nobody", "pro", "--access", at).code)
	r = ladderback(t, "accounts", "plan", list[0].ID, "Pro", "--access", at)
	require.Equal(t, fmt.Sprintf("%s (ada) is on plan pro\n", list[0].ID), r.out, r.err)
	for _, p := range []*process{one, two} {
		require.Eventually(t, func() bool { return plan(p) == "pro" }, time.Minute, 50*time.Millisecond)
	}
	resp, _ = one.send(http.MethodDelete, "/app/session", http.Header{"Cookie": {"ladderback_session=" + cookie}}, "")
	require.Equal(t, http.StatusNoContent, resp.StatusCode)
	resp, _ = two.send(http.MethodGet, "/app/account", http.Header{"Cookie": {"ladderback_session=" + cookie}}, "")
	require.Equal(t, http.StatusUnauthorized, resp.StatusCode)
	require.Equal(t, exitUsage, ladderback(t, "accounts", "disable", "--access", at).code)
	require.Equal(t, exitFailed, ladderback(t, "accounts", "disable", "nobody@example.com", "--access", at).code)
	r = ladderback(t, "accounts", "disable", "ADA@example.com", "--access", at)
	require.Equal(t, "ada@example.com is disabled\n", r.out, r.err)
	require.JSONEq(t, `{"address": "ada@example.com", "disabled": false}`, ladderback(t, "accounts", "enable", "ada@example.com", "--access", at, "--json").out)
	for _, secret := range []string{cookie, key.Key, "staple.Horse"} {
		require.NotContains(t, one.log.String()+two.log.String(), secret)
	}
}

// TestAccountSettings refuses settings with which accounts cannot be had, and hides the
// password of the mail server.
func TestAccountSettings(t *testing.T) {
	t.Parallel()
	check := func(text string, env map[string]string) result {
		path := filepath.Join(t.TempDir(), "config.yaml")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return runWith(t, t.Context(), env, "", "serve", "--config", path, "--check-config")
	}
	const good = "accounts: {enabled: true, base_url: \"https://app.example.com\"}\n"
	for text, says := range map[string]string{
		"accounts: {enabled: true}\nmail: log\n":                                          "accounts.base_url",
		"accounts: {enabled: true, base_url: \"http://app.example.com\"}\nmail: log\n":    "expected https",
		"accounts: {enabled: true, base_url: \"https://app.example.com/x\"}\nmail: log\n": "accounts.base_url",
		good:                    "host of the mail server is missing",
		good + "mail: pigeon\n": `mail "pigeon"`,
		good + "mail: {smtp: {host: mail.example.com}}\n":                                      "from",
		good + "mail: {from: \"a@example.com\", smtp: {host: mail.example.com, tls: maybe}}\n": "tls",
		strings.Replace(good, "}", ", plan: gold}", 1) + "mail: log\n":                         `plan "gold"`,
		strings.Replace(good, "}", ", trusted_proxies: [nobody]}", 1) + "mail: log\n":          "trusted_proxies",
		strings.Replace(good, "}", ", colour: red}", 1) + "mail: log\n":                        "accounts.colour",
	} {
		r := check(text, nil)
		require.Equal(t, exitUsage, r.code, text)
		require.Contains(t, r.err, says, text)
	}
	r := check(good+"mail: {from: \"Ladderback <a@example.com>\", smtp: {host: mail.example.com, username: u}}\n", map[string]string{"LADDERBACK_MAIL_SMTP_PASSWORD": "sesame"})
	require.Equal(t, exitDone, r.code, r.err)
	require.NotContains(t, r.out, "sesame")
	require.Contains(t, r.out, "password: hidden")
	require.Contains(t, check(good+"mail: log\n", nil).out, "log: true")
}
