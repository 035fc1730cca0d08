package history

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"strings"

	"github.com/ladderback/ladderback/api/wire"
)

// encodingVersion is raised when the same content is answered with other bytes.
const encodingVersion = "1"

// etagOf returns the tag of an answer: a hash of the market's content, until
// when it is known, what the answer says of the market, and the request.
func etagOf(a *asked, f *found, e wire.Encoding) string {
	var room [1024]byte
	all := room[:0]
	put := func(p string) { all = append(binary.BigEndian.AppendUint64(all, uint64(len(p))), p...) }
	m := &f.row.Market
	for _, p := range [...]string{encodingVersion, a.String(), a.resolution.Name, string(a.media), string(e), string(m.Venue), m.VenueID} {
		put(p)
	}
	all = append(all, f.row.Stats.Content[:]...)
	for i := range m.Tokens {
		put(m.Tokens[i].VenueID)
		put(f.labels[i])
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
		all = binary.BigEndian.AppendUint64(all, uint64(v))
	}
	sum := sha256.Sum256(all)
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:18]) + `"`
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
