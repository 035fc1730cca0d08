package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// lines reads a message a line. A line that is none is kept from the protocol, which would
// end the session over it, and answered as https://www.jsonrpc.org/specification has it:
// code -32700 where it is no JSON, -32600 where it is no message, id null. A line longer
// than the protocol reads ends the session.
type lines struct {
	io.Closer
	scan *bufio.Scanner
	rest []byte // of a line, with its end, that was handed on in part
	out  io.Writer
}

func newLines(in io.ReadCloser, out io.Writer) *lines {
	scan := bufio.NewScanner(in)
	scan.Buffer(nil, sdk.DefaultMaxLineLength)
	return &lines{Closer: in, scan: scan, out: out}
}

func (l *lines) Read(to []byte) (int, error) {
	for len(l.rest) == 0 {
		if !l.scan.Scan() {
			if err := l.scan.Err(); err != nil {
				return 0, err
			}
			return 0, io.EOF
		}
		line := bytes.TrimSpace(l.scan.Bytes())
		if len(line) == 0 {
			continue
		}
		if code, why := fault(line); code != 0 {
			if _, err := fmt.Fprintf(l.out, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`+"\n", code, why); err != nil {
				return 0, err
			}
			continue
		}
		l.rest = append(bytes.Clone(line), '\n')
	}
	n := copy(to, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// fault tells why a line is no message; 0: it is one.
func fault(line []byte) (code int, why string) {
	if !json.Valid(line) {
		return jsonrpc.CodeParseError, "a line is not JSON: expected one message of JSON-RPC 2.0 on each"
	}
	if _, err := jsonrpc.DecodeMessage(line); err != nil {
		return jsonrpc.CodeInvalidRequest, "a line is not a message of JSON-RPC 2.0: expected an object with jsonrpc and method, and no batch"
	}
	return 0, ""
}

// whole writes one thing after the other: an answer to a line is not written into a message.
type whole struct {
	io.WriteCloser
	mu sync.Mutex
}

func (w *whole) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.WriteCloser.Write(b)
}
