package pack

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/ladderback/ladderback/archive/store"
)

// Config says how packs are read and written.
type Config struct {
	// AccessKey and SecretKey of buckets; empty: AWS_ACCESS_KEY_ID and
	// AWS_SECRET_ACCESS_KEY of the environment.
	AccessKey, SecretKey string
	// Cache is a folder for what was read from buckets, CacheBytes about how much of
	// it. Empty or zero: none. Several processes may share it.
	Cache      string
	CacheBytes int64
	// Pause is how long a failed request waits before it is first made again; 0:
	// 100 ms. It doubles each time, up to 2 s.
	Pause time.Duration

	// wrap is put around every bucket; only tests do.
	wrap func(Bucket) Bucket
}

// atATime is how many requests a Packs makes at once.
const atATime = 8

// Packs reads and writes the packs of one archive. It is safe for concurrent use.
type Packs struct {
	base   string
	config func() (Config, error)
	slots  chan struct{}

	once  sync.Once
	err   error
	with  Config
	cache *cache // nil: none

	mu      sync.Mutex
	buckets map[string]opened // by the address of the depot
}

// opened is the bucket of a depot.
type opened struct {
	Bucket
	local bool // a folder: nothing of it is cached
}

// New returns the packs of an archive in the folder base (empty: it is in no folder).
// config is called when packs are first needed.
func New(base string, config func() (Config, error)) *Packs {
	return &Packs{base: base, config: config, slots: make(chan struct{}, atATime), buckets: map[string]opened{}}
}

// bucket returns the bucket of a depot.
func (p *Packs) bucket(address string) (opened, error) {
	p.once.Do(func() {
		if p.with, p.err = p.config(); p.err == nil && p.with.Cache != "" && p.with.CacheBytes > 0 {
			p.cache = newCache(p.with.Cache, p.with.CacheBytes)
		}
	})
	if p.err != nil {
		return opened{}, fmt.Errorf("packs: %w", p.err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if b, ok := p.buckets[address]; ok {
		return b, nil
	}
	at, err := parse(address, p.base)
	if err != nil {
		return opened{}, fmt.Errorf("depot %s: %w", address, err)
	}
	b := opened{Bucket: folder{at.folder}, local: true}
	if at.folder == "" {
		remote, err := openBucket(at, &p.with)
		if err != nil {
			return opened{}, err
		}
		b = opened{Bucket: remote}
	}
	if p.with.wrap != nil {
		b.Bucket = p.with.wrap(b.Bucket)
	}
	p.buckets[address] = b
	return b, nil
}

// take waits until a request may be made.
func (p *Packs) take(ctx context.Context) error {
	select {
	case p.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

var _ store.PackReader = (*Packs)(nil)
