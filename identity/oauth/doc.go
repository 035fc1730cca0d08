// Package oauth reads what a client of OAuth 2.1 asks an authorization server for, and says
// who the client is: one that the operator named, or one whose metadata document is at the
// address that is its id. What people then grant is kept by package accounts.
package oauth
