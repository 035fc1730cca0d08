package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/ingest/gamma"
	"github.com/ladderback/ladderback/archive/ingest/prices"
	"github.com/ladderback/ladderback/archive/ingest/quotecsv"
	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/store"
)

// Options say what to import.
type Options struct {
	// Paths are files, folders (read recursively, in order of path) and "-" for
	// Stdin.
	Paths []string
	// Markets are further paths, of metadata.
	Markets []string
	Stdin   io.Reader // nil: empty
	// Format is one of Formats and holds for every file of Paths; empty: each
	// file is recognised by its content.
	Format string
	// Licence is recorded with every source; empty: not said.
	Licence string
	// SkipUnknown leaves files in folders out that are of no known format, and counts
	// them; else each is an error.
	SkipUnknown bool
	// Alone: a file of captures fails with store.ErrTwice when another of its format has
	// captures of the same markets at the same time, see intake.Import.Alone.
	Alone bool
	// Workers is the number of files read at a time; zero: one per core.
	Workers int
	// Rejects gets rejected lines as JSON lines, see Reject; nil: they are only
	// counted.
	Rejects io.Writer
	// Progress is called several times a second, from one goroutine at a time,
	// and once at the end; nil: not at all.
	Progress func(Progress)
	// Token is the token that files of prices are of; empty: what they say.
	Token string
	// Coin is the coin that files of rounds without one are of; empty: the one
	// that the file is named after.
	Coin string
	// Zone is the time zone of times that are written without one in such files;
	// nil: UTC.
	Zone *time.Location
	// TempDir is where standard input is kept while it is read; empty: the
	// system's folder for temporary files.
	TempDir string
}

// Run imports files into a. Metadata is read before captures, whatever the
// order of paths. An error comes from the archive, the rejects writer, invalid
// options or the context; it ends the import, and whatever is in the archive by then
// is kept: importing again completes it. Errors of single files are in the Result and do not end the import.
// The Result is never nil.
func Run(ctx context.Context, a *archive.Archive, o Options) (*Result, error) {
	if o.Stdin == nil {
		o.Stdin = strings.NewReader("")
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	r := &run{
		a: a, intake: intake.New(a.Store(), intake.Config{}), o: o, names: newNames(), captured: newCaptured(), rejects: newRejects(o.Rejects),
		busy: map[[32]byte]chan struct{}{},
	}
	err := r.run(ctx)
	res := &Result{Files: r.files, Markets: r.names.count(), Skipped: r.skipped, Unknown: r.unknown}
	res.sum()
	if err == nil {
		res.Undescribed, err = r.captured.undescribed(ctx, a)
	}
	if rejectErr := r.rejects.flush(); rejectErr != nil && err == nil {
		err = fmt.Errorf("rejected lines: %w", rejectErr)
	}
	if r.rejects != nil {
		res.RejectsCut = r.rejects.cut
	}
	res.Interrupted = err != nil && ctx.Err() != nil
	return res, err
}

// run is one call of Run.
type run struct {
	a        *archive.Archive
	intake   *intake.Intake
	o        Options
	names    *names
	captured *captured
	rejects  *rejects
	progress meter
	files    []File
	skipped  int // files that are plainly no captures
	unknown  []string

	mu   sync.Mutex
	busy map[[32]byte]chan struct{} // contents being imported now
}

func (r *run) run(ctx context.Context) error {
	var insist *format
	if r.o.Format != "" {
		f, ok := formatNamed(r.o.Format)
		if !ok {
			return fmt.Errorf("unknown format %q: expected one of %s", r.o.Format, strings.Join(Formats(), ", "))
		}
		insist = &f
	}
	inputs, err := r.inputs(ctx, insist)
	defer func() {
		for _, in := range inputs {
			if in.temp {
				_ = os.Remove(in.path)
			}
		}
	}()
	if err != nil {
		return err
	}
	for _, in := range inputs {
		r.files = append(r.files, File{Path: in.name, Format: in.fmt.name, Size: in.size, Err: in.err})
		if in.err == nil {
			r.progress.total.Add(in.size)
			r.progress.files.Add(1)
		}
	}
	stop := r.progress.report(r.o.Progress)
	defer stop()
	metadata := 0
	for metadata < len(inputs) && inputs[metadata].fmt.metadata {
		metadata++
	}
	if err := r.readAll(ctx, inputs[:metadata], r.files[:metadata]); err != nil {
		return err
	}
	settles := r.progress.settles()
	if err := r.intake.Settle(ctx, settles); err != nil {
		return err
	}
	settles(1, 1)
	return r.readAll(ctx, inputs[metadata:], r.files[metadata:])
}

// inputs collects the files and finds out what they are, metadata first.
func (r *run) inputs(ctx context.Context, insist *format) ([]*input, error) {
	c := collector{o: &r.o, seen: map[string]bool{}}
	err := c.collect(ctx, r.o.Markets)
	given := len(c.all)
	if err == nil {
		err = c.collect(ctx, r.o.Paths)
	}
	all := c.all
	r.skipped = c.skipped
	if err != nil {
		return all, err
	}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(r.o.Workers)
	for i, in := range all {
		if in.err != nil {
			continue
		}
		g.Go(func() error {
			if i < given {
				in.look(nil)
			} else {
				in.look(insist)
			}
			return gctx.Err()
		})
	}
	if err := g.Wait(); err != nil {
		return all, err
	}
	var ordered []*input
	for _, want := range []bool{true, false} {
		for _, in := range all {
			switch {
			case in.fmt.metadata != want:
			case in.skip:
				r.skipped++
			case in.unknown && r.o.SkipUnknown:
				r.unknown = append(r.unknown, in.name)
			default:
				ordered = append(ordered, in)
			}
		}
	}
	return ordered, nil
}

// readAll reads inputs side by side and fills in what became of them.
func (r *run) readAll(ctx context.Context, inputs []*input, files []File) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(r.o.Workers)
	for i, in := range inputs {
		if in.err != nil {
			continue
		}
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			err := r.read(ctx, in, &files[i])
			r.progress.filesDone.Add(1)
			return err
		})
	}
	return g.Wait()
}

