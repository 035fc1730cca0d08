package ingest

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// Progress is the progress of an import.
type Progress struct {
	Done, Total      int64 // bytes of the files, as they lie there
	Files, FilesDone int64
}

// reportEvery is how often progress is reported.
const reportEvery = 250 * time.Millisecond

// Every file is gone through twice: to know it by its bytes, and to read it.
// Reading is most of the work; of metadata, what follows from it.
const (
	hashShare   = 1
	readShare   = 4
	settleShare = 3 // of readShare
	allShares   = hashShare + readShare
)

// meter counts what was done.
type meter struct {
	// done is in shares: a byte that was hashed is hashShare, one that was read
	// is readShare.
	done             atomic.Int64
	total            atomic.Int64 // bytes
	files, filesDone atomic.Int64
	unsettled        atomic.Int64 // bytes of metadata that was read
}

func (m *meter) hashed(n int64) { m.done.Add(n * hashShare) }

// passed counts bytes that are through, read or not.
func (m *meter) passed(n int64) { m.done.Add(n * readShare) }

// settles returns what is to be told how far the metadata that was read is settled.
func (m *meter) settles() func(done, all int) {
	shares, last := m.unsettled.Swap(0)*settleShare, int64(0)
	return func(done, all int) {
		now := shares
		if all > 0 {
			now = shares * int64(done) / int64(all)
		}
		m.done.Add(now - last)
		last = now
	}
}

// report calls f regularly until stop is called, and once more then.
func (m *meter) report(f func(Progress)) (stop func()) {
	if f == nil {
		return func() {}
	}
	quit := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(reportEvery)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				f(m.now())
				return
			case <-tick.C:
				f(m.now())
			}
		}
	})
	return func() {
		close(quit)
		wg.Wait()
	}
}

func (m *meter) now() Progress {
	return Progress{Done: m.done.Load() / allShares, Total: m.total.Load(), Files: m.files.Load(), FilesDone: m.filesDone.Load()}
}

// rawReader counts what is read of a file and keeps the file's own error.
type rawReader struct {
	r     io.Reader
	meter *meter
	size  int64
	later bool  // what is read is to be settled
	n     int64 // bytes read
	err   error // other than io.EOF
}

func (r *rawReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	r.count(int64(n), err)
	return n, err
}

func (r *rawReader) count(n int64, err error) {
	n = min(n, r.size-r.n) // parts may be read twice
	r.n += n
	r.passed(n)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
}

// passed counts bytes that are through, read or not.
func (r *rawReader) passed(n int64) {
	r.meter.passed(n)
	if r.later {
		r.meter.done.Add(-n * settleShare)
		r.meter.unsettled.Add(n)
	}
}

// rawReaderAt reads here and there, and counts with a rawReader.
type rawReaderAt struct {
	file io.ReaderAt
	raw  *rawReader
}

func (r rawReaderAt) ReadAt(p []byte, off int64) (int, error) {
	n, err := r.file.ReadAt(p, off)
	r.raw.count(int64(n), err)
	return n, err
}
