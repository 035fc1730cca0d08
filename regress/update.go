package regress

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"gopkg.in/yaml.v3"
)

// Update writes what the cases gave, and the archive, into the suites, and
// returns the names of those that changed. All that people wrote stays as it
// is, to the byte: only the values under archive and expect are replaced, and
// only those that differ. Every file is made whole before it takes its place.
func (o *Outcome) Update() ([]string, error) {
	type change struct {
		suite *Suite
		text  []byte
	}
	var changes []change
	for i := range o.Suites {
		s := &o.Suites[i]
		text, err := s.updated(o.Archive)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Suite.path, err)
		}
		if !bytes.Equal(text, s.Suite.text) {
			changes = append(changes, change{s.Suite, text})
		}
	}
	var names []string
	for _, c := range changes {
		if err := replace(c.suite.path, c.suite.text, c.text); err != nil {
			return names, fmt.Errorf("%s: %w", c.suite.path, err)
		}
		names = append(names, c.suite.Name)
	}
	o.Recorded = true
	return names, nil
}

// updated returns the suite's text with what its cases gave.
func (s *SuiteOutcome) updated(here *Archive) ([]byte, error) {
	// A tree of its own: Suite keeps what was read.
	r := &reader{}
	root := r.document(s.Suite.text)
	_, cases := fieldOf(root, "cases")
	if cases == nil || len(cases.Content) != len(s.Cases) {
		return nil, errors.New("its cases cannot be found again")
	}
	var edits []edit
	tree, err := treeOf(here)
	if err != nil {
		return nil, err
	}
	_, old := fieldOf(root, "archive")
	if old == nil || !slices.Equal(leaves("", old), leaves("", tree)) {
		keepComments(old, tree)
		edits = append(edits, edit{root, "archive", tree})
	}
	for i, c := range s.Cases {
		if c.Verdict == Same {
			continue
		}
		tree, err := c.Got.tree()
		if err != nil {
			return nil, err
		}
		_, old := fieldOf(cases.Content[i], "expect")
		keepComments(old, tree)
		edits = append(edits, edit{cases.Content[i], "expect", tree})
	}
	if len(edits) == 0 {
		return s.Suite.text, nil
	}
	spliced, ok := splice(s.Suite.text, edits)
	for _, e := range edits {
		e.apply()
	}
	if ok && means(spliced, root) {
		return spliced, nil
	}
	// A suite in a form that lines cannot be exchanged in, such as one written
	// on one line: its tree is written anew, with its comments and order.
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(indent)
	if err := errors.Join(enc.Encode(root), enc.Close()); err != nil {
		return nil, err
	}
	if !means(b.Bytes(), root) {
		return nil, errors.New("the results cannot be written into it: expected cases in block form, one field a line")
	}
	return b.Bytes(), nil
}

// edit sets one field of a mapping.
type edit struct {
	in    *yaml.Node
	field string
	value *yaml.Node
}

// apply changes the tree. A new archive stands before the cases, anything else
// that is new at the end.
func (e *edit) apply() {
	key, old := fieldOf(e.in, e.field)
	if key != nil {
		*old = *e.value
		return
	}
	at := len(e.in.Content)
	if cases, _ := fieldOf(e.in, "cases"); cases != nil {
		at = slices.Index(e.in.Content, cases)
	}
	e.in.Content = slices.Insert(e.in.Content, at, textNode(e.field), e.value)
}

// means reports whether text holds the values of the tree.
func means(text []byte, root *yaml.Node) bool {
	r := &reader{}
	got := r.document(text)
	return got != nil && slices.Equal(leaves("", got), leaves("", root))
}

// keepComments copies what people wrote beside recorded values.
func keepComments(old, tree *yaml.Node) {
	switch {
	case old == nil || old.Kind != tree.Kind:
	case tree.Kind == yaml.MappingNode:
		for i := 0; i < len(tree.Content); i += 2 {
			key, value := fieldOf(old, tree.Content[i].Value)
			if key == nil {
				continue
			}
			copyComments(key, tree.Content[i])
			copyComments(value, tree.Content[i+1])
			keepComments(value, tree.Content[i+1])
		}
	case tree.Kind == yaml.SequenceNode:
		for i := range min(len(tree.Content), len(old.Content)) {
			copyComments(old.Content[i], tree.Content[i])
			keepComments(old.Content[i], tree.Content[i])
		}
	}
	if old != nil && tree.Style&yaml.FlowStyle != 0 && old.Style&yaml.FlowStyle == 0 && commented(tree) {
		tree.Style &^= yaml.FlowStyle
	}
}

func copyComments(from, to *yaml.Node) {
	to.HeadComment, to.LineComment = from.HeadComment, from.LineComment
}

// commented reports whether there are comments within a group.
func commented(n *yaml.Node) bool {
	return slices.ContainsFunc(n.Content, func(part *yaml.Node) bool {
		return part.HeadComment != "" || part.LineComment != "" || commented(part)
	})
}

// replace puts a file in the place of one that still holds what was read.
func replace(path string, before, after []byte) (err error) {
	path, err = filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	now, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, before) {
		return errors.New("was changed while its cases ran: nothing is recorded in it")
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".ladderback-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temp.Name()))
		}
	}()
	_, err = temp.Write(after)
	if err := errors.Join(err, temp.Chmod(info.Mode().Perm()), temp.Sync(), temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}
