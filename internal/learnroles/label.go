package main

import (
	"slices"
	"strings"

	"github.com/ladderback/ladderback/internal/labelled"
	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/roles"
	"github.com/ladderback/ladderback/parser/rules"
	"github.com/ladderback/ladderback/strategy"
)

// labelsOf lists what each number of a prompt may be of, the likeliest first; nil: nothing is
// learned from the prompt.
func labelsOf(p *labelled.Prompt, fields []roles.Field) [][]string {
	if len(p.Strategies) == 0 {
		return nil
	}
	x := grammar.New(p.Prompt)
	defer x.Close()
	var spans []strategy.Span
	if res, _ := rules.Read(p.Prompt, rules.Overrides{}); res != nil && p.Accepts(res.Strategy, "") {
		spans = res.Trace.Spans
	}
	length, _ := strategy.Length(p.Strategies[0].Market().Type)
	var out [][]string
	for _, n := range roles.Numbers(x) {
		var names []string
		at := int(x.Span(n.From, n.From+1).Start)
		for i := range fields {
			if f := &fields[i]; f.Of(&n, length) && !slices.Contains(names, f.Role) {
				names = append(names, f.Role)
			}
		}
		if len(names) > 1 {
			names = narrowed(names, spans, at)
		}
		if len(names) == 0 {
			names = []string{roles.None}
		}
		out = append(out, names)
	}
	dealt(out, fields)
	return out
}

// dealt gives numbers that may be of several fields to these in their order, where there are as many of
// both.
func dealt(labels [][]string, fields []roles.Field) {
	done := map[string]bool{}
	for _, l := range labels {
		key := strings.Join(l, "|")
		if len(l) < 2 || done[key] {
			continue
		}
		done[key] = true
		var of []int
		for i := range labels {
			if strings.Join(labels[i], "|") == key {
				of = append(of, i)
			}
		}
		var names []string
		for _, f := range fields {
			if slices.Contains(l, f.Role) {
				names = append(names, f.Role)
			}
		}
		if len(names) == len(of) {
			for i, k := range of {
				labels[k] = []string{names[i]}
			}
		}
	}
}

// narrowed keeps what the rules read a number as, where they read it.
func narrowed(names []string, spans []strategy.Span, at int) []string {
	i := slices.IndexFunc(spans, func(s strategy.Span) bool { return s.Start <= at && at < s.End })
	if i < 0 {
		return names
	}
	field := spans[i].Field
	of := func(role string) bool {
		switch {
		case strings.HasPrefix(field, "exit."):
			return role == field[len("exit."):]
		case strings.HasPrefix(field, "entry"):
			return strings.Contains(role, ".") || strings.HasPrefix(role, "within")
		}
		return strings.HasPrefix(field, role)
	}
	kept := slices.DeleteFunc(slices.Clone(names), func(r string) bool { return !of(r) })
	if len(kept) == 0 {
		return names
	}
	return kept
}

// shapeOf is the shape of a label; "" where it is not known.
func shapeOf(p *labelled.Prompt, labels [][]string, fields []roles.Field) string {
	if len(p.Strategies) == 0 {
		return roles.Refused
	}
	var told []string
	for _, names := range labels {
		if len(names) > 1 && slices.ContainsFunc(names, func(n string) bool { return strings.Contains(n, "#") }) {
			return ""
		}
		told = append(told, names[0])
	}
	return roles.Shape(&p.Strategies[0], fields, told)
}
