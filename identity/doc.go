// Package identity decides who may use the API and how much: keys, plans and
// limits. Keys and counters live in a Store: SQLite, in a separate file or inside
// an archive, or PostgreSQL, where limits apply across server processes.
package identity
