// Command release packs what scripts/release.sh has built: an archive for each
// platform, images, a bill of materials and the checksums of all of them. The
// same binaries, commit and version give the same bytes.
//
//	release -version 0.1.0 -time 1790000000 -bin DIR -man DIR -root DIR -out DIR
//
// DIR of -bin has a folder for each platform, GOOS_GOARCH, with the binary.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// release is one release, being packed.
type release struct {
	version string
	time    time.Time // of everything inside
	bin     string    // where the binaries are
	root    string    // of the project
	man     string    // folder of the manual pages
	out     string
	notices []byte // licences of what is compiled in
}

func main() {
	var r release
	var seconds int64
	flag.StringVar(&r.version, "version", "", "version, without v")
	flag.Int64Var(&seconds, "time", 0, "time of the files inside, in Unix seconds")
	flag.StringVar(&r.bin, "bin", "", "folder of the binaries")
	flag.StringVar(&r.root, "root", ".", "folder of the project")
	flag.StringVar(&r.man, "man", "", "folder of the manual pages")
	flag.StringVar(&r.out, "out", "dist", "folder to write to")
	flag.Parse()
	r.time = time.Unix(seconds, 0).UTC()
	if err := r.pack(); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func (r *release) pack() error {
	platforms, err := os.ReadDir(r.bin)
	if err != nil {
		return err
	}
	if r.notices, err = notices(r.root); err != nil {
		return fmt.Errorf("licences: %w", err)
	}
	var images []image
	var last string
	for _, p := range platforms {
		goos, arch, ok := strings.Cut(p.Name(), "_")
		if !ok {
			continue
		}
		last = r.binary(goos, arch)
		if err := r.archive(goos, arch); err != nil {
			return fmt.Errorf("%s: %w", p.Name(), err)
		}
		if goos == "linux" {
			img, err := r.image(arch)
			if err != nil {
				return fmt.Errorf("image of %s: %w", arch, err)
			}
			images = append(images, image{arch, img})
		}
	}
	if last == "" {
		return fmt.Errorf("%s: no binaries there", r.bin)
	}
	if err := r.writeImages(images); err != nil {
		return fmt.Errorf("images: %w", err)
	}
	if err := r.billOfMaterials(last); err != nil {
		return fmt.Errorf("bill of materials: %w", err)
	}
	return r.checksums()
}

// binary returns where the binary of a platform is.
func (r *release) binary(goos, arch string) string {
	return filepath.Join(r.bin, goos+"_"+arch, program(goos))
}

func program(goos string) string {
	if goos == "windows" {
		return "ladderback.exe"
	}
	return "ladderback"
}

// name returns the path of an artefact.
func (r *release) name(rest string) string {
	return filepath.Join(r.out, "ladderback_"+r.version+"_"+rest)
}

// checksums writes SHA256SUMS, as sha256sum -c reads it.
func (r *release) checksums() error {
	entries, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var lines []string
	for _, e := range entries {
		if e.Name() == "SHA256SUMS" || e.IsDir() {
			continue
		}
		content, err := os.ReadFile(filepath.Join(r.out, e.Name()))
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		lines = append(lines, hex.EncodeToString(sum[:])+"  "+e.Name()+"\n")
	}
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), []byte(strings.Join(lines, "")), 0o644)
}
