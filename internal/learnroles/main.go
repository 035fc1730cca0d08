// Command learnroles learns from labelled prompts what they most likely say, and writes the weights that
// parser/roles compiles in:
//
//	go run ./internal/learnroles
//
// The same prompts give the same bytes.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/internal/labelled"
	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/roles"
	"github.com/ladderback/ladderback/parser/rules"
	"github.com/ladderback/ladderback/strategy"
)

func main() {
	root := flag.String("root", ".", "the folder of the tree")
	out := flag.String("o", "", "the file to write; empty: that of parser/roles, or none with -without, which writes one for each file with its place behind the name")
	without := flag.String("without", "", "files to learn nothing from, on each of which what was learned without it is measured, with commas")
	verbose := flag.Bool("v", false, "list what is told wrong")
	flag.Parse()
	list, held, err := read(*root, strings.Split(*without, ","))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	for i := range held {
		learned := all(slices.Concat(append(append([][]lesson{list}, held[:i]...), held[i+1:]...)...))
		measure(held[i], learned, *verbose)
		if *out != "" {
			write(fmt.Sprint(*out, i), learned)
		}
	}
	if *without == "" {
		write(cmp.Or(*out, filepath.Join(*root, "parser/roles/weights.gz")), all(list))
	}
}

func write(path string, learned []*learner) {
	if err := os.WriteFile(path, packed(learned), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// read reads the labelled prompts of the tree, in the order of their files; held are those of the ones that
// nothing is learned from.
func read(root string, without []string) (list []lesson, held [][]lesson, err error) {
	var files []string
	for _, pattern := range []string{"parser/testdata/*.jsonl", "parser/testdata/language.txt", "parser/rules/testdata/again.txt", "parser/rules/testdata/bots.txt",
		"parser/rules/testdata/orders.txt", "parser/rules/testdata/silence.txt"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return nil, nil, err
		}
		files = append(files, found...)
	}
	for _, path := range files {
		l, err := readPrompts(path)
		if err != nil {
			return nil, nil, err
		}
		if slices.Contains(without, filepath.Base(path)) {
			held = append(held, lessons(l))
		} else {
			list = append(list, lessons(l)...)
		}
	}
	return list, held, nil
}

// readPrompts reads labelled prompts, or those of a text: prompts behind "> ", each with a line below it that is the
// summary of its strategy, or says that it is refused.
func readPrompts(path string) ([]labelled.Prompt, error) {
	if !strings.HasSuffix(path, ".txt") {
		return labelled.ReadFile(path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out []labelled.Prompt
	prompt := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if p, ok := strings.CutPrefix(line, "> "); ok {
			prompt = strings.ReplaceAll(p, `\n`, "\n")
			continue
		}
		if prompt == "" {
			continue
		}
		l := labelled.Prompt{Prompt: prompt}
		if !strings.HasPrefix(line, "refused: ") {
			res, _ := rules.Read(line, rules.Overrides{})
			if res == nil {
				continue
			}
			l.Strategies = []strategy.Canonical{res.Strategy}
		}
		out = append(out, l)
		prompt = ""
	}
	return out, nil
}

// measure says how well what was learned tells numbers and prompts that nothing was learned from.
func measure(held []lesson, learned []*learner, verbose bool) {
	numbers, prompts := learned[0], learned[1]
	weights, shaped := numbers.averaged(), prompts.averaged()
	var answers [roles.Asked]map[uint32][]int64
	for q := range answers {
		answers[q] = learned[2+q].averaged()
	}
	var count [2]struct{ numbers, right, prompts, whole, shapes, known int } // without orders, with them
	confused := map[string]int{}
	asked := [roles.Asked]map[bool]int{{}, {}, {}, {}}
	for i := range held {
		labels, shape := held[i].labels, held[i].shape
		all := true
		var told []string
		c := &count[0]
		if shape != roles.Plain && shape != roles.Refused && shape != roles.AnyOf {
			c = &count[1]
		}
		p := grammar.New(held[i].Prompt.Prompt)
		roles.Features(p, func(k int, features []uint32) string {
			name := numbers.names[numbers.best(features, weights, nil)]
			told = append(told, name)
			if labels == nil {
				return name
			}
			c.numbers++
			if slices.Contains(labels[k], name) {
				c.right++
			} else {
				all = false
				if verbose {
					n := roles.Numbers(p)[k]
					fmt.Printf("%s %s for %v of %q\n    %q\n", held[i].ID, name, labels[k], p.Text(n.From, n.To), held[i].Prompt.Prompt)
				}
			}
			return name
		})
		whole := roles.ShapeFeatures(p, told)
		for q := range roles.Asked {
			if answer := held[i].asked[q]; answer != "" {
				l := learned[2+q]
				got := l.names[l.best(whole, answers[q], nil)]
				asked[q][got == answer]++
				if verbose && got != answer {
					fmt.Printf("%s answer %q for %q\n    %q\n", held[i].ID, got, answer, held[i].Prompt.Prompt)
				}
			}
		}
		got := prompts.names[prompts.best(roles.ShapeFeatures(p, told), shaped, roles.Fitting(prompts.names, told))]
		p.Close()
		if labels != nil {
			c.prompts++
			if all {
				c.whole++
			}
		}
		if slices.Contains(prompts.names, shape) {
			c.known++
			if got == shape {
				c.shapes++
			} else {
				if verbose {
					fmt.Printf("%s shape %q for %q\n    %q\n", held[i].ID, got, shape, held[i].Prompt.Prompt)
				}
			}
		}
		kind := func(s string) string {
			if s == roles.Plain || s == roles.Refused || s == roles.AnyOf {
				return s
			}
			return "orders"
		}
		confused[kind(shape)+" told "+kind(got)]++
	}
	for i, c := range count {
		fmt.Printf("held out %s: %d of %d numbers, %d of %d prompts, %d of %d shapes\n", [...]string{"plain", "orders"}[i], c.right, c.numbers, c.whole, c.prompts, c.shapes, c.known)
	}
	fmt.Println("answers", asked)
	for _, k := range slices.Sorted(maps.Keys(confused)) {
		fmt.Println("  ", k, confused[k])
	}
}
