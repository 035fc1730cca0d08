// Package credentials reads what people sign in with, without a store: addresses of mail, none
// of which could be taken for another's, and passwords, none of which is among those that are
// tried first.
package credentials

import (
	netmail "net/mail"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"github.com/ladderback/ladderback/market"
)

// maxAddress is how long an address may be, in bytes (RFC 5321, 4.5.3.1.3).
const maxAddress = 254

// ParseAddress returns an address as mail is sent to it: the local part as it was
// written, the domain in ASCII (IDNA, as for registration). folded is the same for all
// ways of writing the letters A to Z, and for those alone: two addresses that merely
// look alike, or that some mapping of Unicode makes equal, are two. CodeInvalid: it is no
// address, or its letters are taken for others; the error says which.
func ParseAddress(text string) (address, folded string, err error) {
	text = strings.TrimSpace(text)
	if !utf8.ValidString(text) || strings.ContainsFunc(text, notInAddress) {
		return "", "", errAddress
	}
	local, domain, _ := strings.Cut(text, "@")
	if err := unmistakable(text); err != nil {
		return "", "", err
	}
	for _, part := range append(strings.Split(domain, "."), local) {
		if err := ofOneScript(part); err != nil {
			return "", "", err
		}
	}
	domain, err = idna.Registration.ToASCII(lower(domain))
	if err != nil || !strings.Contains(domain, ".") && domain != "localhost" {
		return "", "", errAddress
	}
	address = local + "@" + domain
	parsed, err := netmail.ParseAddress(address)
	if err != nil || parsed.Address != address || parsed.Name != "" || len(address) > maxAddress {
		return "", "", errAddress
	}
	return address, FoldAddress(address), nil
}

var errAddress = market.Errorf(market.CodeInvalid, "expected an address such as name@example.com")

func notInAddress(r rune) bool {
	return unicode.IsControl(r) || unicode.IsSpace(r) || strings.ContainsRune("<>()[],;:\\\"", r) || r == unicode.ReplacementChar
}

// AddressKey is the folded form of what somebody typed; of what is no address, a text that no
// account has.
func AddressKey(text string) string {
	if _, folded, err := ParseAddress(text); err == nil {
		return folded
	}
	return "no address: " + FoldAddress(text)
}

// FoldAddress makes small letters of A to Z, and leaves every other letter as it is.
func FoldAddress(address string) string { return lower(strings.TrimSpace(address)) }

func lower(text string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, text)
}
