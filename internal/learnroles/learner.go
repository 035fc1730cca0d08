package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// Bounds of learning: how often all examples are gone through, how often a feature must be seen, and by
// how much more than the next a role must be said before an example teaches nothing.
const (
	rounds = 8
	seldom = 3
	margin = 100
	least  = 2 // what a weight must be to be kept, of 127
)

// example is a number or a prompt with its features, and what it is.
type example struct {
	features []uint32
	is       []int // any of these
	of       []int // what it may seem to be; nil: anything
}

// learner is an averaged perceptron: of each feature and name the weight now, and the sum of what
// it was after each step.
type learner struct {
	names  []string
	now    map[uint32][]int64
	summed map[uint32][]int64
	steps  int64
}

// newLearner learns from examples.
func newLearner(names []string, examples []example) *learner {
	l := &learner{names: names, now: map[uint32][]int64{}, summed: map[uint32][]int64{}}
	seen := map[uint32]int{}
	for i := range examples {
		for _, f := range examples[i].features {
			seen[f]++
		}
	}
	for i := range examples {
		examples[i].features = slices.DeleteFunc(slices.Clone(examples[i].features), func(f uint32) bool { return seen[f] < seldom })
	}
	mix := rand.New(rand.NewPCG(1, 1)) // the same order each time
	for round := range rounds {
		for _, i := range mix.Perm(len(examples)) {
			if e := &examples[i]; round > 0 || len(e.is) == 1 {
				l.see(e)
			}
		}
	}
	fmt.Println(len(examples), "examples of", len(l.names), "kinds,", len(l.now), "features")
	return l
}

// see learns from an example.
func (l *learner) see(e *example) {
	l.steps++
	is, rival := l.rival(e)
	if rival < 0 {
		return
	}
	for _, f := range e.features {
		if l.now[f] == nil {
			l.now[f], l.summed[f] = make([]int64, len(l.names)), make([]int64, len(l.names))
		}
		l.now[f][rival]--
		l.summed[f][rival] -= l.steps
		l.now[f][is]++
		l.summed[f][is] += l.steps
	}
}

// rival is the likeliest of what an example is, and of what it is not where that is not clearly less;
// else -1.
func (l *learner) rival(e *example) (is, rival int) {
	sums := l.sums(e.features, l.now)
	is, rival = -1, -1
	for i, s := range sums {
		switch {
		case slices.Contains(e.is, i):
			if is < 0 || s > sums[is] {
				is = i
			}
		case e.of != nil && !slices.Contains(e.of, i):
		case rival < 0 || s > sums[rival]:
			rival = i
		}
	}
	if rival >= 0 && sums[is]-sums[rival] > margin {
		rival = -1
	}
	return is, rival
}

func (l *learner) sums(features []uint32, weights map[uint32][]int64) []int64 {
	sums := make([]int64, len(l.names))
	for _, f := range features {
		for i, w := range weights[f] {
			sums[i] += w
		}
	}
	return sums
}

// best is what says most of features, of some, or nil for all.
func (l *learner) best(features []uint32, weights map[uint32][]int64, of []int) int {
	best, sums := -1, l.sums(features, weights)
	for i, s := range sums {
		if (of == nil || slices.Contains(of, i)) && (best < 0 || s > sums[best]) {
			best = i
		}
	}
	return best
}

// averaged are the weights as the mean of all steps, whole, the largest 127.
func (l *learner) averaged() map[uint32][]int64 {
	out, most := map[uint32][]int64{}, int64(1)
	for f, w := range l.now {
		row := make([]int64, len(w))
		for i := range w {
			row[i] = w[i]*(l.steps+1) - l.summed[f][i]
			most = max(most, row[i], -row[i])
		}
		out[f] = row
	}
	for _, row := range out {
		for i := range row {
			row[i] = row[i] * 127 / most
		}
	}
	return out
}

// packed are the weights of numbers and of prompts.
func packed(learned []*learner) []byte {
	var raw, out bytes.Buffer
	for _, l := range learned {
		l.pack(&raw)
	}
	zip, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // a level that there is
	_, _ = zip.Write(raw.Bytes())                             // memory takes it
	_ = zip.Close()
	fmt.Println(raw.Len(), "bytes,", out.Len(), "packed")
	return out.Bytes()
}

// pack writes the weights: the names, how many features there are, then by feature, as the distance from the
// one before, of how many names it says something, and for each its index and weight.
func (l *learner) pack(out *bytes.Buffer) {
	out.WriteString(strings.Join(l.names, "\t") + "\n")
	var raw bytes.Buffer
	weights, last, rows := l.averaged(), uint32(0), uint64(0)
	for _, f := range slices.Sorted(maps.Keys(weights)) {
		var row []byte
		for i, w := range weights[f] {
			if w >= least || w <= -least {
				row = append(row, byte(i), byte(int8(w)))
			}
		}
		if len(row) == 0 {
			continue
		}
		raw.Write(binary.AppendUvarint(nil, uint64(f-last)))
		raw.WriteByte(byte(len(row) / 2))
		raw.Write(row)
		last = f
		rows++
	}
	out.Write(binary.AppendUvarint(nil, rows))
	out.Write(raw.Bytes())
}