// read imports one file. It returns an error only when the import as a whole
// cannot go on.
func (r *run) read(ctx context.Context, in *input, f *File) error {
	sum, err := in.hash(ctx, &r.progress)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		f.Err = err
		return nil
	}
	release, err := r.claim(ctx, sum)
	if err != nil {
		return err
	}
	defer release()
	imp, err := r.begin(ctx, in, sum)
	if err != nil {
		return err // names the file
	}
	defer func() { _ = imp.Close() }() // after Finish there is nothing left to lose
	if imp.Complete() {
		f.Already = true
		f.Source = imp.Source()
		f.Whole = f.Source.Problem == ""
		switch {
		case f.Source.Problem != "":
			f.Err = errors.New(f.Source.Problem)
		case f.Source.Format != in.fmt.name:
			f.Err = fmt.Errorf("%w as %s: it is in the archive as %s (source %x); remove that first", ErrFormat, in.fmt.name, f.Source.Format, f.Source.SHA256[:6])
			return nil
		default:
			f.Err = nothing(f.Source.Counts)
		}
		return r.again(ctx, in, f)
	}
	return r.take(ctx, in, f, imp)
}

// begin begins the import of a file. When nothing could be taken from it before,
// be it that it was read in another format or that metadata or an option was
// missing, this import takes the place of that.
func (r *run) begin(ctx context.Context, in *input, sum [32]byte) (*intake.Import, error) {
	src := store.Source{
		SHA256: sum, Name: in.name, Size: in.size, Format: in.fmt.name,
		Authority: in.fmt.authority, Licence: r.o.Licence,
	}
	imp, err := r.intake.Begin(ctx, src)
	if err != nil || !imp.Complete() {
		return imp, err
	}
	was := imp.Source()
	unread := was.Problem != "" && was.Counts.Messages == 0 // it failed at its beginning
	if !unread && nothing(was.Counts) == nil {
		return imp, nil
	}
	if err := imp.Close(); err != nil {
		return nil, err
	}
	return r.intake.BeginAnew(ctx, src)
}

