package store_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/store"
)

// TestSumCoversEveryField changes one value after another of rows in which every
// field is set, lists and what is pointed at included: the checksum is another one.
func TestSumCoversEveryField(t *testing.T) {
	t.Parallel()
	rows := []store.Summed{&store.MarketRow{}, &store.Part{}, &store.BlockRef{}, &store.Source{}, &store.Tally{}, &store.Pack{}}
	for _, row := range rows {
		v := reflect.ValueOf(row).Elem()
		n := 1
		visit(v, "", func(leaf reflect.Value, _ string) { set(leaf, &n) })
		seen := map[int64]string{row.Sum(): "none"}
		visit(v, v.Type().Name(), func(leaf reflect.Value, name string) {
			if name == "MarketRow.Damaged" || name == "MarketRow.Checksum" { // is not kept
				return
			}
			was := reflect.New(leaf.Type()).Elem()
			was.Set(leaf)
			set(leaf, &n)
			require.NotContains(t, seen, row.Sum(), "%s changed: as if %s had", name, seen[row.Sum()])
			seen[row.Sum()] = name
			leaf.Set(was)
		})
		require.Equal(t, "none", seen[row.Sum()])
		require.Greater(t, len(seen), 6)
		require.NoError(t, store.Check(row, row.Sum(), "row"))
		require.ErrorIs(t, store.Check(row, row.Sum()^1, "row"), store.ErrDamaged)
	}
}

// set gives a leaf a value that it did not have.
func set(leaf reflect.Value, n *int) {
	*n++
	switch leaf.Kind() {
	case reflect.String:
		leaf.SetString(leaf.String() + "x")
	case reflect.Bool:
		leaf.SetBool(!leaf.Bool())
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		leaf.SetUint(leaf.Uint() + 1)
	default:
		leaf.SetInt(leaf.Int() + int64(*n))
	}
}

// visit hands every leaf under v to f, making lists of one and what is pointed at.
func visit(v reflect.Value, name string, f func(leaf reflect.Value, name string)) {
	switch v.Kind() {
	case reflect.Interface: // MarketRow.Keeps, which is not kept
	case reflect.Struct:
		for i := range v.NumField() {
			visit(v.Field(i), name+"."+v.Type().Field(i).Name, f)
		}
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		visit(v.Elem(), name, f)
	case reflect.Slice:
		if v.Len() == 0 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		}
		visit(v.Index(0), name, f)
	case reflect.Array:
		visit(v.Index(v.Len()-1), name, f)
	case reflect.Map:
		if v.Len() == 0 {
			v.Set(reflect.MakeMap(v.Type()))
			v.SetMapIndex(reflect.ValueOf("reason"), reflect.ValueOf(int64(1)))
		}
	default:
		f(v, name)
	}
}
