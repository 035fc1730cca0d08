package record

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/ladderback/ladderback/market"
)

// state is what a run leaves for the next, in a file beside the others. It is
// about durable things only, so a run that was killed leaves one too.
type state struct {
	// Until: everything up to it is in files.
	Until market.Instant `json:"until"`
	// Tokens that are recorded, each with where its open gap begins; zero: none.
	Tokens map[string]market.Instant `json:"tokens"`
	// Rounds are those that the tokens belong to, by slug.
	Rounds map[string]*round `json:"rounds,omitempty"`
	// Undecided are rounds whose outcome is not known, with their event.
	Undecided map[string]string `json:"undecided"`
	// Kept is the last file that the Keeper has taken; every one before it was.
	Kept string `json:"kept"`
}

const stateName = "state.json"

func (r *Recorder) writeState(s state) error {
	s.Kept = r.keep.last()
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	path := filepath.Join(r.c.Dir, stateName)
	f, err := r.c.Open(path + partName)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(text, 0)
	if err := errors.Join(err, f.Truncate(int64(len(text))), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(path+partName, path)
}

// recover reads the state that an earlier run left, makes whole files of those
// that it did not cut, and hands over what the Keeper has not taken.
func (r *Recorder) recover() (s state, err error) {
	text, err := os.ReadFile(filepath.Join(r.c.Dir, stateName))
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return s, err
	default:
		if err := json.Unmarshal(text, &s); err != nil {
			return s, err
		}
	}
	entries, err := os.ReadDir(r.c.Dir)
	if err != nil {
		return s, err
	}
	for _, e := range entries {
		path := filepath.Join(r.c.Dir, e.Name())
		if whole, ok := strings.CutSuffix(path, partName); ok {
			if !strings.HasSuffix(whole, capturesName) {
				if err := os.Remove(path); err != nil { // it was to be written again
					return s, err
				}
				continue
			}
			last, err := r.mend(path, whole)
			if err != nil {
				return s, err
			}
			s.Until = max(s.Until, last)
		}
	}
	entries, err = os.ReadDir(r.c.Dir)
	if err != nil {
		return s, err
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".jsonl.zst") && e.Name() > s.Kept {
			r.keep.add([]string{filepath.Join(r.c.Dir, e.Name())}, cutAt(e.Name()))
		}
	}
	r.keep.kept.Store(&s.Kept)
	return s, nil
}

// mend makes a whole file of one that was not cut: of the lines that can be read.
// It returns the latest receive time of them.
func (r *Recorder) mend(path, whole string) (last market.Instant, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	dec, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return 0, err
	}
	defer dec.Close()
	files := newFiles(&r.c, r)
	in := bufio.NewReader(dec)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil { // also where the file was cut off: a line without its end is none
			if !errors.Is(err, io.EOF) {
				r.c.Log.Warn("the last run was ended in the middle", "file", path, "error", err)
			}
			break
		}
		var l struct {
			Recv json.Number `json:"recv"`
		}
		if json.Unmarshal(line, &l) != nil {
			break
		}
		if at, err := market.ParseUnix(string(l.Recv)); err == nil {
			last = max(last, at)
		}
		files.lines.Write(line)
	}
	if files.lines.Len() > 0 {
		if err := files.whole(whole, files.lines.Bytes()); err != nil {
			return 0, err
		}
		return last, nil // whole renamed over the part
	}
	return last, os.Remove(path)
}
