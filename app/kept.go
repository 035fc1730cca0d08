package app

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/report/words"
)

// MaxKept is how many runs are kept; older ones make room.
const MaxKept = 20

// KeptRun is the first line of the file of a kept run; the second is its body.
type KeptRun struct {
	Number    int            `json:"number"`
	At        time.Time      `json:"at"`
	Prompt    string         `json:"prompt"`
	Trades    int            `json:"trades"`
	TotalPnL  stats.Decimal  `json:"total_pnl"`
	MeanPnL   *stats.Decimal `json:"mean_pnl"`
	Verdict   stats.Verdict  `json:"verdict"`
	Simulated bool           `json:"simulated"`
	// Archive holds the addresses that the run was made from: files, with whole
	// paths. Empty for the demo archive, and for a server, whose address may hold a
	// password.
	Archive []string `json:"archive"`
	// Tries says which look at its rounds it was; zero: it was not counted.
	Tries backtest.Tally `json:"tries,omitzero"`
}

// runsDir returns the folder of the kept runs: in $LADDERBACK_CACHE, else in the
// user's cache folder; empty where there is neither.
func (a *App) runsDir() string {
	if dir := a.Getenv("LADDERBACK_CACHE"); dir != "" {
		return filepath.Join(dir, "runs")
	}
	if a.Getenv("HOME") == "" && a.Getenv("LocalAppData") == "" {
		return ""
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "ladderback", "runs")
}

// runNumbers lists the numbers of the kept runs, the newest first.
func runNumbers(dir string) []int {
	entries, _ := os.ReadDir(dir) // none when there is no such folder
	var out []int
	for _, e := range entries {
		if n, err := strconv.Atoi(strings.TrimSuffix(e.Name(), ".json")); err == nil && n > 0 {
			out = append(out, n)
		}
	}
	slices.SortFunc(out, func(x, y int) int { return cmp.Compare(y, x) })
	return out
}

func runFile(dir string, n int) string { return filepath.Join(dir, strconv.Itoa(n)+".json") }

// Keep keeps a run, of which text is the JSON, and returns its number; 0 where runs
// cannot be kept, which is no reason for a backtest to fail.
func (a *App) Keep(body *backtest.Body, text []byte, archives []string) int {
	dir := a.runsDir()
	if dir == "" {
		return 0
	}
	n, err := keepIn(dir, body, text, archives)
	if err != nil {
		a.Say("The run is not kept: %v", err)
		return 0
	}
	return n
}

func keepIn(dir string, body *backtest.Body, text []byte, archives []string) (int, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return 0, err
	}
	r := body.Report
	k := KeptRun{
		At: time.Now().UTC().Truncate(time.Second), Prompt: body.Prompt, Trades: len(r.Trades), TotalPnL: r.TotalPnL,
		MeanPnL: r.Stats.MeanPnL, Verdict: r.Stats.Verdict, Simulated: words.Simulated(r) != "", Archive: wholePaths(archives), Tries: body.Tally,
	}
	var err error
	if k.Number, err = reserve(dir); err != nil {
		return 0, err
	}
	path := runFile(dir, k.Number)
	if err := writeRun(path, &k, text); err != nil {
		return 0, errors.Join(err, os.Remove(path))
	}
	for i, n := range runNumbers(dir) {
		if i >= MaxKept {
			_ = os.Remove(runFile(dir, n)) // another process may have done it
		}
	}
	return k.Number, nil
}

// reserve makes the empty file of the next run. Two processes never get one number.
func reserve(dir string) (int, error) {
	next := 1
	if numbers := runNumbers(dir); len(numbers) > 0 {
		next = numbers[0] + 1
	}
	for {
		f, err := os.OpenFile(runFile(dir, next), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			return next, f.Close()
		}
		if !errors.Is(err, fs.ErrExist) {
			return 0, err
		}
		next++
	}
}

