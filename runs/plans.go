package runs

import (
	"bytes"
	"slices"
	"sync"
	"time"

	"github.com/ladderback/ladderback/backtest/parts"
)

// Bounds of the plans that a process keeps in memory.
const (
	mostPlans = 2
	// planTime is how long one is kept that no chunk asks for.
	planTime = 2 * time.Minute
)

// plans are those of the runs that this process worked on last, with the rounds that they
// keep. It is safe for concurrent use.
type plans struct {
	lock sync.Mutex
	all  []keptPlan // the one that was asked for last at the end
}

type keptPlan struct {
	run    string
	packed []byte
	plan   *parts.Plan
	asked  time.Time
}

// get returns the plan of a run; nil: it is not kept, or is not the one that was packed.
func (k *plans) get(run string, packed []byte) *parts.Plan {
	k.lock.Lock()
	defer k.lock.Unlock()
	for i := range k.all {
		if one := k.all[i]; one.run == run && bytes.Equal(one.packed, packed) {
			k.push(one)
			return one.plan
		}
	}
	return nil
}

// put keeps the plan of a run.
func (k *plans) put(run string, packed []byte, plan *parts.Plan) {
	k.lock.Lock()
	defer k.lock.Unlock()
	k.push(keptPlan{run: run, packed: packed, plan: plan})
}

// push puts a plan last.
func (k *plans) push(one keptPlan) {
	one.asked = time.Now()
	k.all = append(slices.DeleteFunc(k.all, func(p keptPlan) bool { return p.run == one.run }), one)
	k.all = slices.Clone(k.all[max(0, len(k.all)-mostPlans):])
}

// drop forgets the plan of a run, and those that nobody has asked for since.
func (k *plans) drop(run string, since time.Time) {
	k.lock.Lock()
	defer k.lock.Unlock()
	k.all = slices.DeleteFunc(k.all, func(p keptPlan) bool { return p.run == run || p.asked.Before(since) })
}
