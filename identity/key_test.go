package identity_test

import (
	"bytes"
	"hash/crc32"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/identity"
)

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// value reads base-62 digits the long way.
func value(t require.TestingT, s string) *big.Int {
	n := new(big.Int)
	for _, c := range s {
		i := strings.IndexRune(digits, c)
		require.GreaterOrEqual(t, i, 0, "digit %q", c)
		n.Mul(n, big.NewInt(62)).Add(n, big.NewInt(int64(i)))
	}
	return n
}

func TestNewKey(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		bits := rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "bits")
		key, err := identity.NewKey(bytes.NewReader(bits))
		require.NoError(t, err)
		require.Len(t, key, 3+43+6)
		require.Equal(t, "lb_", key[:3])
		require.Equal(t, new(big.Int).SetBytes(bits), value(t, key[3:46]))
		require.Equal(t, uint64(crc32.ChecksumIEEE([]byte(key[3:46]))), value(t, key[46:]).Uint64())
		_, ok := identity.DigestOf(key)
		require.True(t, ok)

		// One wrong digit anywhere is refused without a look-up.
		i := rapid.IntRange(3, len(key)-1).Draw(t, "at")
		d := digits[rapid.IntRange(0, 61).Draw(t, "digit")]
		if d != key[i] {
			_, ok = identity.DigestOf(key[:i] + string(d) + key[i+1:])
			require.False(t, ok, "key %q with %c at %d", key, d, i)
		}
	})
}

func TestDigestOfRefuses(t *testing.T) {
	t.Parallel()
	key, err := identity.NewKey(nil)
	require.NoError(t, err)
	for _, bad := range []string{"", "lb_", key + "0", key[:len(key)-1], "xx_" + key[3:], strings.ToUpper(key), "eyJhbGciOiJIUzI1NiJ9.e30.x", key[:10] + "_" + key[11:]} {
		_, ok := identity.DigestOf(bad)
		require.False(t, ok, "key %q", bad)
	}
}

func TestPlans(t *testing.T) {
	t.Parallel()
	plans := identity.DefaultPlans()
	for _, p := range plans {
		require.NoError(t, p.Validate())
	}
	pro, err := plans.Find("PRO")
	require.NoError(t, err)
	require.Equal(t, "pro", pro.ID())
	_, err = plans.Find("gold")
	require.EqualError(t, err, `plan "gold": expected one of enterprise, pro, scale, starter`)
}

// TestPlanRefused: each invalid field of a plan is named, and a plan without
// limits is one.
func TestPlanRefused(t *testing.T) {
	t.Parallel()
	good := identity.Plan{Name: "Desk", Finest: "1s"}
	require.NoError(t, good.Validate())
	require.False(t, good.Limited())
	for want, change := range map[string]func(p *identity.Plan){
		"plan name":                    func(p *identity.Plan) { p.Name = "" },
		`"two words"`:                  func(p *identity.Plan) { p.Name = "two words" },
		"finest_resolution is missing": func(p *identity.Plan) { p.Finest = "" },
		"a limit is negative":          func(p *identity.Plan) { p.BulkPointsPerDay = -1 },
	} {
		p := good
		change(&p)
		require.ErrorContains(t, p.Validate(), want)
	}
	for _, p := range []identity.Plan{{RequestsPerMinute: 1}, {RequestsPerDay: 1}} {
		require.True(t, p.Limited())
	}
}
