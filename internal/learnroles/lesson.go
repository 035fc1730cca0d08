package main

import (
	"maps"
	"slices"

	"github.com/ladderback/ladderback/internal/labelled"
	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/roles"
)

// lesson is a labelled prompt with what is seen of it.
type lesson struct {
	*labelled.Prompt
	labels [][]string          // by number; nil: nothing is learned from them
	told   []string            // by number: the likeliest of its labels, "" where there are none
	seen   [][]uint32          // by number
	shape  string              // "": nothing is learned from it
	asked  [roles.Asked]string // "": it teaches nothing of the question
	whole  []uint32
}

// lessons are what labelled prompts teach.
func lessons(list []labelled.Prompt) []lesson {
	out := make([]lesson, len(list))
	for i := range list {
		l := &out[i]
		l.Prompt = &list[i]
		var fields []roles.Field
		if len(l.Strategies) > 0 {
			fields = roles.Fields(&l.Strategies[0])
		}
		l.labels = labelsOf(l.Prompt, fields)
		l.shape = shapeOf(l.Prompt, l.labels, fields)
		p := grammar.New(l.Prompt.Prompt)
		if len(l.Strategies) > 0 {
			l.asked = roles.Answers(p, &l.Strategies[0], l.shape)
		}
		roles.Features(p, func(k int, features []uint32) string {
			name := ""
			if l.labels != nil {
				name = l.labels[k][0]
			}
			l.seen, l.told = append(l.seen, features), append(l.told, name)
			return name
		})
		l.whole = roles.ShapeFeatures(p, l.told)
		p.Close()
	}
	return out
}

// namer gives names their numbers.
type namer struct {
	names []string
	ids   map[string]int
}

func (n *namer) id(name string) int {
	if _, ok := n.ids[name]; !ok {
		n.ids[name] = len(n.names)
		n.names = append(n.names, name)
	}
	return n.ids[name]
}

// numbersOf are the numbers of labelled prompts.
func numbersOf(list []lesson) ([]string, []example) {
	n := namer{ids: map[string]int{}}
	var out []example
	for i := range list {
		for k, names := range list[i].labels {
			e := example{features: list[i].seen[k]}
			for _, name := range names {
				e.is = append(e.is, n.id(name))
			}
			out = append(out, e)
		}
	}
	return n.names, out
}

// shapesOf are labelled prompts as a whole, of the shapes that are not the only ones of their kind.
func shapesOf(list []lesson) ([]string, []example) {
	count := map[string]int{}
	for i := range list {
		count[list[i].shape]++
	}
	n := namer{ids: map[string]int{}}
	for _, s := range slices.Sorted(maps.Keys(count)) {
		if s != "" && count[s] >= 2 {
			n.id(s)
		}
	}
	var out []example
	for i := range list {
		l := &list[i]
		is, ok := n.ids[l.shape]
		if !ok {
			continue
		}
		if of := roles.Fitting(n.names, l.told); slices.Contains(of, is) {
			out = append(out, example{l.whole, []int{is}, of})
		}
	}
	return n.names, out
}

// answersOf are labelled prompts as a whole, with what a question is answered by them.
func answersOf(list []lesson, question int) ([]string, []example) {
	n := namer{ids: map[string]int{}}
	var out []example
	for i := range list {
		if answer := list[i].asked[question]; answer != "" {
			out = append(out, example{list[i].whole, []int{n.id(answer)}, nil})
		}
	}
	return n.names, out
}

// all are the learners in the order in which they are written: of numbers, of shapes, of what is asked.
func all(list []lesson) []*learner {
	numbers := newLearner(numbersOf(list))
	weights := numbers.averaged()
	for i := range list { // what is refused has no labels of its own
		if l := &list[i]; l.labels == nil {
			p := grammar.New(l.Prompt.Prompt)
			l.told = nil
			roles.Features(p, func(k int, features []uint32) string {
				name := numbers.names[numbers.best(features, weights, nil)]
				l.told = append(l.told, name)
				return name
			})
			l.whole = roles.ShapeFeatures(p, l.told)
			p.Close()
		}
	}
	out := []*learner{numbers, newLearner(shapesOf(list))}
	for question := range roles.Asked {
		out = append(out, newLearner(answersOf(list, question)))
	}
	return out
}
