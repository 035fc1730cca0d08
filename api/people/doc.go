// Package people has the routes of sessions and accounts: what a browser sends, and what it is
// answered (docs/dashboard.md). It keeps the session's cookie.
package people
