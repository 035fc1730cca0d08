package strategy

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// schemaText is the JSON Schema (draft 2020-12) of the object: shape, types,
// enumerations and the bounds on single fields. Canonicalize applies the remaining
// rules.
//
//go:embed schema.json
var schemaText []byte

// schemaName is where the schema stands for its compiler: whole, as what is relative is looked for
// in the working directory, which may be gone.
const schemaName = "file:///strategy.json"

// compiled is the schema, ready to use. It is compiled from memory on first
// use; a failure would be a mistake in schema.json, which a test compiles.
var compiled = sync.OnceValue(func() *jsonschema.Schema {
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	if err := c.AddResource(schemaName, bytes.NewReader(schemaText)); err != nil {
		panic(fmt.Sprintf("strategy: schema.json: %v", err))
	}
	return c.MustCompile(schemaName)
})

// StrictSchema returns the variant of the schema that language models with strict
// output accept: every property is required, objects are closed, optional values
// are unions with null, and there are no bounds. Whatever it admits must still
// pass schema.json and Canonicalize. The caller owns the bytes.
func StrictSchema() []byte {
	var root map[string]any
	if err := json.Unmarshal(schemaText, &root); err != nil {
		panic(fmt.Sprintf("strategy: schema.json: %v", err))
	}
	for _, key := range []string{"$schema", "$id", "title"} {
		delete(root, key)
	}
	strict(root)
	out, err := json.Marshal(root)
	if err != nil {
		panic(fmt.Sprintf("strategy: strict schema: %v", err))
	}
	return out
}

// strict drops the keywords that strict output does not take from a schema and
// everything within it, and requires every property.
func strict(node map[string]any) {
	for _, key := range []string{"minItems", "maxItems", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"} {
		delete(node, key)
	}
	if properties, ok := node["properties"].(map[string]any); ok {
		names := make([]string, 0, len(properties))
		for name, p := range properties {
			names = append(names, name)
			strict(p.(map[string]any))
		}
		slices.Sort(names)
		node["required"] = names
	}
	if items, ok := node["items"].(map[string]any); ok {
		strict(items)
	}
	if defs, ok := node["$defs"].(map[string]any); ok {
		for _, d := range defs {
			strict(d.(map[string]any))
		}
	}
}

// checkSchema validates a decoded document against the schema and returns the
// first thing that is wrong, in the order of the document's paths.
func checkSchema(document any) error {
	err := compiled().Validate(document)
	if err == nil {
		return nil
	}
	invalid, ok := err.(*jsonschema.ValidationError) //nolint:errorlint // Validate returns it unwrapped
	if !ok {
		return fault("", "%v", err)
	}
	leaves := leavesOf(invalid, nil)
	slices.SortFunc(leaves, func(a, b *jsonschema.ValidationError) int {
		return cmp.Or(cmp.Compare(a.InstanceLocation, b.InstanceLocation), cmp.Compare(a.KeywordLocation, b.KeywordLocation))
	})
	return schemaFault(leaves[0], document)
}

// schemaFault words one violation of the schema, naming the field at fault
// rather than the object that holds it.
func schemaFault(e *jsonschema.ValidationError, document any) *Error {
	path, names := pathOf(e.InstanceLocation), quoted(e.Message)
	keyword := e.KeywordLocation[strings.LastIndexByte(e.KeywordLocation, '/')+1:]
	dot := ""
	if path != "" {
		dot = "."
	}
	switch {
	case keyword == "required" && len(names) > 0:
		return fault(path+dot+names[0], "is missing")
	case keyword == "additionalProperties" && len(names) > 0:
		slices.Sort(names)
		return fault(path+dot+clip(names[0]), "is not a field of the object")
	}
	value := describe(valueAt(document, e.InstanceLocation))
	if path == "market.coin" && keyword == "enum" {
		return unknownCoin(value)
	}
	return fault(path, "%s: %s", value, inWords(e.Message))
}

var (
	outOfBounds = regexp.MustCompile(`^must be (<=|>=|<|>) (\S+) but found `)
	wrongCount  = regexp.MustCompile(`^(minimum|maximum) (\d+) items required, but found `)
)

// inWords says what the schema's library says of a violation as other messages
// do: what was expected, and numbers without exponents.
func inWords(message string) string {
	if m := outOfBounds.FindStringSubmatch(message); m != nil {
		bound := m[2]
		if f, err := strconv.ParseFloat(bound, 64); err == nil {
			bound = strconv.FormatFloat(f, 'f', -1, 64)
		}
		return "expected " + map[string]string{"<=": "at most", ">=": "at least", "<": "below", ">": "above"}[m[1]] + " " + bound
	}
	if m := wrongCount.FindStringSubmatch(message); m != nil {
		return "expected " + map[string]string{"minimum": "at least", "maximum": "at most"}[m[1]] + " " + m[2]
	}
	if rest, ok := strings.CutPrefix(message, "value must be one of "); ok {
		return "expected one of " + strings.ReplaceAll(rest, "<nil>", "null")
	}
	return message
}

// valueAt returns the value that a JSON pointer leads to.
func valueAt(document any, pointer string) any {
	for part := range strings.SplitSeq(pointer, "/") {
		switch v := document.(type) {
		case map[string]any:
			if part != "" {
				document = v[unescape(part)]
			}
		case []any:
			if i, err := strconv.Atoi(part); err == nil && i < len(v) {
				document = v[i]
			}
		}
	}
	return document
}

// describe shortens a JSON value for a message.
func describe(v any) string {
	switch v := v.(type) {
	case map[string]any:
		return "an object"
	case []any:
		return fmt.Sprintf("a list of %d", len(v))
	case string:
		return strconv.Quote(clip(v))
	case json.Number:
		return clip(v.String())
	case nil:
		return "null"
	}
	return fmt.Sprint(v)
}

func unescape(part string) string { return strings.NewReplacer("~1", "/", "~0", "~").Replace(part) }

// quoted returns the words of a message that stand in single quotes.
func quoted(message string) []string {
	var words []string
	for i, part := range strings.Split(message, "'") {
		if i%2 == 1 {
			words = append(words, part)
		}
	}
	return words
}

func leavesOf(e *jsonschema.ValidationError, to []*jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return append(to, e)
	}
	for _, c := range e.Causes {
		to = leavesOf(c, to)
	}
	return to
}

// pathOf turns a JSON pointer ("/entry/1/threshold") into a path
// ("entry[1].threshold").
func pathOf(pointer string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		switch {
		case part == "":
		case part[0] >= '0' && part[0] <= '9':
			b.WriteString("[" + part + "]")
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(clip(unescape(part)))
		}
	}
	return b.String()
}
