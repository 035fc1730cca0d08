package main

import (
	"encoding/json"
	"log"
	"reflect"
	"time"
)

const prompt = "Buy BTC 5m Up when price is below 0.4, take profit at 0.6, last 5 markets"

// equal holds that a value, written again, is the body that it was read of, to the last digit.
func equal(got any, body []byte) {
	text, err := json.Marshal(got)
	if err != nil {
		log.Fatal(err)
	}
	if a, b := read(text), read(body); !reflect.DeepEqual(a, b) {
		log.Fatalf("%T: read %v\nsent %v", got, a, b)
	}
}

// read is a JSON value whose times are instants; a field that is null is one that is left
// out, as Go has one nil for both.
func read(text []byte) any {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		log.Fatal(err)
	}
	return plain(v)
}

func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, one := range v {
			if v[k] = plain(one); v[k] == nil {
				delete(v, k)
			}
		}
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case string:
		if t, err := time.Parse(time.RFC3339Nano, v); err == nil {
			return t.UTC()
		}
	}
	return v
}
