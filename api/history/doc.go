// Package history serves the history routes of the API: their parameters, the
// limits of plans, pages of JSON, and the bulk formats, which stream a whole
// window. Package archive/history computes the pages; this one encodes them.
package history