// writeRun writes the file of a run, which takes the place of the reserved one
// whole.
func writeRun(path string, k *KeptRun, body []byte) error {
	head, err := backtest.CompactJSON(k)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	text.Write(append(head, '\n'))
	text.Write(body)
	if err := os.WriteFile(path+".part", text.Bytes(), 0o600); err != nil {
		return errors.Join(err, os.Remove(path+".part"))
	}
	return os.Rename(path+".part", path)
}

// wholePaths returns the archives that can be opened again from elsewhere: files.
func wholePaths(archives []string) []string {
	out := []string{}
	for _, text := range archives {
		category, target := "", text
		if c, rest, ok := strings.Cut(text, "="); ok && (c == "crypto" || c == "sports") {
			category, target = c+"=", rest
		}
		path, err := filepath.Abs(target)
		if IsPostgres(target) || err != nil {
			return []string{}
		}
		out = append(out, category+path)
	}
	return out
}

// kept reads the run of a number.
func (a *App) kept(n int) (*KeptRun, *backtest.Body, error) {
	f, err := os.Open(runFile(a.runsDir(), n))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("run %d is not kept: 'ladderback runs' lists the ones that are", n)
	}
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	in := bufio.NewReader(f)
	k, err := readKept(in)
	if err != nil {
		return nil, nil, fmt.Errorf("run %d: %w", n, err)
	}
	body, err := backtest.ReadBody(in)
	if err != nil {
		return nil, nil, fmt.Errorf("run %d: %w", n, err)
	}
	return k, body, nil
}

func readKept(in *bufio.Reader) (*KeptRun, error) {
	line, err := in.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("not whole: %w", err)
	}
	var k KeptRun
	return &k, json.Unmarshal(line, &k)
}

// SavedRun is a run that was saved, and what it is called.
type SavedRun struct {
	Name    string
	Body    *backtest.Body
	Archive []string // what a kept run was made from
}

// FindRun reads the run that an argument names: a file, the number of a kept run,
// or last. A file goes before a number of the same name.
func (a *App) FindRun(ctx context.Context, name string) (*SavedRun, error) {
	n, err := strconv.Atoi(name)
	if _, missing := os.Stat(name); name == "last" && missing != nil {
		numbers := runNumbers(a.runsDir())
		if len(numbers) == 0 {
			return nil, errNoRuns
		}
		n, err = numbers[0], nil
	} else if missing == nil && err == nil {
		err = fs.ErrExist // the file is meant
	}
	if err == nil {
		k, body, err := a.kept(n)
		if err != nil {
			return nil, err
		}
		body.Tally = k.Tries
		return &SavedRun{"run " + strconv.Itoa(n), body, k.Archive}, nil
	}
	body, err := a.readRun(ctx, name)
	if err != nil {
		return nil, err
	}
	return &SavedRun{Name: filepath.Base(name), Body: body}, nil
}

var errNoRuns = errors.New("no runs yet: 'ladderback backtest' keeps the last 20")

func keptHead(path string) (*KeptRun, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readKept(bufio.NewReader(f))
}

// readRun reads a saved run.
func (a *App) readRun(ctx context.Context, path string) (*backtest.Body, error) {
	text, err := a.ReadFile(ctx, path)
	if err != nil {
		return nil, err
	}
	body, err := backtest.ReadBody(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return body, nil
}

// Elsewhere says with err which archive a run was made from, when it was not this one,
// else which one was looked into. The address of a server is not kept with a run.
func (a *App) Elsewhere(err error, r *SavedRun, from []string) error {
	if len(r.Archive) > 0 && !slices.Equal(r.Archive, from) {
		return fmt.Errorf("%w: --archive %s", err, strings.Join(r.Archive, " --archive "))
	}
	return fmt.Errorf("%w, and %s was looked into: name it with --archive", err, a.ArchiveNames(from))
}

// Kept lists the kept runs, the newest first.
func (a *App) Kept() []KeptRun {
	out := []KeptRun{}
	for _, n := range runNumbers(a.runsDir()) {
		if k, err := keptHead(runFile(a.runsDir(), n)); err == nil { // one being written is left out
			out = append(out, *k)
		}
	}
	return out
}
