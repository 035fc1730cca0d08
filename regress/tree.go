package regress

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/market"
)

// toJSON returns a tree without aliases as JSON, fields in order.
func toJSON(n *yaml.Node) ([]byte, error) {
	var b bytes.Buffer
	err := writeJSON(&b, n)
	return b.Bytes(), err
}

func writeJSON(b *bytes.Buffer, n *yaml.Node) error {
	switch n.Kind {
	case yaml.MappingNode, yaml.SequenceNode:
		open, end := byte('['), byte(']')
		if n.Kind == yaml.MappingNode {
			open, end = '{', '}'
		}
		b.WriteByte(open)
		for i, part := range n.Content {
			key := n.Kind == yaml.MappingNode && i%2 == 0
			if i > 0 {
				b.WriteByte(map[bool]byte{true: ':', false: ','}[n.Kind == yaml.MappingNode && !key])
			}
			if key {
				part = textNode(part.Value)
			}
			if err := writeJSON(b, part); err != nil {
				return err
			}
		}
		b.WriteByte(end)
		return nil
	}
	return writeScalar(b, n)
}

func writeScalar(b *bytes.Buffer, n *yaml.Node) error {
	switch n.ShortTag() {
	case "!!null":
		b.WriteString("null")
		return nil
	case "!!bool":
		var v bool
		if err := n.Decode(&v); err != nil {
			return fmt.Errorf("line %d: %s: expected true or false", n.Line, n.Value)
		}
		fmt.Fprintf(b, "%t", v)
		return nil
	case "!!int", "!!float":
		if !json.Valid([]byte(n.Value)) {
			return fmt.Errorf("line %d: %s: expected a decimal number, like 0.35", n.Line, n.Value)
		}
		b.WriteString(n.Value)
		return nil
	}
	text, err := backtest.CompactJSON(n.Value)
	b.Write(text)
	return err
}

// toTree returns one JSON value as a tree, fields in order.
func toTree(text []byte) (*yaml.Node, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	n, err := readTree(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	return n, nil
}

func readTree(d *json.Decoder) (*yaml.Node, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case nil:
		return scalar("!!null", "null"), nil
	case bool:
		return scalar("!!bool", fmt.Sprint(t)), nil
	case json.Number:
		tag := "!!int"
		if _, err := market.ParseDecimal(t.String(), 0); err != nil {
			tag = "!!float"
		}
		return scalar(tag, t.String()), nil
	case string:
		return textNode(t), nil
	case json.Delim:
		n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		if t == '{' {
			n.Kind, n.Tag = yaml.MappingNode, "!!map"
		}
		for d.More() {
			part, err := readTree(d)
			if err != nil {
				return nil, err
			}
			if n.Content = append(n.Content, part); n.Kind == yaml.MappingNode {
				value, err := readTree(d)
				if err != nil {
					return nil, err
				}
				n.Content = append(n.Content, value)
			}
		}
		_, err := d.Token()
		return n, err
	}
	return nil, fmt.Errorf("JSON token %v", t)
}

func scalar(tag, value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value}
}

func textNode(s string) *yaml.Node { return scalar("!!str", s) }

// flowWidth is how long a group may be to be written on one line.
const flowWidth = 110

// arrange sets groups of plain values that are short, and no sentences, on one
// line each.
func arrange(n *yaml.Node) {
	width, simple := 0, n.Kind != yaml.ScalarNode
	for _, part := range n.Content {
		arrange(part)
		width += len(part.Value) + 2
		simple = simple && part.Kind == yaml.ScalarNode && !strings.Contains(part.Value, " ")
	}
	if simple && width <= flowWidth {
		n.Style |= yaml.FlowStyle
	}
}

// leaf is one value of a tree under its path.
type leaf struct{ path, text string }

// leaves returns the values of a tree in order, numbers in their shortest form.
// An empty list or group is one value.
func leaves(path string, n *yaml.Node) []leaf {
	switch {
	case n.Kind == yaml.MappingNode && len(n.Content) > 0:
		var out []leaf
		for i := 0; i < len(n.Content); i += 2 {
			out = append(out, leaves(join(path, n.Content[i].Value), n.Content[i+1])...)
		}
		return out
	case n.Kind == yaml.SequenceNode && len(n.Content) > 0:
		var out []leaf
		for i, item := range n.Content {
			out = append(out, leaves(fmt.Sprintf("%s[%d]", path, i), item)...)
		}
		return out
	case n.Kind == yaml.MappingNode:
		return []leaf{{path, "{}"}}
	case n.Kind == yaml.SequenceNode:
		return []leaf{{path, "[]"}}
	case isNull(n):
		return []leaf{{path, "null"}}
	case isNumber(n):
		if v, err := market.ParseDecimal(n.Value, 6); err == nil {
			return []leaf{{path, market.FormatDecimal(v, 6)}}
		}
	}
	return []leaf{{path, n.Value}}
}
