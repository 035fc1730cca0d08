// Package drawn draws archives that are small and nasty, strategies that exercise
// them, and options under which orders are filled and refused for every reason.
// Everything follows from rapid's draws: the same seed gives the same things. Only
// tests use it.
package drawn
