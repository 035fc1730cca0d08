// Command release packs what scripts/release.sh has built: archives, packages of Debian and
// RPM, images, a formula of Homebrew, a manifest of Scoop, a bill of materials, provenance,
// and the checksums of all of them, signed where a key is given. The same binaries, commit,
// version and key give the same bytes.
//
//	release -version 0.1.0 -time 1790000000 -bin DIR -man DIR -root DIR -out DIR
//
// DIR of -bin has a folder for each platform, GOOS_GOARCH, with the binary. What is in DIR of
// -out already, such as Python wheels, is part of the release.
package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
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
	url     string // where the artefacts will be found
	builder string // who packs, as provenance names it
	notices []byte // licences of what is compiled in
}

func main() {
	var r release
	var seconds int64
	var key string
	flag.StringVar(&r.version, "version", "", "version, without v")
	flag.Int64Var(&seconds, "time", 0, "time of the files inside, in Unix seconds")
	flag.StringVar(&r.bin, "bin", "", "folder of the binaries")
	flag.StringVar(&r.root, "root", ".", "folder of the project")
	flag.StringVar(&r.man, "man", "", "folder of the manual pages")
	flag.StringVar(&r.out, "out", "dist", "folder to write to")
	flag.StringVar(&r.url, "url", "", "address below which the artefacts will be found (default: that of the project's releases)")
	flag.StringVar(&r.builder, "builder", homepage+"/blob/main/scripts/release.sh", "address that provenance names as the builder")
	flag.StringVar(&key, "key", "", "file of the key to sign with (P-256, PEM); empty: nothing is signed")
	flag.Parse()
	r.time = time.Unix(seconds, 0).UTC()
	r.url = cmp.Or(r.url, homepage+"/releases/download/v"+r.version)
	if err := r.make(key); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// make packs everything, and signs it where a key is given.
func (r *release) make(key string) error {
	if key == "" {
		return r.pack()
	}
	s, err := readSigner(key) // before the work
	if err != nil {
		return err
	}
	if err := r.pack(); err != nil {
		return err
	}
	return r.signAll(s)
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
	var done []string
	for _, p := range platforms {
		goos, arch, ok := strings.Cut(p.Name(), "_")
		if !ok {
			continue
		}
		last = r.binary(goos, arch)
		if err := r.archive(goos, arch); err != nil {
			return fmt.Errorf("%s: %w", p.Name(), err)
		}
		done = append(done, goos+"/"+arch)
		if goos == "linux" {
			if err := r.packages(arch); err != nil {
				return fmt.Errorf("packages of %s: %w", arch, err)
			}
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
	for _, write := range []func() error{r.homebrew, r.scoop, func() error { return r.provenance(last, done) }} {
		if err := write(); err != nil {
			return err
		}
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

// sums returns the SHA-256 of every artefact, by name.
func (r *release) sums() (map[string]string, error) {
	entries, err := os.ReadDir(r.out)
	if err != nil {
		return nil, err
	}
	sums := map[string]string{}
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		content, err := os.ReadFile(filepath.Join(r.out, e.Name()))
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(content)
		sums[e.Name()] = hex.EncodeToString(sum[:])
	}
	return sums, nil
}

// checksums writes SHA256SUMS, as sha256sum -c reads it.
func (r *release) checksums() error {
	sums, err := r.sums()
	if err != nil {
		return err
	}
	var lines string
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		lines += sums[name] + "  " + name + "\n"
	}
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), []byte(lines), 0o644)
}
