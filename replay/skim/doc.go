// Package skim answers, of a round whose tops are known, when what somebody watches can
// change next, so that nobody has to look at what was captured in between. It knows of no
// strategy and of no order: what is watched is a Watch, and where the tops do not tell, the
// captures do, from any instant on.
package skim
