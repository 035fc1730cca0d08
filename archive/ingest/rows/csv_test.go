package rows

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCSV(t *testing.T) {
	t.Parallel()
	c, err := OpenCSV(strings.NewReader("\xef\xbb\xbfa,b,c\r\n1,\"x, y\",\r\n\r\nonly one\r\n2,3,4"))
	require.NoError(t, err)
	tab, err := c.Read("c", "b")
	require.NoError(t, err)
	require.NoError(t, tab.Next())
	require.Equal(t, "x, y", string(tab.Text(1)))
	require.True(t, tab.Null(0))
	require.NoError(t, tab.Next())
	require.True(t, tab.Null(0) && tab.Null(1), "a line that is no record")
	require.NoError(t, tab.Next())
	v, ok := tab.Int(0)
	require.True(t, ok && v == 4)
	require.ErrorIs(t, tab.Next(), io.EOF)
	c, err = OpenCSV(strings.NewReader("a,b\n\"" + strings.Repeat("x", 2<<20)))
	require.NoError(t, err)
	tab, err = c.Read("a")
	require.NoError(t, err)
	require.ErrorContains(t, tab.Next(), "too long")
	_, err = c.Read("z")
	require.ErrorIs(t, err, ErrColumn)
}
