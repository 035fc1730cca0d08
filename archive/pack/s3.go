package pack

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/ladderback/ladderback/archive/store"
)

const (
	tries    = 8 // of one request
	pause    = 100 * time.Millisecond
	maxPause = 2 * time.Second
	readTime = time.Minute      // for one request that reads
	putTime  = 10 * time.Minute // for one that writes
	amazon   = "s3.amazonaws.com"
)

// bucket keeps objects in a bucket that speaks S3.
type bucket struct {
	core   minio.Core
	place  place
	where  string // for messages
	paused time.Duration
}

// openBucket makes a client for a bucket, without asking it anything.
func openBucket(p place, c *Config) (*bucket, error) {
	creds := credentials.NewEnvAWS()
	if c.AccessKey != "" {
		creds = credentials.NewStaticV4(c.AccessKey, c.SecretKey, "")
	}
	host := cmp.Or(p.endpoint, amazon)
	lookup := minio.BucketLookupAuto
	if p.endpoint != "" {
		lookup = minio.BucketLookupPath // what is not Amazon's seldom has a name for each bucket
	}
	core, err := minio.NewCore(host, &minio.Options{
		Creds: creds, Secure: !p.insecure, Region: cmp.Or(p.region, "us-east-1"), BucketLookup: lookup, MaxRetries: 1,
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAddress, err)
	}
	return &bucket{core: *core, place: p, where: "s3://" + p.bucket + " at " + host, paused: cmp.Or(c.Pause, pause)}, nil
}

func (b *bucket) key(name string) string { return path.Join(b.place.prefix, name) }

// refusals are answers that do not become others when the request is repeated.
var refusals = []string{
	"AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch", "NoSuchBucket", "PermanentRedirect", "AuthorizationHeaderMalformed",
	"InvalidBucketName", "AllAccessDisabled", "ExpiredToken", "InvalidToken", "AccountProblem", "NotImplemented", "EntityTooLarge",
}

// try makes a request until it succeeds, is refused, or has been made often enough.
func (b *bucket) try(ctx context.Context, name string, limit time.Duration, request func(context.Context) error) error {
	wait := b.paused
	for n := 1; ; n++ {
		one, cancel := context.WithTimeout(ctx, limit)
		err := request(one)
		cancel()
		if err == nil {
			return nil
		}
		if e := ctx.Err(); e != nil {
			return e
		}
		var answer minio.ErrorResponse
		if errors.As(err, &answer) {
			switch {
			case answer.Code == "NoSuchKey":
				return missing(name)
			case answer.Code == "InvalidRange":
				return fmt.Errorf("%w: %s is shorter than it was", store.ErrDamaged, name)
			case slices.Contains(refusals, answer.Code):
				return unreachable(b.where, err)
			}
		}
		if n == tries {
			return unreachable(b.where, fmt.Errorf("%d tries: %w", n, err))
		}
		select {
		case <-time.After(wait/2 + rand.N(wait)):
		case <-ctx.Done():
			return ctx.Err()
		}
		wait = min(2*wait, max(b.paused, maxPause))
	}
}

// Put writes an object in one request, which names the hash of its bytes.
func (b *bucket) Put(ctx context.Context, name string, data []byte) error {
	sum := fmt.Sprintf("%x", sha256.Sum256(data))
	return b.try(ctx, name, putTime, func(ctx context.Context) error {
		_, err := b.core.PutObject(ctx, b.place.bucket, b.key(name), bytes.NewReader(data), int64(len(data)), "", sum,
			minio.PutObjectOptions{ContentType: "application/octet-stream"})
		return err
	})
}

// Read reads a part of an object.
func (b *bucket) Read(ctx context.Context, name string, offset int64, p []byte) error {
	if len(p) == 0 {
		return nil
	}
	return b.try(ctx, name, readTime, func(ctx context.Context) error {
		var opts minio.GetObjectOptions
		if err := opts.SetRange(offset, offset+int64(len(p))-1); err != nil {
			return err
		}
		body, _, head, err := b.core.GetObject(ctx, b.place.bucket, b.key(name), opts)
		if err != nil {
			return err
		}
		defer body.Close()
		if got := head.Get("Content-Range"); got != "" && !strings.HasPrefix(got, fmt.Sprintf("bytes %d-", offset)) {
			return fmt.Errorf("asked for bytes from %d on, got %s", offset, got)
		} else if got == "" && offset > 0 {
			return errors.New("the server does not read parts of objects")
		}
		if _, err := io.ReadFull(body, p); err != nil {
			return fmt.Errorf("the answer was cut off: %w", err)
		}
		return nil
	})
}

// List lists the objects.
func (b *bucket) List(ctx context.Context, each func(string, time.Time) error) error {
	prefix := b.place.prefix
	if prefix != "" {
		prefix += "/"
	}
	type object struct {
		name    string
		written time.Time
	}
	var all []object
	err := b.try(ctx, "", putTime, func(ctx context.Context) error {
		all = all[:0]
		for o := range b.core.ListObjectsIter(ctx, b.place.bucket, minio.ListObjectsOptions{Prefix: prefix}) {
			if o.Err != nil {
				return o.Err
			}
			if name := strings.TrimPrefix(o.Key, prefix); strings.HasSuffix(name, suffix) && !strings.Contains(name, "/") {
				all = append(all, object{name, o.LastModified})
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, o := range all {
		if err := each(o.name, o.written); err != nil {
			return err
		}
	}
	return nil
}

// Delete removes an object.
func (b *bucket) Delete(ctx context.Context, name string) error {
	err := b.try(ctx, name, readTime, func(ctx context.Context) error {
		return b.core.RemoveObject(ctx, b.place.bucket, b.key(name), minio.RemoveObjectOptions{})
	})
	if errors.Is(err, store.ErrNoPack) {
		return nil
	}
	return err
}
