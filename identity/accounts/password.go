package accounts

import (
	"context"
	_ "embed" // the commonest words
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"
	"golang.org/x/text/unicode/norm"

	"github.com/ladderback/ladderback/market"
)

// Bounds of a password, in characters after NFKC.
const (
	MinPassword = 12
	MaxPassword = 128
)

// normal is a password as it is hashed: the same for all ways in which keyboards and
// systems encode it.
func normal(password string) string { return norm.NFKC.String(password) }

// CheckPassword refuses a password that is too short, too long, the address, or among
// those that are tried first. The error says which, with CodeInvalid.
func CheckPassword(password, address string) error {
	p := normal(password)
	n := utf8.RuneCountInString(p)
	local, _, _ := strings.Cut(fold(address), "@")
	switch {
	case !utf8.ValidString(password):
		return market.Errorf(market.CodeInvalid, "expected text in UTF-8")
	case n < MinPassword:
		return market.Errorf(market.CodeInvalid, "expected at least %d characters", MinPassword)
	case n > MaxPassword:
		return market.Errorf(market.CodeInvalid, "expected at most %d characters", MaxPassword)
	case strings.EqualFold(p, fold(address)), len(local) >= 4 && onlyOf(letters(p), []string{letters(local)}):
		return market.Errorf(market.CodeInvalid, "the password is the address: choose another")
	case common(p):
		return market.Errorf(market.CodeInvalid, "the password is among those that are tried first: choose another")
	}
	return nil
}

//go:embed commonest.txt
var commonest string

var commonWords = sync.OnceValue(func() []string { return strings.Fields(commonest) })

// fewest is how many different characters a password has at least.
const fewest = 5

// common reports whether a password has next to nothing to guess: few different
// characters, a row of neighbours, or nothing but the commonest words, however they are
// written, and digits or signs around them.
func common(p string) bool {
	different := map[rune]bool{}
	rising := 0
	var last rune
	for _, r := range strings.ToLower(p) {
		different[r] = true
		if r == last+1 || r == last-1 || r == last || last == '9' && r == '0' {
			rising++
		}
		last = r
	}
	if len(different) < fewest || rising >= utf8.RuneCountInString(p)-3 {
		return true
	}
	rest := letters(p)
	return rest != "" && utf8.RuneCountInString(p)-len([]rune(rest)) <= 8 && onlyOf(rest, commonWords())
}

// lookalikes are the digits and signs that stand for letters.
var lookalikes = strings.NewReplacer("0", "o", "3", "e", "4", "a", "@", "a", "5", "s", "$", "s", "7", "t", "!", "i")

// letters returns what is left of a text in small letters, digits within it read as the
// letters that they stand for.
func letters(p string) string {
	p = strings.TrimFunc(strings.ToLower(p), func(r rune) bool { return !unicode.IsLetter(r) && r != '@' && r != '$' })
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, lookalikes.Replace(p))
}

// onlyOf reports whether a text is nothing but the words, one after the other.
func onlyOf(text string, words []string) bool {
	if text == "" {
		return false
	}
	reach := make([]bool, len(text)+1) // to which the text can be cut into words
	reach[0] = true
	for at := range len(text) {
		if !reach[at] {
			continue
		}
		for _, w := range words {
			if w != "" && strings.HasPrefix(text[at:], w) {
				reach[at+len(w)] = true
			}
		}
	}
	return reach[len(text)]
}

// turn waits until a password may be hashed. ErrBusy: too many wait.
func (s *Service) turn(ctx context.Context) (done func(), err error) {
	wait := time.NewTimer(s.cfg.HashWait)
	defer wait.Stop()
	select {
	case s.turns <- struct{}{}:
		return func() { <-s.turns }, nil
	case <-wait.C:
		return nil, ErrBusy
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// hash hashes a password.
func (s *Service) hash(ctx context.Context, password string) (string, error) {
	done, err := s.turn(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	return argon2id.CreateHash(normal(password), s.cfg.Hash)
}

// matches compares a password with a hash; with an empty one it takes as long, and says
// no. The caller has the turn.
func (s *Service) matches(password, hash string) (bool, error) {
	known := hash != ""
	if !known {
		hash = s.dummy
	}
	ok, err := argon2id.ComparePasswordAndHash(normal(password), hash)
	return ok && known, err
}