// claim waits until no other file of the same content is being read.
func (r *run) claim(ctx context.Context, sum [32]byte) (release func(), err error) {
	for {
		r.mu.Lock()
		other, taken := r.busy[sum]
		if !taken {
			done := make(chan struct{})
			r.busy[sum] = done
			r.mu.Unlock()
			return func() {
				r.mu.Lock()
				delete(r.busy, sum)
				r.mu.Unlock()
				close(done)
			}, nil
		}
		r.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// again reads a file that the archive has already, for its rejected lines only.
func (r *run) again(ctx context.Context, in *input, f *File) error {
	if r.rejects == nil || len(f.Source.Counts.Rejected) == 0 {
		r.progress.passed(in.size)
		return nil
	}
	f.again = true
	_, _, err := r.content(ctx, in, newSink(nil, in.name, r))
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return nil
}

// content reads the content of a file into to. disk is an error of the file as
// it lies there, and not of its content.
func (r *run) content(ctx context.Context, in *input, to *sink) (messages int64, disk, err error) {
	file, err := in.open()
	if err != nil {
		return 0, err, err
	}
	defer func() { _ = file.Close() }()
	raw := &rawReader{r: io.LimitReader(file, in.size), meter: &r.progress, size: in.size, later: in.fmt.metadata && to.imp != nil}
	defer func() { raw.passed(in.size - raw.n) }() // what is left is not read any more
	front, closeAll, err := decompress(raw)
	if err != nil {
		return 0, raw.err, err
	}
	defer closeAll.close()
	c := content{Reader: front, name: in.name, o: &r.o, marketOf: r.marketOf}
	if closeAll == nil {
		c.table = table{rawReaderAt{file, raw}, in.size}
	}
	messages, err = in.fmt.read(ctx, &c, to)
	return messages, raw.err, err
}

// marketOf returns the id by which the archive knows the market of a token.
func (r *run) marketOf(ctx context.Context, token string) (string, error) {
	m, _, err := r.a.Token(ctx, token, "")
	if errors.Is(err, store.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return m.Market.VenueID, nil
}

// take reads a file into the archive.
func (r *run) take(ctx context.Context, in *input, f *File, imp *intake.Import) error {
	to := newSink(imp, in.name, r)
	if in.fmt.metadata {
		imp.Defer()
	} else {
		to.captured = r.captured
		if r.o.Alone {
			imp.Alone()
		}
	}
	messages, disk, err := r.content(ctx, in, to)
	switch {
	case !r.o.Alone && errors.Is(to.failed, store.ErrTwice): // of this file alone
		f.Err = to.failed
		return nil
	case to.failed != nil:
		return to.failed // names the file
	case ctx.Err() != nil:
		return ctx.Err()
	case disk != nil:
		// The content may well be whole: the source stays incomplete.
		f.Err, f.Source = disk, imp.Source()
		return nil
	}
	end := intake.End{Messages: messages, Rejected: to.rejected}
	if err != nil {
		f.Err = problem(err)
		end.Problem = f.Err.Error()
	}
	if f.Source, err = imp.Finish(ctx, end); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !r.o.Alone && errors.Is(err, store.ErrTwice) { // of this file alone
			f.Err = err
			return nil
		}
		if errors.Is(err, store.ErrAgain) { // of this file alone
			f.Err, f.Source = err, imp.Source()
			return nil
		}
		return err
	}
	f.Diverged, f.Whole = to.diverged, end.Problem == ""
	if f.Err == nil {
		f.Err = nothing(f.Source.Counts)
	}
	return nil
}

// problem says in words why a file could not be read to its end.
func problem(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the file is truncated; what could be read is kept: %w", err)
	}
	if errors.Is(err, prices.ErrToken) || errors.Is(err, prices.ErrUnknown) || errors.Is(err, quotecsv.ErrCoin) {
		return err // nothing was
	}
	return fmt.Errorf("not read to the end; what could be read is kept: %w", err)
}

// nothing returns ErrNothing for a file of which nothing could be taken, though there
// is something in it. What was understood and is not for this archive counts as taken.
func nothing(c store.Counts) error {
	taken := c.Messages + c.Rejected[gamma.ReasonCategory]
	for _, n := range c.Rejected {
		taken -= n
	}
	if c.Messages == 0 || taken > 0 || c.Captures+c.Duplicates > 0 {
		return nil
	}
	return fmt.Errorf("%w: %d messages, all rejected", ErrNothing, c.Messages)
}
