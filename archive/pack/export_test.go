package pack

import (
	"context"

	"github.com/ladderback/ladderback/archive/store"
)

// PageBytes and MaxSpan are what requests are made of.
const (
	PageBytes = pageBytes
	MaxSpan   = maxSpan
	MaxGap    = maxGap
)

// Wrapped returns a configuration with something around every bucket.
func Wrapped(c Config, wrap func(Bucket) Bucket) func() (Config, error) {
	c.wrap = wrap
	return func() (Config, error) { return c, nil }
}

// Everything is Pack of every block, also of what is not closed, in packs of about
// size bytes.
func (p *Packs) Everything(ctx context.Context, s store.Store, to string, size int64) (*Result, error) {
	return p.Pack(ctx, s, Options{To: to, All: true, Size: size, open: true})
}

// BucketAt returns the bucket of an address.
func (p *Packs) BucketAt(address string) (Bucket, error) {
	b, err := p.bucket(address)
	return b.Bucket, err
}

// Cached returns how many bytes the cache takes, as it counts them.
func (p *Packs) Cached() int64 {
	p.cache.mu.Lock()
	defer p.cache.mu.Unlock()
	return p.cache.bytes
}
