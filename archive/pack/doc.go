// Package pack keeps closed blocks outside the database: many of them behind one
// another in an object, a pack, in a folder or in a bucket that speaks S3. The
// database keeps a block's row, which says in which pack its bytes are.
//
// A pack is written first, and read back; then, in one transaction, the rows of its
// blocks name it and give up their bytes. A crash leaves at most an object that no
// row names, which Sweep removes a day later.
package pack
