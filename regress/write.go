package regress

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/strategy"
)

// What a verdict is called on the terminal.
const (
	wordSame     = "same"
	wordRecorded = "recorded"
)

// ANSI attributes.
const (
	inkBold  = "1"
	inkRed   = "31"
	inkGreen = "32"
	inkAmber = "33"
)

// screen collects what is shown.
type screen struct {
	bytes.Buffer
	width int // columns
	color bool
}

func (s *screen) paint(ink, words string) string {
	if !s.color {
		return words
	}
	return "\x1b[" + ink + "m" + words + "\x1b[0m"
}

func (s *screen) line(format string, args ...any) {
	_, _ = fmt.Fprintf(s, format+"\n", args...) // a buffer never fails
}

// WriteTable writes, in this order: the suites recorded over another archive, one
// line per case, the fields of each case that differs, and a summary line. Widths
// below 60 columns are treated as 80; color writes ANSI colours.
func (o *Outcome) WriteTable(w io.Writer, columns int, color bool) error {
	if columns < 60 {
		columns = 80
	}
	s := &screen{width: columns, color: color}
	o.archives(s)
	o.cases(s)
	for i := range o.Suites {
		for j := range o.Suites[i].Cases {
			o.Suites[i].Cases[j].differs(s, o.Suites[i].Suite.Name)
		}
	}
	s.line("%s", s.paint(inkBold, o.summary()))
	_, err := w.Write(s.Bytes())
	return err
}

// archives says which suites were recorded over another archive.
func (o *Outcome) archives(s *screen) {
	names := map[string][]string{}
	var others []*Archive
	for i := range o.Suites {
		if a := o.Suites[i].Suite.Archive; o.Suites[i].OtherArchive(o.Archive) {
			if names[a.Fingerprint] == nil {
				others = append(others, a)
			}
			names[a.Fingerprint] = append(names[a.Fingerprint], clean(o.Suites[i].Suite.Name))
		}
	}
	for _, a := range others {
		was := " was"
		if len(names[a.Fingerprint]) > 1 {
			was = " were"
		}
		s.line("%s", s.paint(inkAmber, strings.Join(names[a.Fingerprint], ", ")+was+" recorded over another archive"))
		s.line("  recorded over  %s", a.words())
	}
	if len(others) > 0 {
		s.line("  run over       %s", o.Archive.words())
		s.line("")
	}
}

func (o *Outcome) cases(s *screen) {
	t := s.table("suite", "case", "trades", "total pnl", "verdict", "result")
	t.SetColumnConfigs([]table.ColumnConfig{
		{Number: 1, WidthMax: s.width / 4, WidthMaxEnforcer: wrap}, {Number: 2, WidthMax: s.width/3 - 1, WidthMaxEnforcer: wrap},
		{Number: 3, Align: text.AlignRight}, {Number: 4, Align: text.AlignRight},
	})
	for i := range o.Suites {
		name := o.Suites[i].Suite.Name
		for _, c := range o.Suites[i].Cases {
			trades, pnl, verdict := "", "", "refused"
			if n := c.Got.Numbers; n != nil {
				trades, pnl, verdict = fmt.Sprint(n.MarketsTraded), n.TotalPnL.String(), string(n.Stats.Verdict)
			}
			t.AppendRow(table.Row{clean(name), clean(c.Case.Name), trades, pnl, verdict, o.result(s, &c) + by(&c)})
			name = ""
		}
	}
	t.Render()
	s.line("")
}

// by names the language model where it read the case.
func by(c *CaseOutcome) string {
	if c.Source == strategy.SourceLLM {
		return " (language model)"
	}
	return ""
}

// result says how a case did.
func (o *Outcome) result(s *screen, c *CaseOutcome) string {
	switch {
	case c.Verdict == Same:
		return s.paint(inkGreen, wordSame)
	case o.Recorded:
		return s.paint(inkAmber, wordRecorded)
	case c.Verdict == NotRecorded:
		return s.paint(inkRed, "nothing recorded")
	case len(c.Differences) == 1:
		return s.paint(inkRed, "1 field differs")
	}
	return s.paint(inkRed, fmt.Sprintf("%d fields differ", len(c.Differences)))
}

