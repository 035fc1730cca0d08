// Package pgtest gives tests a database of their own on a real PostgreSQL.
package pgtest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/url"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// Env names the variable with the address of a PostgreSQL on which the tests
// may create databases: postgres://user@/postgres?host=/socket/folder.
const Env = "LADDERBACK_TEST_POSTGRES"

// Database creates an empty database and returns its address. It is dropped
// when the test ends. Without a server the test is skipped, but fails where
// $CI is set: there the server must be.
func Database(t testing.TB) string {
	t.Helper()
	server := server(t)
	var random [8]byte
	_, err := rand.Read(random[:])
	require.NoError(t, err)
	name := "test_" + hex.EncodeToString(random[:])
	execute(t, server, `CREATE DATABASE `+name+` TEMPLATE template0`)
	t.Cleanup(func() { execute(t, server, `DROP DATABASE IF EXISTS `+name+` WITH (FORCE)`) })
	return address(t, server, name)
}

// Kept returns the address of the database of that name, which it creates when
// there is none and leaves there. Without a server the test is skipped.
func Kept(t testing.TB, name string) string {
	t.Helper()
	server := server(t)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, server)
	require.NoError(t, err, "connect to %s", server)
	defer func() { require.NoError(t, conn.Close(ctx)) }()
	var found bool
	require.NoError(t, conn.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1)`, name).Scan(&found))
	if !found {
		execute(t, server, `CREATE DATABASE `+pgx.Identifier{name}.Sanitize()+` TEMPLATE template0`)
	}
	return address(t, server, name)
}

// server returns the address that Env gives.
func server(t testing.TB) string {
	t.Helper()
	server := os.Getenv(Env)
	if server == "" {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is not set: CI needs a PostgreSQL", Env)
		}
		t.Skipf("no PostgreSQL: set %s (scripts/test.sh starts one)", Env)
	}
	return server
}

func address(t testing.TB, server, name string) string {
	t.Helper()
	u, err := url.Parse(server)
	require.NoError(t, err, "%s", Env)
	u.Path = "/" + name
	return u.String()
}

func execute(t testing.TB, server, sql string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, server)
	require.NoError(t, err, "connect to %s", server)
	defer func() { require.NoError(t, conn.Close(ctx)) }()
	_, err = conn.Exec(ctx, sql)
	require.NoError(t, err, sql)
}
