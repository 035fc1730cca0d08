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
	maxCachedPlans = 2
	// planTTL is how long one is kept that no chunk asks for.
	planTTL = 2 * time.Minute
)

// planCache has the plans of the runs that this process worked on last, with the rounds that
// they keep. It is safe for concurrent use.
type planCache struct {
	lock    sync.Mutex
	entries []cachedPlan // the one that was asked for last at the end
}

type cachedPlan struct {
	run    string
	packed []byte
	plan   *parts.Plan
	asked  time.Time
}

// get returns the plan of a run; nil: it is not kept, or is not the one that was packed.
func (k *planCache) get(run string, packed []byte) *parts.Plan {
	k.lock.Lock()
	defer k.lock.Unlock()
	for i := range k.entries {
		if one := k.entries[i]; one.run == run && bytes.Equal(one.packed, packed) {
			k.push(one)
			return one.plan
		}
	}
	return nil
}

// put keeps the plan of a run.
func (k *planCache) put(run string, packed []byte, plan *parts.Plan) {
	k.lock.Lock()
	defer k.lock.Unlock()
	k.push(cachedPlan{run: run, packed: packed, plan: plan})
}

// push puts a plan last.
func (k *planCache) push(one cachedPlan) {
	one.asked = time.Now()
	k.entries = append(slices.DeleteFunc(k.entries, func(p cachedPlan) bool { return p.run == one.run }), one)
	k.entries = slices.Clone(k.entries[max(0, len(k.entries)-maxCachedPlans):])
}

// drop forgets the plan of a run, and those that nobody has asked for since.
func (k *planCache) drop(run string, since time.Time) {
	k.lock.Lock()
	defer k.lock.Unlock()
	k.entries = slices.DeleteFunc(k.entries, func(p cachedPlan) bool { return p.run == run || p.asked.Before(since) })
}
