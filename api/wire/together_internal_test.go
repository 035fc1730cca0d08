package wire

import (
	"errors"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// wireTap is a connection that keeps what is written to it.
type wireTap struct {
	tcp
	sent   []string
	err    error
	closed bool
}

func (c *wireTap) Write(p []byte) (int, error) {
	c.sent = append(c.sent, string(p))
	return len(p), c.err
}

func (c *wireTap) Close() error {
	c.closed = true
	return nil
}

// TestKeptUntilMoreComes: the beginning of an answer is sent with what follows, or when the
// answer ends; a connection on which that fails is closed.
func TestKeptUntilMoreComes(t *testing.T) {
	t.Parallel()
	tap := &wireTap{}
	c := &conn{tcp: tap}
	write := func(text string) {
		n, err := c.Write([]byte(text))
		require.NoError(t, err)
		require.Len(t, text, n)
	}
	c.whole(httptest.NewRecorder(), func() {
		write("begins")
		require.Empty(t, tap.sent)
		write("goes on")
		require.Equal(t, []string{"begins", "goes on"}, tap.sent)
		write("ends")
	})
	require.Equal(t, []string{"begins", "goes on", "ends"}, tap.sent)
	require.False(t, tap.closed)
	write("not of an answer")
	require.Equal(t, "not of an answer", tap.sent[3])

	tap.err = errors.New("broken")
	c.whole(httptest.NewRecorder(), func() { write("a short one") })
	require.Len(t, tap.sent, 5)
	require.True(t, tap.closed)
}
