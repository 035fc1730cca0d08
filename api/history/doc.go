// Package history answers the history routes of the API: their parameters, what a
// plan allows of them, pages of JSON, and the bulk forms, which stream a whole
// window. What is in a page package archive/history decides; here it is written.
package history
