// Package access decides who may use the API and how much: keys, plans and
// limits. Keys and counters live in a Store: a file of its own or inside an
// archive (SQLite), or PostgreSQL, where the limits hold over several server
// processes.
package access
