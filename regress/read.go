package regress

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/strategy"
)

// maxDepth is how deep a suite may be nested.
const maxDepth = 32

// reader reads the nodes of one file and collects what is wrong with it.
type reader struct {
	file     string
	problems []Problem
}

func (r *reader) fail(n *yaml.Node, field, format string, args ...any) {
	r.problems = append(r.problems, Problem{r.file, n.Line, field, fmt.Sprintf(format, args...)})
}

// read reads one suite. The suite is whole only when there are no problems.
func read(file string, text []byte) (*Suite, []Problem) {
	s := &Suite{path: file, text: text}
	r := &reader{file: file}
	root := r.document(text)
	if root == nil || !r.plain(root, "", 0) {
		return s, r.problems
	}
	fields := r.mapping(root, "", "description", "archive", "cases")
	if n := fields["description"]; n != nil {
		s.Description, _ = r.text(n, "description")
	}
	if n := fields["archive"]; n != nil {
		s.Archive, s.Inline = r.archive(n), true
	}
	switch n := fields["cases"]; {
	case n == nil:
		r.fail(root, "cases", "missing: expected a list of cases")
	case n.Kind != yaml.SequenceNode || len(n.Content) == 0:
		r.fail(n, "cases", "is %s: expected a list of at least one case", kindOf(n))
	default:
		s.Cases = r.cases(n)
		s.Inline = s.Inline || slices.ContainsFunc(s.Cases, func(c Case) bool { return c.expected != nil })
	}
	return s, r.problems
}

// syntax finds the line in a message of the YAML reader.
var syntax = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// document returns the mapping that the file holds; nil after a problem.
func (r *reader) document(text []byte) *yaml.Node {
	d := yaml.NewDecoder(bytes.NewReader(text))
	var doc, second yaml.Node
	err := d.Decode(&doc)
	if err == nil {
		if more := d.Decode(&second); more == nil {
			r.fail(&second, "", "a second document begins here: expected one suite a file")
			return nil
		} else if !errors.Is(more, io.EOF) {
			err = more
		}
	}
	switch {
	case errors.Is(err, io.EOF):
		r.fail(&yaml.Node{}, "", "is empty: expected a suite with cases")
		return nil
	case err != nil:
		match := syntax.FindStringSubmatch(err.Error())
		at := &yaml.Node{}
		if match != nil {
			at.Line, _ = strconv.Atoi(match[1])
		}
		r.fail(at, "", "not valid YAML: %s", syntax.ReplaceAllString(err.Error(), ""))
		return nil
	case doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode:
		r.fail(&doc, "", "expected fields (archive, cases) at the top")
		return nil
	}
	return doc.Content[0]
}

// plain reports whether the tree is what a suite is written in: no aliases, tags
// of its own, keys that are no words, or keys given twice.
func (r *reader) plain(n *yaml.Node, field string, depth int) bool {
	before := len(r.problems)
	switch {
	case depth > maxDepth:
		r.fail(n, field, "is nested deeper than %d levels", maxDepth)
	case n.Kind == yaml.AliasNode:
		r.fail(n, field, "is an alias (*%s): expected the value itself, so that each case can be read alone", n.Value)
	case !slices.Contains([]string{"!!str", "!!int", "!!float", "!!bool", "!!null", "!!timestamp", "!!map", "!!seq"}, n.ShortTag()):
		r.fail(n, field, "has the tag %s: expected plain text, numbers, lists and fields", n.ShortTag())
	case n.Kind == yaml.SequenceNode:
		for i, item := range n.Content {
			r.plain(item, fmt.Sprintf("%s[%d]", field, i), depth+1)
		}
	case n.Kind == yaml.MappingNode:
		seen := map[string]int{}
		for i := 0; i < len(n.Content); i += 2 {
			key := n.Content[i]
			name := join(field, key.Value)
			switch {
			case key.Kind != yaml.ScalarNode || key.ShortTag() == "!!merge" || key.Value == "":
				r.fail(key, field, "has a field whose name is %s: expected a word", kindOf(key))
				continue
			case seen[key.Value] > 0:
				r.fail(key, name, "is given twice, first on line %d", seen[key.Value])
			default:
				seen[key.Value] = key.Line
			}
			r.plain(n.Content[i+1], name, depth+1)
		}
	}
	return len(r.problems) == before
}

// mapping returns the fields of n that are not null; others than the known ones
// are problems.
func (r *reader) mapping(n *yaml.Node, field string, known ...string) map[string]*yaml.Node {
	if n.Kind != yaml.MappingNode {
		r.fail(n, field, "is %s: expected fields out of %s", kindOf(n), strings.Join(known, ", "))
		return nil
	}
	fields := make(map[string]*yaml.Node, len(n.Content)/2)
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case !slices.Contains(known, key.Value):
			r.fail(key, join(field, key.Value), "unknown field: expected one of %s", strings.Join(known, ", "))
		case !isNull(value):
			fields[key.Value] = value
		}
	}
	return fields
}

