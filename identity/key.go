package identity

import (
	"crypto/rand"
	"crypto/sha256"
	"hash/crc32"
	"io"
	"math/big"
	"strings"
)

// Prefix begins every API key.
const Prefix = "lb_"

const (
	alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	// secretLen is the number of base-62 digits that hold 256 bits.
	secretLen   = 43
	checksumLen = 6
	keyLen      = len(Prefix) + secretLen + checksumLen
)

// Digest is the SHA-256 of a key: the only part stored, and the key's look-up.
type Digest [sha256.Size]byte

// NewKey makes a key from 256 bits of random; nil means crypto/rand.
// The key is "lb_", the bits as 43 base-62 digits, and 6 digits of checksum.
func NewKey(random io.Reader) (string, error) {
	if random == nil {
		random = rand.Reader
	}
	var bits [32]byte
	if _, err := io.ReadFull(random, bits[:]); err != nil {
		return "", err
	}
	secret := base62(new(big.Int).SetBytes(bits[:]), secretLen)
	return Prefix + secret + checksum(secret), nil
}

// IsKey reports whether what somebody bears is meant as a key, rather than as a token.
func IsKey(secret string) bool { return strings.HasPrefix(secret, Prefix) }

// DigestOf returns the digest of a key, and false for text whose prefix, length,
// digits or checksum are wrong: it can be refused without a look-up.
func DigestOf(key string) (Digest, bool) {
	if len(key) != keyLen || !strings.HasPrefix(key, Prefix) {
		return Digest{}, false
	}
	for i := len(Prefix); i < keyLen; i++ {
		if c := key[i]; (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return Digest{}, false
		}
	}
	secret := key[len(Prefix) : len(Prefix)+secretLen]
	if key[len(Prefix)+secretLen:] != checksum(secret) {
		return Digest{}, false
	}
	return sha256.Sum256([]byte(key)), true
}

// checksum is the CRC-32 (IEEE) of the digits, in six base-62 digits.
func checksum(secret string) string {
	sum := crc32.ChecksumIEEE([]byte(secret))
	var out [checksumLen]byte
	for i := checksumLen - 1; i >= 0; i-- {
		out[i] = alphabet[sum%uint32(len(alphabet))]
		sum /= uint32(len(alphabet))
	}
	return string(out[:])
}

// base62 writes n in exactly digits digits, with leading zeros. n must fit.
func base62(n *big.Int, digits int) string {
	out := make([]byte, digits)
	base, rest := big.NewInt(int64(len(alphabet))), new(big.Int)
	for i := digits - 1; i >= 0; i-- {
		n, rest = new(big.Int).QuoRem(n, base, rest)
		out[i] = alphabet[rest.Int64()]
	}
	return string(out)
}
