package wire

import (
	"compress/gzip"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Weighted is one item of an Accept header or similar.
type Weighted struct {
	Name string
	Q    float64 // 0: not wanted
}

// Weights returns the items of a header, best first; items of equal weight keep
// their order. Items with q=0 are kept, last.
func Weights(values []string) []Weighted {
	var out []Weighted
	for part := range strings.SplitSeq(strings.Join(values, ","), ",") {
		name, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		q := 1.0
		if v, ok := params["q"]; ok {
			if q, err = strconv.ParseFloat(v, 64); err != nil {
				continue
			}
		}
		out = append(out, Weighted{name, q})
	}
	slices.SortStableFunc(out, func(a, b Weighted) int {
		switch {
		case a.Q > b.Q:
			return -1
		case a.Q < b.Q:
			return 1
		}
		return 0
	})
	return out
}

// Encoding is a content encoding.
type Encoding string

// The encodings that an answer may be sent in.
const (
	Identity Encoding = ""
	inGzip   Encoding = "gzip"
	inZstd   Encoding = "zstd"
)

// EncodingOf returns the best supported encoding that a request accepts.
func EncodingOf(h http.Header) Encoding {
	accept := h["Accept-Encoding"]
	if len(accept) == 0 {
		return Identity
	}
	best, bestQ := Identity, 0.0
	for _, item := range Weights(accept) {
		switch e := Encoding(item.Name); e {
		case inZstd, inGzip:
			if item.Q > bestQ || item.Q == bestQ && e == inZstd && item.Q > 0 {
				best, bestQ = e, item.Q
			}
		}
	}
	return best
}

var gzips = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed) // the level is a valid one
	return w
}}

var zstds = sync.Pool{New: func() any {
	w, _ := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(1<<18)) // the options are valid
	return w
}}

// Encoder is an encoded stream. Close ends it and releases its buffers; the
// underlying writer stays open.
type Encoder interface {
	io.Writer
	Flush() error
	Close() error
}

// NewEncoder returns an encoder that writes to w.
func NewEncoder(e Encoding, w io.Writer) Encoder {
	switch e {
	case inGzip:
		z := gzips.Get().(*gzip.Writer)
		z.Reset(w)
		return &pooled{z, func() { gzips.Put(z) }}
	case inZstd:
		z := zstds.Get().(*zstd.Encoder)
		z.Reset(w)
		return &pooled{z, func() { zstds.Put(z) }}
	}
	return plain{w}
}

type plain struct{ io.Writer }

func (plain) Flush() error { return nil }
func (plain) Close() error { return nil }

type pooled struct {
	Encoder
	give func()
}

func (p *pooled) Close() error {
	err := p.Encoder.Close()
	p.give()
	return err
}
