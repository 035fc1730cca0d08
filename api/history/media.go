package history

import (
	"net/http"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/api/wire"
)

// media is the form of a history answer.
type media string

const (
	mediaJSON    media = "application/json"
	mediaNDJSON  media = "application/x-ndjson"
	mediaCSV     media = "text/csv"
	mediaParquet media = "application/vnd.apache.parquet"
)

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
	for _, item := range wire.Weights(accept) {
		if item.Q <= 0 {
			break
		}
		if m := media(item.Name); slices.Contains(forms, m) {
			return m
		}
		if strings.HasSuffix(item.Name, "/*") && !slices.ContainsFunc(wire.Weights(accept), func(other wire.Weighted) bool {
			return other.Q == item.Q && slices.Contains(forms, media(other.Name))
		}) {
			break
		}
	}
	return mediaJSON
}