// differs shows the fields of a case that differ.
func (c *CaseOutcome) differs(s *screen, suite string) {
	if len(c.Differences) == 0 {
		return
	}
	s.line("%s", s.paint(inkBold, clean(fmt.Sprintf("%s:%d %s", suite, c.Case.Line, c.Case.Name))))
	t := s.table("field", "expected", "got")
	room := max(16, (s.width-36)/2)
	t.SetColumnConfigs([]table.ColumnConfig{
		{Number: 1, WidthMax: 32, WidthMaxEnforcer: text.WrapHard},
		{Number: 2, WidthMax: room, WidthMaxEnforcer: wrap}, {Number: 3, WidthMax: room, WidthMaxEnforcer: wrap},
	})
	for _, d := range c.Differences {
		expected, got := d.Expected, d.Got
		if d.isHash() {
			expected, got = short(expected), short(got)
		}
		t.AppendRow(table.Row{clean(d.Field), clean(expected), clean(got)})
	}
	t.Render()
	if hidden(c.Differences) {
		s.line("  No field that a suite keeps differs, but what the hashes cover does: single trades,")
		s.line("  for instance. Save a run before and after (backtest --json) and compare the two.")
	}
	s.line("")
}

func (d *Difference) isHash() bool {
	return strings.HasPrefix(d.Field, "receipt.") && d.Field != "receipt.engine"
}

func (o *Outcome) summary() string {
	all, notSame := o.Count()
	s := plural(all, "case") + ": "
	switch {
	case notSame == 0:
		return s + "all as recorded"
	case o.Recorded:
		return s + fmt.Sprintf("%d as recorded before, %d recorded now", all-notSame, notSame)
	}
	differ, missing := 0, 0
	for i := range o.Suites {
		for _, c := range o.Suites[i].Cases {
			switch c.Verdict {
			case Different:
				differ++
			case NotRecorded:
				missing++
			case Same:
			}
		}
	}
	s += fmt.Sprintf("%d as recorded, %d different", all-notSame, differ)
	if missing > 0 {
		s += fmt.Sprintf(", %d with nothing recorded (--update records)", missing)
	}
	return s
}

func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// wrap breaks text between words.
func wrap(s string, width int) string {
	lines := strings.Split(text.WrapSoft(s, width), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n")
}

// table makes a table without frames.
func (s *screen) table(columns ...string) table.Writer {
	t := table.NewWriter()
	t.SetOutputMirror(s)
	style := table.StyleLight
	style.Options = table.OptionsNoBordersAndSeparators
	style.Options.SeparateHeader = true
	style.Format.Header = text.FormatDefault
	style.Format.HeaderAlign = text.AlignLeft
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	row := make(table.Row, len(columns))
	for i, c := range columns {
		row[i] = c
	}
	t.AppendHeader(row)
	return t
}

// clean takes control characters out of text from outside.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		if r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return -1
		}
		return r
	}, s)
}

// MarshalJSON writes every case with what it gave and what differs.
func (o *Outcome) MarshalJSON() ([]byte, error) {
	type oneCase struct {
		Name        string          `json:"name"`
		Line        int             `json:"line"`
		Result      Verdict         `json:"result"`
		Differences []Difference    `json:"differences"`
		Got         *Record         `json:"got"`
		Source      strategy.Source `json:"source,omitempty"` // which parser read the prompt
	}
	type oneSuite struct {
		Suite        string    `json:"suite"`
		Archive      *Archive  `json:"archive"` // recorded over; null: nothing recorded
		OtherArchive bool      `json:"other_archive"`
		Cases        []oneCase `json:"cases"`
	}
	all, notSame := o.Count()
	doc := struct {
		Archive  *Archive   `json:"archive"`
		Cases    int        `json:"cases"`
		NotSame  int        `json:"not_same"`
		Recorded bool       `json:"recorded"`
		Suites   []oneSuite `json:"suites"`
	}{o.Archive, all, notSame, o.Recorded, []oneSuite{}}
	for i := range o.Suites {
		s := &o.Suites[i]
		one := oneSuite{s.Suite.Name, s.Suite.Archive, s.OtherArchive(o.Archive), []oneCase{}}
		for _, c := range s.Cases {
			one.Cases = append(one.Cases, oneCase{
				c.Case.Name, c.Case.Line, c.Verdict, append([]Difference{}, c.Differences...), c.Got, c.Source,
			})
		}
		doc.Suites = append(doc.Suites, one)
	}
	return backtest.CompactJSON(doc)
}
