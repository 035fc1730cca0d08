// Package meaning makes the canonical strategy of what a prompt's items say:
// which side is bought, what "it" and "the other side" are, parts of the round,
// whether a price to sell at is a target or a stop, corrections,
// contradictions, and two values for one field.
package meaning
