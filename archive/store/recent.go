package store

import "sync"

// recent keeps what was used lately, up to most bytes. What is not used while
// half of that is put is dropped; what takes more than half is not kept. It is
// safe for concurrent use.
type Recent[K comparable, V any] struct {
	most int

	mu         sync.Mutex
	young, old map[K]sized[V]
	bytes      int // of young
}

type sized[V any] struct {
	value V
	bytes int
}

func NewRecent[K comparable, V any](most int) *Recent[K, V] {
	return &Recent[K, V]{most: most, young: map[K]sized[V]{}}
}

func (r *Recent[K, V]) Get(k K) (V, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, ok := r.young[k]
	if !ok {
		if v, ok = r.old[k]; ok {
			r.keep(k, v)
		}
	}
	return v.value, ok
}

func (r *Recent[K, V]) Put(k K, v V, bytes int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keep(k, sized[V]{v, bytes})
}

// resize notes that the value of k, if it is kept, takes so many bytes now.
func (r *Recent[K, V]) resize(k K, bytes int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, ok := r.young[k]
	if !ok {
		v, ok = r.old[k]
	}
	if ok {
		r.keep(k, sized[V]{v.value, bytes})
	}
}

func (r *Recent[K, V]) keep(k K, v sized[V]) {
	r.bytes -= r.young[k].bytes
	delete(r.young, k)
	delete(r.old, k)
	if v.bytes > r.most/2 {
		return
	}
	if r.bytes+v.bytes > r.most/2 {
		r.young, r.old, r.bytes = map[K]sized[V]{}, r.young, 0
	}
	r.young[k] = v
	r.bytes += v.bytes
}
