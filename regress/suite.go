package regress

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/strategy"
)

// Suite is one file of cases.
type Suite struct {
	// Name is the file's path within the loaded folder, with slashes; for a file
	// loaded by itself, its last element.
	Name        string
	Description string // empty: none
	// Archive is what the results were recorded over; nil: nothing recorded.
	Archive *Archive
	Cases   []Case // in the file's order, at least one

	// Inline reports that the suite itself contains results. They count only
	// until it has a lock.
	Inline bool

	path string // of the suite
	text []byte // as read
	lock []byte // of the lock, as read; nil: there is none
}

// Case is one strategy and its recorded result.
type Case struct {
	Name string // unique within the suite
	Line int    // in the file, from 1
	// Prompt is read by the rules; nil: Strategy is given instead.
	Prompt   *string
	Strategy *strategy.Strategy // of the right shape, not canonical
	// SampleSize and Budget override the prompt's or the strategy's; nil: no
	// override.
	SampleSize *int
	Budget     *strategy.Number
	Options    backtest.Options

	node     *yaml.Node // the mapping of the case
	expected *yaml.Node // what was recorded; nil: nothing
}

// Problem is one reason why a suite cannot be read.
type Problem struct {
	File    string
	Line    int    // from 1; 0: the file as a whole
	Field   string // "cases[2].options.fees"; empty: no field in particular
	Message string // what is wrong, and what was expected
}

func (p Problem) String() string {
	s := p.File
	if p.Line > 0 {
		s = fmt.Sprintf("%s:%d", s, p.Line)
	}
	if p.Field != "" {
		s += ": " + p.Field
	}
	return s + ": " + p.Message
}

// Error lists why suites cannot be read. It is never empty.
type Error struct{ Problems []Problem }

// Error returns one line per problem.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the equivalent *market.Error.
func (e *Error) Unwrap() error { return market.Errorf(market.CodeBadRequest, "%s", e.Error()) }

// Load reads the suite at path, or every suite (*.yaml, *.yml) in and below the
// folder at path, in order of their names; files and folders whose names begin
// with a dot are passed over. Anything that cannot be read is an *Error with
// every problem of every file.
func Load(path string) ([]*Suite, error) {
	files, base, err := filesOf(path)
	if err != nil {
		return nil, err
	}
	suites := make([]*Suite, 0, len(files))
	var problems []Problem
	for _, file := range files {
		name, err := filepath.Rel(base, file)
		if err != nil {
			name = file
		}
		text, err := os.ReadFile(file)
		if err != nil {
			problems = append(problems, Problem{File: file, Message: "cannot be read: " + reasonOf(err)})
			continue
		}
		s, found := read(file, text)
		s.Name = filepath.ToSlash(name)
		if len(found) == 0 {
			found = s.readLock()
		}
		suites, problems = append(suites, s), append(problems, found...)
	}
	if len(problems) > 0 {
		return nil, &Error{problems}
	}
	return suites, nil
}

// filesOf returns the files of a suite, sorted, and the folder that their names
// are relative to.
func filesOf(path string) (files []string, base string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, "", &Error{[]Problem{{File: path, Message: reasonOf(err) + ": expected a suite (a YAML file) or a folder of them"}}}
	}
	if !info.IsDir() {
		return []string{path}, filepath.Dir(path), nil
	}
	err = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(d.Name(), ".") && file != path
		switch {
		case err != nil:
			return err
		case d.IsDir() && hidden:
			return filepath.SkipDir
		case !d.IsDir() && !hidden && isYAML(file):
			files = append(files, file)
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, "", &Error{[]Problem{{File: path, Message: "cannot be read: " + reasonOf(err)}}}
	case len(files) == 0:
		return nil, "", &Error{[]Problem{{File: path, Message: "no suite in it: expected files named *.yaml or *.yml"}}}
	}
	slices.SortFunc(files, func(a, b string) int { return strings.Compare(filepath.ToSlash(a), filepath.ToSlash(b)) })
	return files, path, nil
}

func isYAML(file string) bool {
	ext := strings.ToLower(filepath.Ext(file))
	return ext == ".yaml" || ext == ".yml"
}

// reasonOf returns the reason of a failure at a file without the file's path,
// which stands before it.
func reasonOf(err error) string {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err.Error()
	}
	return err.Error()
}
