package archive

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestRecent puts, asks for and weighs anew at will: what is kept is what was put
// last, and never takes more than it may.
func TestRecent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(0, 100).Draw(t, "most")
		r := newRecent[int, int](most)
		last, bytes := map[int]int{}, map[int]int{}
		for i := range rapid.IntRange(1, 60).Draw(t, "steps") {
			k, n := rapid.IntRange(0, 9).Draw(t, "key"), rapid.IntRange(1, 80).Draw(t, "bytes")
			switch rapid.IntRange(0, 2).Draw(t, "step") {
			case 0:
				r.put(k, i, n)
				last[k], bytes[k] = i, n
			case 1:
				r.resize(k, n)
				bytes[k] = n
			default:
				if v, ok := r.get(k); ok {
					require.Equal(t, last[k], v)
				}
			}
			sum, young := 0, 0
			for k, v := range r.young {
				require.Equal(t, bytes[k], v.bytes)
				require.NotContains(t, r.old, k)
				young += v.bytes
			}
			for _, v := range r.old {
				sum += v.bytes
			}
			require.Equal(t, young, r.bytes)
			require.LessOrEqual(t, sum+young, most)
		}
	})
}
