package export

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// textColumn is a column of a table as text: that of JSON, from which the cell
// of CSV follows.
type textColumn struct {
	name string
	json func(dst []byte, v reflect.Value) []byte
}

// columnsOf reads the columns of a table from the tags that say what they are in
// Parquet.
func columnsOf[T any]() []textColumn {
	t := reflect.TypeFor[T]()
	out := make([]textColumn, t.NumField())
	for i := range out {
		tag := t.Field(i).Tag.Get("parquet")
		name, rest, _ := strings.Cut(tag, ",")
		at := i
		of := jsonOf(t.Field(i).Type, strings.Contains(rest, "timestamp"), strings.Contains(rest, "optional"))
		out[i] = textColumn{name, func(dst []byte, v reflect.Value) []byte { return of(dst, v.Field(at)) }}
	}
	return out
}

// timeLayout always has six decimals: columns of times of different length are
// beyond the guesses of several readers.
const timeLayout = "2006-01-02T15:04:05.000000Z"

// jsonOf returns what writes a value of a type as JSON. An optional value is null
// when it is zero.
func jsonOf(t reflect.Type, timestamp, optional bool) func(dst []byte, v reflect.Value) []byte {
	if t.Kind() == reflect.Pointer {
		of := jsonOf(t.Elem(), timestamp, false)
		return func(dst []byte, v reflect.Value) []byte {
			if v.IsNil() {
				return append(dst, "null"...)
			}
			return of(dst, v.Elem())
		}
	}
	var of func(dst []byte, v reflect.Value) []byte
	switch {
	case timestamp:
		of = func(dst []byte, v reflect.Value) []byte {
			dst = time.UnixMicro(v.Int()).UTC().AppendFormat(append(dst, '"'), timeLayout)
			return append(dst, '"')
		}
	case t == reflect.TypeFor[[]level]():
		of = func(dst []byte, v reflect.Value) []byte { return appendLevels(dst, v.Interface().([]level)) }
	case t.Kind() == reflect.String:
		of = func(dst []byte, v reflect.Value) []byte { return appendString(dst, v.String()) }
	case t.Kind() == reflect.Bool:
		of = func(dst []byte, v reflect.Value) []byte { return strconv.AppendBool(dst, v.Bool()) }
	case t.Kind() == reflect.Float64:
		of = func(dst []byte, v reflect.Value) []byte { return appendFloat(dst, v.Float()) }
	default: // whole numbers; anything else panics in the first test of its table
		of = func(dst []byte, v reflect.Value) []byte { return strconv.AppendInt(dst, v.Int(), 10) }
	}
	if !optional {
		return of
	}
	return func(dst []byte, v reflect.Value) []byte {
		if v.IsZero() {
			return append(dst, "null"...)
		}
		return of(dst, v)
	}
}

// appendFloat writes the shortest decimal that is nearest to v alone, without an
// exponent: of a number that was made from a decimal, that decimal.
func appendFloat(dst []byte, v float64) []byte { return strconv.AppendFloat(dst, v, 'f', -1, 64) }

func appendString(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c > '~' {
			b := bytes.NewBuffer(dst)
			enc := json.NewEncoder(b)
			enc.SetEscapeHTML(false)
			_ = enc.Encode(s) // to memory
			return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
		}
	}
	return append(append(append(dst, '"'), s...), '"')
}

// appendLevels writes levels as the data routes do: [[price,size],…].
func appendLevels(dst []byte, levels []level) []byte {
	dst = append(dst, '[')
	for i, l := range levels {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendFloat(append(dst, '['), l.Price)
		dst = append(appendFloat(append(dst, ','), l.Size), ']')
	}
	return append(dst, ']')
}

func (t *textWriter[T]) write(rows []T) error {
	for i := range rows {
		v := reflect.ValueOf(&rows[i]).Elem()
		t.line = t.line[:0]
		for k, c := range t.columns {
			if t.csv {
				if k > 0 {
					t.line = append(t.line, ',')
				}
				t.cell = c.json(t.cell[:0], v)
				t.line = appendCell(t.line, t.cell)
				continue
			}
			t.line = append(t.line, "{,"[min(k, 1)], '"')
			t.line = append(append(t.line, c.name...), '"', ':')
			t.line = c.json(t.line, v)
		}
		if !t.csv {
			t.line = append(t.line, '}')
		}
		if _, err := t.out.Write(append(t.line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// appendCell writes JSON as a cell of CSV: null is empty, text is itself.
func appendCell(dst, value []byte) []byte {
	if string(value) == "null" {
		return dst
	}
	if value[0] == '"' {
		var s string
		if inner := value[1 : len(value)-1]; bytes.IndexByte(inner, '\\') < 0 {
			s = string(inner)
		} else {
			_ = json.Unmarshal(value, &s) // it was just made
		}
		value = []byte(s)
	}
	if !bytes.ContainsAny(value, ",\"\r\n") && len(value) > 0 {
		return append(dst, value...)
	}
	dst = append(dst, '"')
	dst = append(dst, bytes.ReplaceAll(value, []byte(`"`), []byte(`""`))...)
	return append(dst, '"')
}
