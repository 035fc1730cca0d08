// Package tops is the room of the top of book: what is kept of a round beside its captures,
// so that a replay needs to read its ladders only where they matter. A Recorder derives the
// tops from captures, Encode lays them out as bytes (archive/block/FORMAT.md, Tops), Open
// and Reader read them.
package tops
