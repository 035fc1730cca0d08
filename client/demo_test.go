package client_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/ladderback/ladderback/client"
	"github.com/ladderback/ladderback/internal/servertest"
)

// forExample stands for the test that an example has none of: what servertest wants of one.
type forExample struct {
	testing.TB
	folders []string
	ends    []func()
}

func (*forExample) Helper()                          {}
func (*forExample) Context() context.Context         { return context.Background() }
func (e *forExample) Cleanup(f func())               { e.ends = append(e.ends, f) }
func (*forExample) Errorf(format string, arg ...any) { panic(fmt.Sprintf(format, arg...)) }
func (*forExample) FailNow()                         { panic("the server of the examples") }

func (e *forExample) TempDir() string {
	dir, err := os.MkdirTemp("", "ladderback-example-")
	if err != nil {
		panic(err)
	}
	e.folders = append(e.folders, dir)
	return dir
}

// connect returns client.New(base, key) of a server over 24 simulated rounds, and what ends
// both.
func connect() (c *client.Client, stop func()) {
	e := new(forExample)
	s := servertest.Start(e, 24)
	return client.New(s.Base, s.Key), func() {
		for i := len(e.ends) - 1; i >= 0; i-- {
			e.ends[i]()
		}
		for _, dir := range e.folders {
			_ = os.RemoveAll(dir)
		}
	}
}
