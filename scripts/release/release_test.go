package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// packTest packs this test's own binary as if it were the program's.
func packTest(t *testing.T) string {
	t.Helper()
	self, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	r := &release{version: "1.2.3", time: time.Unix(1_790_000_000, 0).UTC(), bin: t.TempDir(), root: "../..", man: t.TempDir(), out: t.TempDir()}
	if err := os.WriteFile(filepath.Join(r.man, "ladderback.1"), []byte(".TH LADDERBACK 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for platform, name := range map[string]string{"linux_amd64": "ladderback", "linux_arm64": "ladderback", "windows_amd64": "ladderback.exe"} {
		if err := os.Mkdir(filepath.Join(r.bin, platform), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(r.bin, platform, name), self, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.pack(); err != nil {
		t.Fatal(err)
	}
	return r.out
}

// TestPack packs twice: whole archives, and the same bytes.
func TestPack(t *testing.T) {
	a, b := packTest(t), packTest(t)
	entries, err := os.ReadDir(a)
	if err != nil {
		t.Fatal(err)
	}
	read := func(dir, name string) []byte {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	if len(entries) != 8 {
		t.Fatalf("%d artefacts: %v", len(entries), entries)
	}
	for _, e := range entries {
		if !bytes.Equal(read(a, e.Name()), read(b, e.Name())) {
			t.Errorf("%s: other bytes the second time", e.Name())
		}
		if e.Name() != "SHA256SUMS" && !strings.Contains(string(read(a, "SHA256SUMS")), "  "+e.Name()+"\n") {
			t.Errorf("%s has no checksum", e.Name())
		}
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(read(a, "ladderback_1.2.3_linux_amd64.tar.gz")))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for in := tar.NewReader(unzipped); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, strings.TrimPrefix(h.Name, "ladderback_1.2.3_linux_amd64/"))
	}
	all := strings.Join(names, "\n") + "\n"
	for _, want := range []string{"ladderback", "LICENSE", "THIRD_PARTY_LICENSES", "docs/api.md", "examples/ladderback.yaml", "share/man/man1/ladderback.1"} {
		if !strings.Contains("\n"+all, "\n"+want+"\n") {
			t.Errorf("no %s in %s", want, all)
		}
	}
	zipped := read(a, "ladderback_1.2.3_windows_amd64.zip")
	z, err := zip.NewReader(bytes.NewReader(zipped), int64(len(zipped)))
	if err != nil || z.File[0].Name != "ladderback_1.2.3_windows_amd64/ladderback.exe" {
		t.Errorf("zip: %v", err)
	}

	img, err := tarball.ImageFromPath(filepath.Join(a, "ladderback_1.2.3_image_linux_arm64.tar"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Image(img); err != nil {
		t.Error(err)
	}
	config, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if config.Architecture != "arm64" || config.Config.User != "65532:65532" {
		t.Errorf("%+v", config)
	}

	var bom cdx.BOM
	content := bytes.NewReader(read(a, "ladderback_1.2.3_sbom.cdx.json"))
	if err := cdx.NewBOMDecoder(content, cdx.BOMFileFormatJSON).Decode(&bom); err != nil {
		t.Fatal(err)
	}
	found := false
	for _, c := range *bom.Components {
		found = found || c.Name == "github.com/google/go-containerregistry" && strings.HasPrefix(c.Version, "v")
	}
	if !found {
		t.Error("the module that this test is built from is not in the bill")
	}
}
