package pack

import (
	"cmp"
	"context"
	"encoding/binary"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/ladderback/ladderback/archive/store"
)

const (
	// pageBytes is the length of a page; the last one of a pack is shorter.
	pageBytes = 256 << 10
	// usedEvery is how often the file of a page that is used is marked so.
	usedEvery = 10 * time.Minute
)

// cache keeps pages of packs as files, under the name of the pack, which says what is
// in it: a page is never out of date. Each file ends in a checksum. Several processes
// may share the folder.
type cache struct {
	dir   string
	limit int64

	mu    sync.Mutex
	bytes int64 // known to be there; −1: not looked yet
}

func newCache(dir string, limit int64) *cache { return &cache{dir: dir, limit: limit, bytes: -1} }

func (c *cache) path(pack *store.Pack, page int64) string {
	return filepath.Join(c.dir, pack.Name[:2], pack.Name, strconv.FormatInt(page, 10))
}

// read fills p, which begins and ends with pages, from files where they are there
// and else from the bucket, in as few requests as there are gaps.
func (c *cache) read(ctx context.Context, b Bucket, pack *store.Pack, offset int64, p []byte) error {
	first := offset / pageBytes
	pages := (int64(len(p)) + pageBytes - 1) / pageBytes
	part := func(i int64) []byte { return p[i*pageBytes : min(int64(len(p)), (i+1)*pageBytes)] }
	for i := int64(0); i < pages; i++ {
		if c.get(pack, first+i, part(i)) {
			continue
		}
		end := i + 1
		have := int64(-1) // the page that ended the gap
		for ; end < pages; end++ {
			if c.get(pack, first+end, part(end)) {
				have = end
				break
			}
		}
		gap := p[i*pageBytes : min(int64(len(p)), end*pageBytes)]
		if end == pages && have < 0 {
			if more := c.ahead(pack, first+i, first+end); more > 0 {
				gap = append(gap[:len(gap):len(gap)], make([]byte, more)...)
			}
		}
		if err := b.Read(ctx, pack.Name+suffix, offset+i*pageBytes, gap); err != nil {
			return err
		}
		copy(p[i*pageBytes:], gap)
		for k := int64(0); k*pageBytes < int64(len(gap)); k++ {
			c.put(pack, first+i+k, gap[k*pageBytes:min(int64(len(gap)), (k+1)*pageBytes)])
		}
		if i = end - 1; have >= 0 {
			i = have
		}
	}
	return nil
}

// ahead returns how many bytes behind the page end are worth reading together with the
// pages from begin to end: when the page before them was read before, somebody goes
// through the pack, and what comes next is wanted soon. A request becomes no longer
// than maxSpan.
func (c *cache) ahead(pack *store.Pack, begin, end int64) (bytes int64) {
	if begin == 0 || !c.has(pack, begin-1) {
		return 0
	}
	stop := end
	for stop*pageBytes < pack.Bytes && (stop+1-begin)*pageBytes <= maxSpan && !c.has(pack, stop) {
		stop++
	}
	return min(pack.Bytes, stop*pageBytes) - min(pack.Bytes, end*pageBytes)
}

func (c *cache) has(pack *store.Pack, page int64) bool {
	_, err := os.Stat(c.path(pack, page))
	return err == nil
}

// get reads a page from its file and reports whether it was there and sound.
func (c *cache) get(pack *store.Pack, page int64, p []byte) bool {
	path := c.path(pack, page)
	data, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	if len(data) != len(p)+4 || binary.LittleEndian.Uint32(data[len(p):]) != store.Checksum(data[:len(p)]) {
		c.remove(path, int64(len(data)))
		return false
	}
	copy(p, data)
	if fi, err := os.Stat(path); err == nil && time.Since(fi.ModTime()) > usedEvery {
		now := time.Now()
		_ = os.Chtimes(path, now, now) // else it goes sooner than it need
	}
	return true
}

// put writes a page to its file. A cache that cannot be written to is none: what was
// read is right all the same.
func (c *cache) put(pack *store.Pack, page int64, p []byte) {
	path := c.path(pack, page)
	dir := filepath.Dir(path)
	if os.MkdirAll(dir, 0o755) != nil {
		return
	}
	f, err := os.CreateTemp(dir, partial+"*")
	if err != nil {
		return
	}
	_, err = f.Write(binary.LittleEndian.AppendUint32(slices.Clone(p), store.Checksum(p)))
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bytes >= 0 {
		c.bytes += int64(len(p)) + 4
	}
	if c.bytes < 0 || c.bytes > c.limit {
		c.shrink()
	}
}

func (c *cache) remove(path string, size int64) {
	if os.Remove(path) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bytes >= 0 {
		c.bytes -= size
	}
}

// drop removes the pages of a range.
func (c *cache) drop(pack *store.Pack, from, to int64) {
	for page := from / pageBytes; page*pageBytes < to; page++ {
		path := c.path(pack, page)
		if fi, err := os.Stat(path); err == nil {
			c.remove(path, fi.Size())
		}
	}
}

// shrink looks at what there is, whoever has written it, and removes what was not
// used for longest until a tenth of the limit is free. The caller holds the lock.
func (c *cache) shrink() {
	type page struct {
		path string
		size int64
		used time.Time
	}
	var all []page
	c.bytes = 0
	_ = filepath.WalkDir(c.dir, func(path string, d fs.DirEntry, err error) error { // what cannot be looked at stays
		if err != nil || d.IsDir() {
			return nil
		}
		if fi, err := d.Info(); err == nil {
			all = append(all, page{path, fi.Size(), fi.ModTime()})
			c.bytes += fi.Size()
		}
		return nil
	})
	if c.bytes <= c.limit {
		return
	}
	slices.SortFunc(all, func(a, b page) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.path, b.path)) })
	for _, p := range all {
		if c.bytes <= c.limit-c.limit/10 {
			break
		}
		if os.Remove(p.path) == nil {
			c.bytes -= p.size
			_ = os.Remove(filepath.Dir(p.path)) // when it was the last
		}
	}
}
