// Package mail writes the mails of accounts and hands them to a mail server, or to the
// log of a server on a laptop. It knows neither accounts nor when a mail is due.
package mail