func (r *reader) cases(list *yaml.Node) []Case {
	cases := make([]Case, 0, len(list.Content))
	lines := map[string]int{}
	for i, n := range list.Content {
		field := fmt.Sprintf("cases[%d]", i)
		c := r.oneCase(n, field)
		if c.Name != "" {
			if first := lines[c.Name]; first > 0 {
				r.fail(n, field+".name", "%q is the name of the case on line %d too: expected names of their own", c.Name, first)
			}
			lines[c.Name] = c.Line
		}
		cases = append(cases, c)
	}
	return cases
}

func (r *reader) oneCase(n *yaml.Node, field string) Case {
	c := Case{Line: n.Line, Options: backtest.DefaultOptions(), node: n}
	fields := r.mapping(n, field, "name", "prompt", "strategy", "sampleSize", "budget", "options", "expect")
	if fields == nil {
		return c
	}
	if name := fields["name"]; name == nil {
		r.fail(n, field+".name", "missing: expected a name for the case")
	} else {
		c.Name, _ = r.text(name, field+".name")
		if strings.TrimSpace(c.Name) == "" || strings.ContainsAny(c.Name, "\n\r\t") {
			r.fail(name, field+".name", "%q: expected a name on one line", c.Name)
		}
	}
	r.instruction(&c, fields, field)
	if size := fields["sampleSize"]; size != nil {
		if v, ok := r.whole(size, field+".sampleSize", 1, 10_000); ok {
			whole := int(v)
			c.SampleSize = &whole
		}
	}
	if budget := fields["budget"]; budget != nil {
		c.Budget = r.budget(budget, field+".budget")
	}
	if options := fields["options"]; options != nil {
		r.options(options, field+".options", &c.Options)
	}
	if c.expected = fields["expect"]; c.expected != nil {
		r.mapping(c.expected, field+".expect", recordedFields()...)
	}
	return c
}

// instruction reads the prompt of a case, or its strategy.
func (r *reader) instruction(c *Case, fields map[string]*yaml.Node, field string) {
	prompt, object := fields["prompt"], fields["strategy"]
	switch {
	case prompt != nil && object != nil:
		r.fail(object, field+".strategy", "stands beside a prompt: expected one of them")
	case prompt != nil:
		if text, ok := r.text(prompt, field+".prompt"); ok {
			c.Prompt = &text
		}
	case object != nil:
		c.Strategy = r.strategy(object, field)
	default:
		r.fail(c.node, field+".prompt", "missing: expected a prompt, or a strategy")
	}
}

// strategy reads a strategy object. One of the right shape that breaks another
// rule is no problem: a suite may record that it is refused.
func (r *reader) strategy(n *yaml.Node, field string) *strategy.Strategy {
	text, err := toJSON(n)
	if err != nil {
		r.fail(n, field+".strategy", "%s", err)
		return nil
	}
	s, err := strategy.Decode(text)
	var fault *strategy.Error
	switch {
	case errors.As(err, &fault):
		at := find(n, strings.TrimPrefix(strings.TrimPrefix(fault.Field, "strategy"), "."))
		r.fail(at, field+"."+fault.Field, "%s", fault.Message)
		return nil
	case err != nil:
		r.fail(n, field+".strategy", "%s", err)
		return nil
	}
	return &s
}

func (r *reader) text(n *yaml.Node, field string) (string, bool) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" {
		r.fail(n, field, "is %s: expected text (in quotes where it looks like something else)", kindOf(n))
		return "", false
	}
	return n.Value, true
}

// find returns the node at a path such as "entry[1].threshold" below n, or the
// last node on the way that is there.
func find(n *yaml.Node, path string) *yaml.Node {
	for path != "" {
		part, rest := path, ""
		if i := strings.IndexAny(path[1:], ".["); i >= 0 {
			part, rest = path[:i+1], path[i+1:]
		}
		next := child(n, strings.TrimPrefix(part, "."))
		if next == nil {
			return n
		}
		n, path = next, rest
	}
	return n
}

// child returns a field, or for "[3]" an item; nil: there is none.
func child(n *yaml.Node, part string) *yaml.Node {
	if i, err := strconv.Atoi(strings.Trim(part, "[]")); err == nil && n.Kind == yaml.SequenceNode && i < len(n.Content) {
		return n.Content[i]
	}
	_, value := fieldOf(n, part)
	return value
}

// fieldOf returns the key and the value of a field of a mapping; nil: none.
func fieldOf(n *yaml.Node, name string) (key, value *yaml.Node) {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// join puts a name behind the path of what holds it.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// kindOf says in words what a node is.
func kindOf(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a group of fields"
	case n.Kind == yaml.SequenceNode && len(n.Content) == 0:
		return "an empty list"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.AliasNode:
		return "an alias"
	}
	switch n.ShortTag() {
	case "!!null":
		return "empty"
	case "!!int", "!!float":
		return "the number " + n.Value
	case "!!str":
		return strconv.Quote(n.Value)
	}
	return n.Value
}
