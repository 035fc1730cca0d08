package orders

import (
	"strings"

	"github.com/ladderback/ladderback/parser/lazy"
	"github.com/ladderback/ladderback/parser/orders/kinds"
	"github.com/ladderback/ladderback/parser/orders/told"
	"github.com/ladderback/ladderback/strategy"
)

// told is a phrase that is no rule.
func (d *doubt) told(m *match) string { return told.Why(d.f.text, m.from, m.to, m.pattern.field) }

// besides is a condition straight behind what is done besides the entry, which may be of that.
func (d *doubt) besides(m *match) string {
	if m.pattern.field != "then" && m.pattern.field != "again" && !strings.HasPrefix(m.pattern.field, "order.cancel") {
		return ""
	}
	if d.of("entry", m.to, len(d.f.text), func(s strategy.Span) bool {
		between := strings.Trim(d.f.text[m.to:s.Start], " ")
		return between == "," && !strings.HasPrefix(m.pattern.field, "order.cancel_after") || between == "." && restricts.MatchString(s.Text)
	}) == nil {
		return ""
	}
	return "is this a condition of this, or of the entry? say the entry's conditions before it"
}

// restricts is the beginning of a sentence that restricts what stands before it.
var restricts = lazy.Compile(`(?i)^(?:but )?(?:only|not|never|no|skip|except)\b`)

// relative are values of exits that are counted from the one before them, not from the entry.
var relative = lazy.Compile(`\blater$|\b(?:after that|after another|another|those|these)\b`)

// counted is an exit behind a further order that may be counted from it, or be of it alone.
func (d *doubt) counted(m *match) string {
	if m.pattern.field != "then" {
		return ""
	}
	of := d.of("exit.", m.from, len(d.f.text), func(s strategy.Span) bool {
		beside := !strings.ContainsAny(d.f.text[m.to:max(s.Start, m.to)], ".;\n") && stepped.MatchString(s.Text)
		whose := itsPrice.MatchString(s.Text) && spokenOf(d.s)
		each := eachOf.MatchString(d.f.text[s.Start:min(s.End+8, len(d.f.text))]) || strings.HasPrefix(d.clauseOf(&s), "each ")
		return whose || each || beside || d.lower(m, &s) || relative.MatchString(strings.ToLower(s.Text)) || thatOf.MatchString(d.clauseOf(&s))
	})
	if of == nil {
		return ""
	}
	return "from the entry on, or from what stands before it? say its price, such as \"the rest at 70c\", or \"sell 5 minutes after entry\""
}

// lower reports whether a price of what is left, behind a part that is sold at a gain, was read as a stop:
// "sell half at 10c profit, the rest at 20c".
func (d *doubt) lower(m *match, s *strategy.Span) bool {
	gains := m.said["x"] != "" || strings.Contains(m.said["conds"], "profit")
	price := s.Field == "exit.stop_loss" || s.Field == "exit.take_profit"
	return d.s.Exit.StopLoss != nil && gains && price && restOf.MatchString(d.f.text[min(m.to, s.End):s.End])
}

// itsPrice is an exit at a price of "it".
var itsPrice = lazy.Compile(`(?i)\b(?:if|when|once) it (?:falls|drops|dips|rises|climbs|goes|gets|is|hits|reaches)\b`)

// restOf is what is left at a price.
var restOf = lazy.Compile(`^[ ,.;]*(?:and |then )*(?:sell )?(?:the (?:rest|other half)|another (?:half|third|quarter)|a (?:half|third|quarter)) (?:at|@)`)

// eachOf is an exit of each of several purchases.
var eachOf = lazy.Compile(`\b(?:under|below|above|over|of|for) each\b`)

// stepped is a distance that may be one from the price before it: "5c more", not "40c or more".
var stepped = lazy.Compile(`(?i)(?:[^ r]|[^o]r) +(?:higher|lower|more)$`)

// thatOf is what is held, or what was bought last.
var thatOf = lazy.Compile(`\b(?:sell|exit|stop|target|dump|tp|sl)(?: for| on)? (?:that|those|these)\b`)

// ofEach are words of an amount for each of two tokens.
var ofEach = lazy.Compile(`(?i)\b(?:each|apiece|per side)\b`)

// ofOne is an amount for one of two bids.
var ofOne = lazy.Compile(`^ (?:on|for) (?:the )?(?:up|down)\b`)

// oneAmount is an amount that is said of one of two bids alone.
func (d *doubt) oneAmount() *Fault {
	switch {
	case kinds.Quotes(d.s):
		at := d.of("budget", 0, len(d.f.text), func(s strategy.Span) bool { return ofOne.MatchString(d.f.text[s.End:]) && d.rest[s.End] == ' ' })
		return faultAt(at, "how much on each? say \"$20 each\", or an amount behind both")
	case kinds.Matches(d.s):
		return faultAt(d.of("budget", 0, len(d.f.text), func(s strategy.Span) bool { return ofEach.MatchString(s.Text) }), "as many as of the other token, or for so much? give one")
	}
	return nil
}
