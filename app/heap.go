package app

import (
	"cmp"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"

	"github.com/ladderback/ladderback/app/heap"
)

const (
	// minHeap is up to how many bytes the heap of a command that ends with its answer
	// grows before garbage is collected: a start and a backtest leave a few megabytes in
	// use, of which the collector would run for each as many again.
	minHeap = 64 << 20
	// firstHeap is the size at which Go collects first with GOGC at 100, by its
	// documentation.
	firstHeap = 4 << 20
)

// LargeHeap lets the heap of a command that ends with its answer grow to minHeap before
// garbage is collected, unless GOGC is set. With more than half of that in use nothing
// is different. end, to be called once, sets the collector back.
func (a *App) LargeHeap() (end func()) { return a.largeHeap(0) }

// largeHeap is LargeHeap with a GOGC where more is in use; 0: as it was.
func (a *App) largeHeap(least int) (end func()) {
	if a.Getenv("GOGC") != "" {
		return func() {}
	}
	var mu sync.Mutex // one setting at a time, and none behind the end
	ended := false
	before := debug.SetGCPercent(heap.Usual * minHeap / firstHeap)
	if before > heap.Usual { // nothing was collected yet
		before = heap.Usual
	}
	least = cmp.Or(least, before)
	var watch func()
	watch = func() {
		// What nothing refers to is found by the next collection.
		runtime.AddCleanup(new([64]byte), func(struct{}) {
			mu.Lock()
			defer mu.Unlock()
			if ended {
				return
			}
			debug.SetGCPercent(gcPercent(heapInUse(), least))
			watch()
		}, struct{}{})
	}
	watch()
	return func() {
		mu.Lock()
		defer mu.Unlock()
		ended = true
		debug.SetGCPercent(before)
	}
}

// gcPercent returns what GOGC must be for a heap to grow to minHeap with so many
// bytes in use: at least what it was before.
func gcPercent(inUse uint64, before int) int {
	if inUse == 0 || inUse >= minHeap {
		return before
	}
	return min(max(before, int(100*(minHeap-inUse)/inUse)), 100*minHeap/firstHeap)
}

// heapInUse returns how many bytes the last collection left in use.
func heapInUse() uint64 {
	read := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	if metrics.Read(read); read[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return read[0].Value.Uint64()
}

// serverGC is GOGC of a server, unless it is set, where more than minHeap allows is in
// use: with the vocabulary and the cache it has much in use for good, of which it then
// holds half as much again, not twice, and collecting costs it next to nothing. With
// little in use each page that it answers would bring the next collection near.
const serverGC = 50

// serverHeap sets the garbage collector for a server; end, to be called once, sets it back.
func (a *App) serverHeap() (end func()) { return a.largeHeap(serverGC) }
