package regress

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// indent is how far what is written stands in, a level.
const indent = 2

// patch exchanges the lines [from, to), counted from 0, for others.
type patch struct {
	from, to int
	lines    []string
}

// splice exchanges the lines of the edited fields and leaves every other line
// as it is. It returns false where the lines cannot be told apart; the caller
// also checks that the outcome means what it should.
func splice(text []byte, edits []edit) ([]byte, bool) {
	// Of the ends of lines that YAML knows, only these count here; UTF-16 has
	// none of them.
	if plain := strings.ReplaceAll(string(text), "\r\n", "\n"); strings.ContainsAny(plain, "\r\x00\u0085\u2028\u2029") {
		return nil, false
	}
	lines := strings.SplitAfter(string(text), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	end := "\n"
	if strings.HasSuffix(lines[0], "\r\n") {
		end = "\r\n"
	}
	patches := make([]patch, 0, len(edits))
	for _, e := range edits {
		p, ok := e.patch(lines)
		if !ok || p.from > p.to || p.to > len(lines) {
			return nil, false
		}
		patches = append(patches, p)
	}
	slices.SortFunc(patches, func(a, b patch) int { return b.from - a.from })
	for _, p := range patches {
		for i, l := range p.lines {
			p.lines[i] = l + end
		}
		if p.from > 0 && !strings.HasSuffix(lines[p.from-1], "\n") {
			lines[p.from-1] += end
		}
		lines = slices.Replace(lines, p.from, p.to, p.lines...)
	}
	return []byte(strings.Join(lines, "")), true
}

// patch finds the lines of the field, or where they belong: a new archive before
// the cases, anything else at the end.
func (e *edit) patch(lines []string) (patch, bool) {
	if e.in.Style&yaml.FlowStyle != 0 || len(e.in.Content) == 0 {
		return patch{}, false
	}
	column := e.in.Content[0].Column - 1
	body, err := block(e.field, e.value)
	if err != nil {
		return patch{}, false
	}
	lead, margin := strings.Repeat(" ", column), strings.Repeat(" ", column)
	key, old := fieldOf(e.in, e.field)
	cases, _ := fieldOf(e.in, "cases")
	p := patch{}
	switch {
	case key != nil:
		p.from = key.Line - 1
		if p.from >= len(lines) || len(lines[p.from]) < column || key.Column-1 != column {
			return patch{}, false
		}
		lead = lines[p.from][:column]
		p.to = blockEnd(lines, p.from, column)
		if comment := cmp.Or(old.LineComment, key.LineComment); comment != "" {
			body[0] += " " + comment
		}
	case cases != nil && cases.Line > len(lines):
		return patch{}, false
	case cases != nil:
		p.from = headOf(lines, cases.Line-1)
		p.to = p.from
		if p.from > 0 {
			body = append(body, "")
		}
	default:
		last := e.in.Content[len(e.in.Content)-2]
		p.from = blockEnd(lines, last.Line-1, column)
		p.to = p.from
	}
	for i, l := range body {
		if i > 0 {
			lead = margin
		}
		p.lines = append(p.lines, strings.TrimRight(lead+l, " "))
	}
	return p, strings.Trim(lead, " -") == ""
}

// headOf returns the first line of the comment that stands right above a line,
// or the line itself where there is none, or where that begins the file.
func headOf(lines []string, line int) int {
	i := line
	for i > 0 && strings.HasPrefix(lines[i-1], "#") {
		i--
	}
	if i == 0 {
		return line
	}
	return i
}

// blockEnd returns the line behind the field that begins on line from, its name
// in the given column: what stands further in belongs to it. Empty lines and
// comments at its end do not.
func blockEnd(lines []string, from, column int) int {
	end := from + 1
	for i := from + 1; i < len(lines); i++ {
		content := strings.TrimLeft(lines[i], " ")
		switch {
		case strings.TrimSpace(content) == "" || content[0] == '#':
			continue
		case len(lines[i])-len(content) <= column:
			return end
		}
		end = i + 1
	}
	return end
}

// block writes one field in block form, a line each.
func block(field string, value *yaml.Node) ([]string, error) {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(indent)
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{textNode(field), value}}
	if err := enc.Encode(n); err != nil {
		return nil, err
	}
	if err := enc.Close(); err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n"), nil
}
