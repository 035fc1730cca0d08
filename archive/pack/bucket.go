package pack

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// Bucket keeps the objects of a depot. An object is written once and is there whole
// or not at all. Methods may be called concurrently.
type Bucket interface {
	// Put writes an object. One of that name, which has the same bytes, is written
	// over. Once it has returned nil, the object survives a power failure.
	Put(ctx context.Context, name string, data []byte) error
	// Read fills p with the bytes of an object from offset on. An object that is not
	// there is store.ErrNoPack, a bucket or folder that is not there or does not
	// answer store.ErrUnreachable.
	Read(ctx context.Context, name string, offset int64, p []byte) error
	// List passes every object to each, with the time it was last written.
	List(ctx context.Context, each func(name string, written time.Time) error) error
	// Delete removes an object. None of that name is no error.
	Delete(ctx context.Context, name string) error
}

// suffix ends the names of packs.
const suffix = ".pack"

// ErrAddress: an address that is neither a folder nor s3://bucket/….
var ErrAddress error = market.Errorf(market.CodeInvalid, "packs go to a folder, or to s3://BUCKET/PREFIX?endpoint=https://HOST&region=REGION")

// place is a parsed address.
type place struct {
	folder string // empty: a bucket

	bucket, prefix   string
	endpoint, region string // endpoint: host and port; empty: Amazon's
	insecure         bool   // http
}

// parse reads the address of a depot. Folders are taken from base, the folder of the
// archive, on.
func parse(address, base string) (p place, err error) {
	if !strings.Contains(address, "://") {
		if address == "" {
			return p, ErrAddress
		}
		p.folder = filepath.FromSlash(address)
		if !filepath.IsAbs(p.folder) {
			p.folder = filepath.Join(base, p.folder)
		}
		return p, nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "s3" || u.Host == "" {
		return p, ErrAddress // without what it says: it may hold a secret
	}
	if u.User != nil {
		return p, fmt.Errorf("%w: credentials do not belong into the address, which the archive keeps", ErrAddress)
	}
	p.bucket, p.prefix = u.Host, strings.Trim(u.Path, "/")
	return p, p.parameters(u.Query())
}

// parameters reads what stands behind the question mark of an address.
func (p *place) parameters(q url.Values) error {
	for key, values := range q {
		switch value := values[len(values)-1]; key {
		case "endpoint":
			e, err := url.Parse(value)
			if err != nil || e.Host == "" || e.Scheme != "http" && e.Scheme != "https" || strings.Trim(e.Path, "/") != "" || e.User != nil {
				return fmt.Errorf("%w: endpoint: expected https://HOST or http://HOST:PORT", ErrAddress)
			}
			p.endpoint, p.insecure = e.Host, e.Scheme == "http"
		case "region":
			p.region = value
		default:
			return fmt.Errorf("%w: unknown parameter %q", ErrAddress, key)
		}
	}
	return nil
}

// Check refuses what is no address for packs.
func Check(to string) error {
	_, err := parse(to, ".")
	return err
}

// within returns the address of a depot called name under an address that somebody
// gave, which is taken from the current folder on. Folders within base are named
// from there, so that they can be moved together with the archive.
func within(to, name, base string) (string, error) {
	if err := Check(to); err != nil {
		return "", err
	}
	if head, query, _ := strings.Cut(to, "?"); strings.Contains(head, "://") {
		scheme, rest, _ := strings.Cut(head, "://")
		out := scheme + "://" + path.Join(rest, name)
		if query != "" {
			out += "?" + query
		}
		return out, nil
	}
	abs, err := filepath.Abs(filepath.Join(to, name))
	if err != nil {
		return "", err
	}
	if base != "" {
		if from, err := filepath.Abs(base); err == nil {
			if rel, err := filepath.Rel(from, abs); err == nil && filepath.IsLocal(rel) {
				return filepath.ToSlash(rel), nil
			}
		}
	}
	return abs, nil
}

// under reports whether a depot was made by within for the same address.
func under(depot, to, base string) bool {
	same, err := within(to, path.Base(strings.SplitN(filepath.ToSlash(depot), "?", 2)[0]), base)
	return err == nil && same == depot
}

// missing is the error for an object that is not there.
func missing(name string) error { return fmt.Errorf("%w: %s", store.ErrNoPack, name) }

// unreachable is the error for a bucket that does not answer, or refuses.
func unreachable(where string, err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("packs in %s: %w: %w", where, store.ErrUnreachable, err)
}
