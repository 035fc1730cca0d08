package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/parser"
	"github.com/ladderback/ladderback/strategy"
)

// batchLine is one line of a batch's output: a strategy, or why there is none.
type batchLine struct {
	ID          json.RawMessage       `json:"id"`
	Strategy    *strategy.Canonical   `json:"strategy,omitempty"`
	Source      string                `json:"source,omitempty"`
	Summary     string                `json:"summary,omitempty"`
	Assumptions []strategy.Assumption `json:"assumptions,omitzero"` // not nil beside a strategy
	Ignored     []strategy.Span       `json:"ignored,omitzero"`     // likewise
	Error       string                `json:"error,omitempty"`
	Message     string                `json:"message,omitempty"`
	Suggestion  string                `json:"suggestion,omitempty"`
}

// batchChunk is how many lines a worker parses at a time.
const batchChunk = 64

// ParseBatch parses the prompts of a file of JSON lines, with the rules on every
// core, with a language model as many at a time as it takes, and writes the answers
// in order.
func (a *App) ParseBatch(ctx context.Context, path, which string, out io.Writer) error {
	model, err := a.ModelFor(which)
	if err != nil {
		return err
	}
	size, crew := batchChunk, runtime.GOMAXPROCS(0)
	if model != nil {
		size, crew = 1, parser.InFlight
	}
	in, err := a.OpenInput(ctx, path)
	if err != nil {
		return err
	}
	defer in.Close()
	type chunk struct {
		lines [][]byte
		out   chan []byte
	}
	// Few objects live long here: collecting garbage an eighth as often costs a
	// few megabytes and saves a sixth of the time.
	defer debug.SetGCPercent(debug.SetGCPercent(800))
	work := make(chan chunk, 2*crew)
	order := make(chan chan []byte, 4*crew)
	var workers sync.WaitGroup
	for range crew {
		workers.Go(func() {
			for c := range work {
				var b bytes.Buffer
				for _, line := range c.lines {
					b.Write(parseLine(ctx, model, line))
				}
				c.out <- b.Bytes()
			}
		})
	}
	var readErr error
	go func() {
		defer close(order)
		defer close(work)
		readErr = chunks(ctx, in, size, func(lines [][]byte) {
			c := chunk{lines, make(chan []byte, 1)}
			order <- c.out
			work <- c
		})
	}()
	w := bufio.NewWriterSize(out, 1<<16)
	var writeErr error
	for made := range order {
		if b := <-made; writeErr == nil {
			_, writeErr = w.Write(b)
		}
	}
	workers.Wait()
	return errors.Join(readErr, writeErr, w.Flush(), ctx.Err())
}

// chunks hands the lines of in that are not blank to f, size at a time.
func chunks(ctx context.Context, in io.Reader, size int, f func(lines [][]byte)) error {
	scan := bufio.NewScanner(in)
	scan.Buffer(nil, 16<<20)
	var lines [][]byte
	for scan.Scan() && ctx.Err() == nil {
		if line := bytes.TrimSpace(bytes.TrimPrefix(scan.Bytes(), []byte("\ufeff"))); len(line) > 0 {
			lines = append(lines, bytes.Clone(line))
		}
		if len(lines) == size {
			f(lines)
			lines = nil
		}
	}
	if len(lines) > 0 {
		f(lines)
	}
	return scan.Err()
}

// parseLine parses one line of a batch.
func parseLine(ctx context.Context, model *parser.Model, line []byte) []byte {
	var in struct {
		ID     json.RawMessage `json:"id"`
		Prompt *string         `json:"prompt"`
	}
	out := batchLine{}
	switch err := json.Unmarshal(line, &in); {
	case err != nil:
		out.Error, out.Message = parser.CodeBadRequest, "not a JSON object with id and prompt"
	case in.Prompt == nil:
		out.Error, out.Message = parser.CodeBadRequest, "the line has no prompt"
	default:
		result, refusal := parser.Parse(ctx, model, *in.Prompt, parser.Overrides{})
		if refusal != nil {
			e := market.AsError(refusal)
			out.Error, out.Message, out.Suggestion = string(e.Code), e.Message, e.Suggestion
			break
		}
		out.Strategy, out.Source = &result.Strategy, string(result.Source)
		out.Summary = result.Trace.Summary
		out.Assumptions, out.Ignored = append([]strategy.Assumption{}, result.Trace.Assumptions...), append([]strategy.Span{}, result.Trace.Ignored...)
	}
	out.ID = in.ID
	if out.ID == nil {
		out.ID = json.RawMessage("null")
	}
	return out.encode()
}

// encode writes the line without HTML escapes.
func (l *batchLine) encode() []byte {
	line, err := backtest.CompactJSON(l)
	if err != nil {
		line = fmt.Appendf(nil, `{"id":%s,"error":"failed","message":%q}`, l.ID, err.Error())
	}
	return append(line, '\n')
}
