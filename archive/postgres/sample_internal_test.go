package postgres

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/store"
)

// TestFew: what few rows pass is gathered, unless a text that many have would be looked
// for in all of them, not in the few within bounds of time.
func TestFew(t *testing.T) {
	t.Parallel()
	s := &sample{each: 100}
	for i := range 1000 {
		s.rows = append(s.rows, sampled{search: fmt.Sprint("btc-4h-", i), category: "crypto", start: int64(1 + i), end: int64(2 + i)})
	}
	last := store.Dates{StartMin: 991} // ten rows
	for name, c := range map[string]struct {
		f    filter
		want bool
	}{
		"no filter":                    {filter{}, false},
		"a rare text":                  {filter{search: "4h-77"}, true},
		"a text of all":                {filter{search: "4h-"}, false},
		"a text of all, few times":     {filter{search: "4h-", dates: last}, false},
		"a text of some, fewer times":  {filter{search: "4h-99", dates: store.Dates{EndMin: 960}}, false},
		"a rarer text than times":      {filter{search: "4h-999", dates: last}, true},
		"a text that no index knows":   {filter{search: "4h", dates: last}, true},
		"few times, no text":           {filter{dates: last}, true},
		"a text of all, another place": {filter{search: "4h-", category: "sports"}, true},
	} {
		require.Equal(t, c.want, s.few(&c.f, maxGathered), name)
	}
}
