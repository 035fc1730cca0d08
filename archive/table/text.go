package table

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Writer writes rows of type T, whose columns are its fields with a parquet tag. Text has
// the names and types of Parquet: times with six decimals, null where an optional value is
// zero, lists as [[price,size],…], which CSV has no tables of.
type Writer[T any] interface {
	Write(rows []T) error
	// EndMarket says that the next row is of another market.
	EndMarket() error
	// Close ends the rows. It does not close what they are written to.
	Close() error
}

// NewWriter makes a writer of rows; CSV begins with a header line.
func NewWriter[T any](w io.Writer, f Format) Writer[T] {
	if f == Parquet {
		return newParquet[T](w)
	}
	return newText[T](w, f == CSV)
}

// textWriter writes a line a row.
type textWriter[T any] struct {
	out     *bufio.Writer
	columns []textColumn
	csv     bool
	line    []byte
	cell    []byte
}

func newText[T any](w io.Writer, csv bool) *textWriter[T] {
	t := &textWriter[T]{out: bufio.NewWriterSize(w, 64<<10), columns: columnsOf[T](), csv: csv}
	if t.csv {
		for i, c := range t.columns {
			if i > 0 {
				t.line = append(t.line, ',')
			}
			t.line = append(t.line, c.name...)
		}
		t.line = append(t.line, '\n')
		_, _ = t.out.Write(t.line) // an error stays, and is that of the next write
	}
	return t
}

func (t *textWriter[T]) EndMarket() error { return nil }

func (t *textWriter[T]) Close() error { return t.out.Flush() }

// textColumn is a column of a table as text: that of JSON, from which the cell
// of CSV follows.
type textColumn struct {
	name string
	json func(dst []byte, v reflect.Value) []byte
}

// columnsOf reads the columns of a table from the tags that say what they are in
// Parquet.
func columnsOf[T any]() []textColumn {
	var out []textColumn
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if f.Anonymous {
			continue
		}
		name, rest, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		of := jsonOf(f.Type, strings.Contains(rest, "timestamp"), strings.Contains(rest, "optional"))
		out = append(out, textColumn{name, func(dst []byte, v reflect.Value) []byte { return of(dst, v.FieldByIndex(f.Index)) }})
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
	case t == reflect.TypeFor[[]Level]():
		of = func(dst []byte, v reflect.Value) []byte { return appendLevels(dst, v.Interface().([]Level)) }
	case t.Kind() == reflect.String:
		of = func(dst []byte, v reflect.Value) []byte { return AppendString(dst, v.String()) }
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

// AppendString writes s as a JSON string, without HTML escapes; bytes that are not UTF-8 are
// replaced.
func AppendString(dst []byte, s string) []byte {
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
func appendLevels(dst []byte, levels []Level) []byte {
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

func (t *textWriter[T]) Write(rows []T) error {
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
