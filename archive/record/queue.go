package record

import (
	"sync"
	"sync/atomic"

	"github.com/ladderback/ladderback/market"
)

type itemKind uint8

const (
	itemMessage   itemKind = iota // data came in at recv
	itemFollow                    // of round: its tokens are to be recorded
	itemConfirmed                 // the exchange has the subscription of tokens, as of recv
	itemLost                      // of tokens nothing was heard after recv, because of reason
	itemLeave                     // of round: nothing more is expected
	itemStopped                   // of tokens nothing was heard after recv, because the recording ends
	itemStep                      // the clock was set: gap
	itemListing                   // data is metadata
)

// item is what the log is told.
type item struct {
	kind   itemKind
	recv   market.Instant
	data   []byte
	tokens []string
	round  *round
	reason string
	gap    market.Gap
	// booked is told when the message is a whole book; nil: nobody asks.
	booked *atomic.Bool
}

// queue is what waits for the log. Messages are bounded in bytes; everything
// else is small and always goes in, so that nothing is lost without a word.
type queue struct {
	limit   int
	problem atomic.Pointer[string]

	mu    sync.Mutex
	items []item
	bytes int
	ended bool
	ready chan struct{} // has an element when there is something to do
}

func newQueue(limit int) *queue { return &queue{limit: limit, ready: make(chan struct{}, 1)} }

// push adds an item. It reports false, and does nothing, for a message that the
// queue has no room for.
func (q *queue) push(it item) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if it.kind == itemMessage && q.bytes > 0 && q.bytes+len(it.data) > q.limit {
		return false
	}
	q.items = append(q.items, it)
	q.bytes += len(it.data)
	q.wake()
	return true
}

func (q *queue) wake() {
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// maxTake is roughly how many bytes of messages take hands out at a time.
const maxTake = 1 << 20

// take returns the next items, in order, and whether nothing more will come.
func (q *queue) take() (items []item, ended bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	n, bytes := 0, 0
	for n < len(q.items) && bytes < maxTake {
		bytes += len(q.items[n].data)
		n++
	}
	items = q.items[:n:n]
	q.items = q.items[n:]
	q.bytes -= bytes
	if len(q.items) > 0 {
		q.wake()
	}
	return items, q.ended && len(q.items) == 0
}

func (q *queue) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	q.wake()
}

func (q *queue) size() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.bytes
}
