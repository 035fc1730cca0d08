package ingest_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

const fewMutated = 600

var mutated = flag.Int("mutated", fewMutated, "mutated lines that TestMutatedLines imports, of each format of lines")

// mutant is a line with some of it changed: never its end.
func mutant(r *rand.Rand, line, other []byte) []byte {
	b := bytes.Clone(line)
	for range 1 + r.IntN(3) {
		at := r.IntN(len(b))
		end := at + r.IntN(min(40, len(b)-at)+1)
		put := func(piece []byte) { b = append(append(bytes.Clone(b[:at]), piece...), b[end:]...) }
		switch r.IntN(10) {
		case 0:
			b[at] ^= 1 << r.IntN(8)
		case 1:
			b[at] = byte(r.Uint32())
		case 2:
			put(nil)
		case 3:
			b = b[:at]
		case 4:
			put(bytes.Repeat([]byte{`[{"\,:9-`[r.IntN(8)]}, 1+r.IntN(3000)))
		case 5:
			put([]byte(numbersThatLie[r.IntN(len(numbersThatLie))]))
		case 6:
			put(line[r.IntN(len(line)):])
		case 7:
			from := r.IntN(len(other))
			put(other[from : from+r.IntN(len(other)-from)])
		case 8:
			put([]byte("\xff\xfe\x00\xc0\x80"))
		case 9:
			put([]byte(`null`))
		}
		b = bytes.Map(func(c rune) rune {
			if c == '\n' || c == '\r' {
				return ' '
			}
			return c
		}, b)
		if len(b) == 0 {
			return []byte(" ")
		}
	}
	return b
}

var numbersThatLie = []string{
	"1e999", "-1", "0.0000000000001", "99999999999999999999999999", "NaN", "Infinity", "1e-400", "0x10", "--1", "1.2.3", "9223372036854775807", `"0.5"`, "true", "{}",
}

// TestMutatedLines: lines of one round that are damaged in any way cost no line of
// another, and the memory that the docs name; 24,000 of each format:
//
//	go test ./archive/ingest -run MutatedLines -v -mutated 24000
func TestMutatedLines(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s subject) {
		if s.text == nil || s.oneRound {
			t.Skip("no lines of two rounds")
		}
		var good, others []event
		for i := range 240 {
			e := event{sec: fmt.Sprintf("%d", 1+i), bid: fmt.Sprintf("0.4%d", i%10), ask: fmt.Sprintf("0.5%d", i%10), size: "12.5"}
			good = append(good, e)
			e.round = 1
			others = append(others, e)
		}
		_, want := s.imported(t, s.text(good))
		require.Len(t, want[0], len(good))
		lines := bytes.SplitAfter(s.text(good), []byte("\n"))
		bad := bytes.Split(bytes.TrimSpace(s.text(others)), []byte("\n"))
		r := rand.New(rand.NewPCG(24_000, 1))
		var file bytes.Buffer
		file.Write(lines[0]) // what a file is, its first line tells
		for i := range *mutated {
			file.Write(mutant(r, bad[r.IntN(len(bad))], bad[r.IntN(len(bad))]))
			file.WriteByte('\n')
			for _, line := range lines[1 + i*(len(lines)-1) / *mutated : 1 + (i+1)*(len(lines)-1) / *mutated] {
				file.Write(line)
			}
		}
		res, got := s.kept(t, file.Bytes())
		require.Empty(t, res.Failed())
		require.Equal(t, want[0], got[slugs[0]])
		require.Positive(t, res.RejectedTotal())
		if *mutated > fewMutated { // alone: else other tests have their part in it
			require.Less(t, peak(t), int64(maxMemory))
		}
		t.Logf("%d lines, %d rejected, %d kept of the damaged round, %d MiB", *mutated, res.RejectedTotal(), len(got[slugs[1]]), peak(t)>>20)
	})
}
