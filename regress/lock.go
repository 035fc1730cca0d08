package regress

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/ladderback/ladderback/internal/outfile"
)

// lockSuffix makes the name of the file that keeps the results of a suite, beside
// it: "exits.yaml.lock" of "exits.yaml".
const lockSuffix = ".lock"

// readLock reads what was recorded of the suite. Without a lock, results that
// stand in the suite itself count: suites kept them there once.
func (s *Suite) readLock() []Problem {
	path := s.path + lockSuffix
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return []Problem{{File: path, Message: "cannot be read: " + reasonOf(err)}}
	}
	s.lock, s.Archive = text, nil
	for i := range s.Cases {
		s.Cases[i].expected = nil
	}
	r := &reader{file: path}
	if root := r.document(text); root != nil && r.plain(root, "", 0) {
		r.lock(root, s)
	}
	return r.problems
}

// lock fills what was recorded into the suite. Results of cases that it does not
// have any more are passed over.
func (r *reader) lock(root *yaml.Node, s *Suite) {
	fields := r.mapping(root, "", "archive", "cases")
	if n := fields["archive"]; n != nil {
		s.Archive = r.archive(n)
	}
	list := fields["cases"]
	if list == nil || list.Kind != yaml.SequenceNode {
		r.fail(root, "cases", "missing: expected a list of results, as --update records them")
		return
	}
	for i, n := range list.Content {
		field := fmt.Sprintf("cases[%d]", i)
		c := r.mapping(n, field, "name", "expect")
		if c["name"] == nil || c["expect"] == nil {
			r.fail(n, field, "expected name and expect, as --update records them")
			continue
		}
		r.mapping(c["expect"], field+".expect", recordedFields()...)
		k := slices.IndexFunc(s.Cases, func(of Case) bool { return of.Name == c["name"].Value })
		switch {
		case k < 0:
		case s.Cases[k].expected != nil:
			r.fail(n, field+".name", "%q stands twice: expected each name once", s.Cases[k].Name)
		default:
			s.Cases[k].expected = c["expect"]
		}
	}
}

// Update writes the results of the cases, and the archive, into the lock of each
// suite, and returns the names of the locks that changed. It never writes to the
// suites themselves. Each lock is replaced atomically.
func (o *Outcome) Update() ([]string, error) {
	texts := make([][]byte, len(o.Suites))
	for i := range o.Suites {
		var err error
		if texts[i], err = o.Suites[i].record(o.Archive); err != nil {
			return nil, fmt.Errorf("%s: %w", o.Suites[i].Suite.path, err)
		}
	}
	var names []string
	for i, text := range texts {
		s := o.Suites[i].Suite
		if bytes.Equal(text, s.lock) {
			continue
		}
		if err := s.replaceLock(text); err != nil {
			return names, fmt.Errorf("%s: %w", s.path, err)
		}
		names = append(names, s.Name+lockSuffix)
	}
	o.Recorded = true
	return names, nil
}

// record returns the text of the suite's lock.
func (s *SuiteOutcome) record(here *Archive) ([]byte, error) {
	archive, err := treeOf(here)
	if err != nil {
		return nil, err
	}
	cases := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for _, c := range s.Cases {
		got, err := c.Got.tree()
		if err != nil {
			return nil, err
		}
		cases.Content = append(cases.Content, group("name", textNode(c.Case.Name), "expect", got))
	}
	root := group("archive", archive, "cases", cases)
	var b bytes.Buffer
	b.WriteString("# What the cases gave; written by ladderback regress --update.\n")
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := errors.Join(enc.Encode(root), enc.Close()); err != nil {
		return nil, err
	}
	r := &reader{}
	if back := r.document(b.Bytes()); back == nil || !slices.Equal(leaves("", back), leaves("", root)) {
		return nil, errors.New("the results cannot be written as YAML")
	}
	return b.Bytes(), nil
}

// group returns a mapping of two fields.
func group(name string, value *yaml.Node, other string, also *yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{textNode(name), value, textNode(other), also}}
}

// replaceLock puts a lock in its place, unless the suite or its lock was changed
// since they were read.
func (s *Suite) replaceLock(text []byte) error {
	path := s.path + lockSuffix
	suite, err := os.ReadFile(s.path)
	if err != nil {
		return err
	}
	lock, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !bytes.Equal(suite, s.text) || !bytes.Equal(lock, s.lock) {
		return errors.New("changed while its cases ran: nothing was recorded for it")
	}
	f, err := outfile.Create(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if info, err := os.Stat(s.path); err == nil {
		f.Mode(info.Mode().Perm())
	}
	if _, err := f.Write(text); err != nil {
		return errors.Join(err, f.Abort())
	}
	return f.Commit()
}
