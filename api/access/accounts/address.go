package accounts

import (
	netmail "net/mail"
	"net/netip"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/ladderback/ladderback/market"
)

// maxAddress is how long an address may be, in bytes (RFC 5321, 4.5.3.1.3).
const maxAddress = 254

// ParseAddress returns an address as it was written, without spaces around it, and
// folded: what all ways of writing it in small and capital letters have in common.
func ParseAddress(text string) (address, folded string, err error) {
	address = strings.TrimSpace(text)
	bad := market.Errorf(market.CodeInvalid, "expected an address such as name@example.com")
	if address == "" || len(address) > maxAddress || strings.ContainsFunc(address, func(r rune) bool {
		return unicode.IsControl(r) || unicode.IsSpace(r) || strings.ContainsRune("<>()[],;:\\\"", r) || r == unicode.ReplacementChar
	}) {
		return "", "", bad
	}
	parsed, perr := netmail.ParseAddress(address)
	if perr != nil || parsed.Address != address || parsed.Name != "" {
		return "", "", bad
	}
	local, domain, _ := strings.Cut(address, "@")
	if local == "" || !strings.Contains(domain, ".") && domain != "localhost" || strings.HasPrefix(domain, ".") || strings.HasSuffix(domain, ".") {
		return "", "", bad
	}
	return address, fold(address), nil
}

func fold(address string) string {
	return strings.ToLower(norm.NFKC.String(strings.TrimSpace(address)))
}

// network returns the network of an address, which is all that is kept of it: /24, or
// /48 of IPv6.
func network(a netip.Addr) string {
	if !a.IsValid() {
		return ""
	}
	a = a.Unmap().WithZone("")
	bits := 48
	if a.Is4() {
		bits = 24
	}
	p, err := a.Prefix(bits)
	if err != nil {
		return ""
	}
	return p.String()
}

// maxAgent is how much of a User-Agent is kept, in characters.
const maxAgent = 200

func (f From) agent() string {
	text := []rune(strings.ToValidUTF8(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, f.Agent), ""))
	return string(text[:min(len(text), maxAgent)])
}
