// Command lint is staticcheck with the checks of go vet beside its own: what both need of a
// package and of all that it imports (types, what a function prints, whether it returns) is
// found once. Flags and output are those of staticcheck.
package main

import (
	"os"

	"golang.org/x/tools/go/analysis/suite/vet"
	"honnef.co/go/tools/lintcmd"
	"honnef.co/go/tools/simple"
	"honnef.co/go/tools/staticcheck"
	"honnef.co/go/tools/stylecheck"
	"honnef.co/go/tools/unused"
)

func main() {
	command := lintcmd.NewCommand("lint")
	command.ParseFlags(os.Args[1:])
	command.AddAnalyzers(simple.Analyzers...)
	command.AddAnalyzers(staticcheck.Analyzers...)
	command.AddAnalyzers(stylecheck.Analyzers...)
	command.AddAnalyzers(unused.Analyzer)
	command.AddBareAnalyzers(vet.Suite...)
	command.Run()
}
