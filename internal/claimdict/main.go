// Command claimdict trains the dictionary that documents of claims are compressed with
// (archive/store/claims.dict) on what archives in files hold. Another dictionary is another
// format: it takes another number, and archives that were made before are not read.
//
//	go run ./internal/claimdict OUT ARCHIVE…
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/klauspost/compress/dict"
	"github.com/klauspost/compress/zstd"

	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/archive/store"
)

// size is how long the dictionary may be, samples how many documents of an archive it is
// trained on.
const (
	size    = 4 << 10
	samples = 2000
)

func main() {
	if err := train(context.Background(), os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func train(ctx context.Context, out string, archives []string) error {
	var all [][]byte
	for _, path := range archives {
		docs, err := documents(ctx, path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		step := max(1, len(docs)/samples)
		for i := 0; i < len(docs); i += step {
			all = append(all, docs[i])
		}
	}
	text, err := dict.BuildZstdDict(all, dict.Options{MaxDictSize: size, HashBytes: 6, ZstdDictID: store.ClaimCoding, ZstdLevel: zstd.SpeedDefault})
	if err != nil {
		return err
	}
	return os.WriteFile(out, text, 0o644)
}

// documents returns what sources say of the markets of an archive.
func documents(ctx context.Context, path string) (docs [][]byte, err error) {
	s, err := sqlite.OpenReadOnly(ctx, path)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	err = s.View(ctx, func(r store.Reader) error {
		rows, err := r.Markets(ctx, store.MarketQuery{Unlisted: true})
		if err != nil {
			return err
		}
		var owners []store.ID
		for i := range rows {
			owners = append(owners, rows[i].Owners...)
		}
		claims, err := r.Claims(ctx, store.MarketClaim, owners)
		if err != nil {
			return err
		}
		for i := range claims {
			doc, err := store.PlainDoc(claims[i].Doc)
			if err != nil {
				return err
			}
			docs = append(docs, doc)
		}
		return nil
	})
	return docs, err
}
