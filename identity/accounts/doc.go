// Package accounts has the people who use a server: how they register and sign in,
// their sessions, organizations, keys and mail. Its tables stand beside those of keys.
//
// The browser's side of an identity provider ends in Service.SignInWithIdentity.
// It returns a session, or a *JoinError, after which Service.Join takes the password of
// the account that has the address already.
package accounts
