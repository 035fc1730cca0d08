package regress

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name       string          `xml:"name,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Skipped    int             `xml:"skipped,attr"`
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
	Note       string          `xml:"system-err,omitempty"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	File    string        `xml:"file,attr"`
	Line    int           `xml:"line,attr"`
	Failure *junitFailure `xml:"failure"`
}

type junitFailure struct {
	Type    Verdict `xml:"type,attr"`
	Message string  `xml:"message,attr"`
	Text    string  `xml:",chardata"`
}

// WriteJUnit writes the outcome as JUnit XML, one test suite per suite. It holds
// no times, hosts or paths of this machine: the same outcome gives the same bytes.
func (o *Outcome) WriteJUnit(w io.Writer) error {
	doc := junitSuites{Name: "ladderback regress"}
	for i := range o.Suites {
		s := o.Suites[i].junit(o.Archive)
		doc.Tests += s.Tests
		doc.Failures += s.Failures
		doc.Suites = append(doc.Suites, s)
	}
	text, err := xml.MarshalIndent(doc, "", "  ")
	if err != nil {
		return fmt.Errorf("write JUnit: %w", err)
	}
	_, err = io.WriteString(w, xml.Header+string(text)+"\n")
	return err
}

func (s *SuiteOutcome) junit(here *Archive) junitSuite {
	out := junitSuite{
		Name: s.Suite.Name, Tests: len(s.Cases),
		Properties: []junitProperty{{"archive", here.Fingerprint}},
	}
	if s.Suite.Archive != nil {
		out.Properties = append(out.Properties, junitProperty{"archive recorded over", s.Suite.Archive.Fingerprint})
	}
	if s.OtherArchive(here) {
		out.Note = fmt.Sprintf("recorded over another archive\nrecorded over  %s\nrun over       %s\n", s.Suite.Archive.words(), here.words())
	}
	for i := range s.Cases {
		c := &s.Cases[i]
		one := junitCase{Class: s.Suite.Name, Name: c.Case.Name, File: s.Suite.Name, Line: c.Case.Line}
		if c.Verdict != Same {
			out.Failures++
			one.Failure = c.failure()
		}
		out.Cases = append(out.Cases, one)
	}
	return out
}

func (c *CaseOutcome) failure() *junitFailure {
	if c.Verdict == NotRecorded {
		return &junitFailure{c.Verdict, "nothing recorded: --update records", ""}
	}
	var b strings.Builder
	for _, d := range c.Differences {
		fmt.Fprintf(&b, "%s: expected %s, got %s\n", d.Field, d.Expected, d.Got)
	}
	return &junitFailure{c.Verdict, plural(len(c.Differences), "difference"), b.String()}
}
