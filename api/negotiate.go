package api

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// media is the form of a history answer.
type media string

const (
	mediaJSON    media = "application/json"
	mediaNDJSON  media = "application/x-ndjson"
	mediaCSV     media = "text/csv"
	mediaParquet media = "application/vnd.apache.parquet"
)

// weighted is one item of an Accept header or the like.
type weighted struct {
	name string
	q    float64
}

// weights reads the items of a header, best first; those of one weight stay in
// their order. Items with q=0 are kept, last.
func weights(values []string) []weighted {
	var out []weighted
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
		out = append(out, weighted{name, q})
	}
	slices.SortStableFunc(out, func(a, b weighted) int {
		switch {
		case a.q > b.q:
			return -1
		case a.q < b.q:
			return 1
		}
		return 0
	})
	return out
}

// mediaOf returns the form that a request wants: one of the bulk forms only
// where it is named, else JSON.
func mediaOf(h http.Header) media {
	accept := h["Accept"]
	if len(accept) == 0 || len(accept) == 1 && (accept[0] == "*/*" || accept[0] == string(mediaJSON)) {
		return mediaJSON
	}
	return preferred(accept, mediaJSON, mediaNDJSON, mediaCSV, mediaParquet)
}

// preferred returns the form among these that is named with the highest weight,
// the first of several; JSON where none is, or where a wildcard weighs more.
func preferred(accept []string, forms ...media) media {
	for _, item := range weights(accept) {
		if item.q <= 0 {
			break
		}
		if m := media(item.name); slices.Contains(forms, m) {
			return m
		}
		if strings.HasSuffix(item.name, "/*") && !slices.ContainsFunc(weights(accept), func(other weighted) bool {
			return other.q == item.q && slices.Contains(forms, media(other.name))
		}) {
			break
		}
	}
	return mediaJSON
}

// encoding is a content encoding.
type encoding string

const (
	identity encoding = ""
	inGzip   encoding = "gzip"
	inZstd   encoding = "zstd"
)

// encodingOf returns the encoding that a request takes and that is the best of
// those there are.
func encodingOf(h http.Header) encoding {
	accept := h["Accept-Encoding"]
	if len(accept) == 0 {
		return identity
	}
	best, bestQ := identity, 0.0
	for _, item := range weights(accept) {
		switch e := encoding(item.name); e {
		case inZstd, inGzip:
			if item.q > bestQ || item.q == bestQ && e == inZstd && item.q > 0 {
				best, bestQ = e, item.q
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

// encoder is a stream in an encoding. Close ends it and gives back what it
// holds; the writer below stays open.
type encoder interface {
	io.Writer
	Flush() error
	Close() error
}

// newEncoder puts an encoding over w. A stream in none is w itself.
func newEncoder(e encoding, w io.Writer) encoder {
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
	encoder
	give func()
}

func (p *pooled) Close() error {
	err := p.encoder.Close()
	p.give()
	return err
}

// encodingVersion is raised when the same content is answered with other bytes.
const encodingVersion = "1"

// etagOf returns the tag of an answer: a hash of the market's content, until
// when it is known, what the answer says of the market, and the request.
func etagOf(a *asked, f *found, e encoding) string {
	h := sha256.New()
	var buf [8]byte
	put := func(parts ...string) {
		for _, p := range parts {
			binary.BigEndian.PutUint64(buf[:], uint64(len(p)))
			h.Write(buf[:])
			h.Write([]byte(p))
		}
	}
	m := &f.row.Market
	put(encodingVersion, a.String(), a.resolution.Name, string(a.media), string(e), string(m.Venue), m.VenueID)
	h.Write(f.row.Stats.Content[:])
	for i, t := range m.Tokens {
		put(t.VenueID, f.labels[i])
	}
	next := int64(0)
	if a.cursor != nil {
		next = int64(a.cursor.at)
	}
	mirrored := int64(0)
	if m.Mirrored {
		mirrored = 1
	}
	for _, v := range []int64{
		int64(f.known.From), int64(f.known.To), mirrored, int64(f.token),
		int64(a.window.Start), int64(a.window.End), int64(a.window.Resolution), int64(a.limit), next,
	} {
		binary.BigEndian.PutUint64(buf[:], uint64(v))
		h.Write(buf[:])
	}
	return fmt.Sprintf(`"%s"`, base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:18]))
}

// noneMatch reports whether the client has the answer of that tag already.
func noneMatch(h http.Header, tag string) bool {
	for _, value := range h["If-None-Match"] {
		for t := range strings.SplitSeq(value, ",") {
			if t = strings.TrimPrefix(strings.TrimSpace(t), "W/"); t == tag || t == "*" {
				return true
			}
		}
	}
	return false
}
