package credentials

import (
	"context"
	"crypto/rand"
	_ "embed" // the commonest words
	"runtime"
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
	local, _, _ := strings.Cut(FoldAddress(address), "@")
	switch {
	case !utf8.ValidString(password):
		return market.Errorf(market.CodeInvalid, "expected text in UTF-8")
	case n < MinPassword:
		return market.Errorf(market.CodeInvalid, "expected at least %d characters", MinPassword)
	case n > MaxPassword:
		return market.Errorf(market.CodeInvalid, "expected at most %d characters", MaxPassword)
	case strings.EqualFold(p, FoldAddress(address)), len(local) >= 4 && onlyOf(letters(p), []string{letters(local)}):
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

// ErrBusy: too many passwords are worked out at a time.
var ErrBusy error = &market.Error{Code: market.CodeUnavailable, Message: "too many people are signing in at the moment", RetryAfter: 5}

// Hasher hashes passwords, a few at a time. It is safe for concurrent use.
type Hasher struct {
	params *argon2id.Params
	wait   time.Duration
	dummy  string        // a hash that no password has
	turns  chan struct{} // hashes at work
}

// NewHasher returns a hasher. Nil params are argon2id over 64 MiB,
// three passes, on one core. Who waits for a turn longer than wait is told ErrBusy.
func NewHasher(params *argon2id.Params, wait time.Duration) (*Hasher, error) {
	if params == nil {
		params = &argon2id.Params{Memory: 64 << 10, Iterations: 3, Parallelism: 1, SaltLength: 16, KeyLength: 32}
	}
	dummy, err := argon2id.CreateHash(rand.Text(), params)
	return &Hasher{params, wait, dummy, make(chan struct{}, atATimeHashed())}, err
}

// atATimeHashed bounds how many passwords are hashed at a time, each of which takes 64 MiB
// and a core: two, but a core is left to everything else.
func atATimeHashed() int { return max(1, min(2, runtime.GOMAXPROCS(0)-1)) }

// Turn waits until a password may be hashed. ErrBusy: too many wait.
func (h *Hasher) Turn(ctx context.Context) (done func(), err error) {
	wait := time.NewTimer(h.wait)
	defer wait.Stop()
	select {
	case h.turns <- struct{}{}:
		return func() { <-h.turns }, nil
	case <-wait.C:
		return nil, ErrBusy
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Hash hashes a password.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	done, err := h.Turn(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	return argon2id.CreateHash(normal(password), h.params)
}

// Matches compares a password with a hash; with an empty one it takes as long, and says
// no. The caller has the turn.
func (h *Hasher) Matches(password, hash string) (bool, error) {
	known := hash != ""
	if !known {
		hash = h.dummy
	}
	ok, err := argon2id.ComparePasswordAndHash(normal(password), hash)
	return ok && known, err
}
