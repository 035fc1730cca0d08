package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// made is the key of these tests, one for all of them.
var made = sync.OnceValues(func() ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	text, err := x509.MarshalPKCS8PrivateKey(key)
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: text}), err
})

// signingKey returns the file of the key.
func signingKey(t *testing.T) string {
	t.Helper()
	text, err := made()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(root, "key.pem")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// temp returns a folder for all tests.
func temp(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(root, "")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// root is removed when all tests have ended.
var root string

func TestMain(m *testing.M) {
	var err error
	if root, err = os.MkdirTemp("", "release-"); err != nil {
		panic(err)
	}
	status := m.Run()
	if err := os.RemoveAll(root); err != nil {
		panic(err)
	}
	os.Exit(status)
}

// small is a program in the place of the real one.
var small = sync.OnceValues(func() ([]byte, error) {
	name := filepath.Join(root, "program")
	build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", name, "./testdata/program")
	if said, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, said)
	}
	return os.ReadFile(name)
})

// packTest packs the small program.
func packTest(t *testing.T) string {
	t.Helper()
	self, err := small()
	if err != nil {
		t.Fatal(err)
	}
	r := &release{
		version: "1.2.3", time: time.Unix(1_790_000_000, 0).UTC(), bin: temp(t), root: "../..", man: temp(t), out: temp(t),
		url: "https://example.com/v1.2.3", builder: "https://example.com/builder",
	}
	if err := os.WriteFile(filepath.Join(r.out, "ladderback-1.2.3-py3-none-any.whl"), []byte("a wheel"), 0o644); err != nil {
		t.Fatal(err)
	}
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
	if err := r.make(signingKey(t)); err != nil {
		t.Fatal(err)
	}
	return r.out
}

// first packs once for all tests.
var first struct {
	sync.Once
	dir string
}

// firstPack returns a folder with a release, which is not to be changed.
func firstPack(t *testing.T) string {
	t.Helper()
	first.Do(func() { first.dir = packTest(t) })
	return first.dir
}

// TestPack packs twice: whole archives, and the same bytes.
func TestPack(t *testing.T) {
	a, b := firstPack(t), packTest(t)
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
	if len(entries) != 18 {
		t.Fatalf("%d artefacts: %v", len(entries), entries)
	}
	for _, e := range entries {
		if !bytes.Equal(read(a, e.Name()), read(b, e.Name())) {
			t.Errorf("%s: other bytes the second time", e.Name())
		}
		if e.Name() != "SHA256SUMS" && !strings.HasSuffix(e.Name(), ".sigstore.json") && !strings.Contains(string(read(a, "SHA256SUMS")), "  "+e.Name()+"\n") {
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
		t.Error("a module that the program is built from is not in the bill")
	}
}

// TestSigned: the signatures are of the key, over the checksums and over the provenance, which
// names every artefact with its checksum.
func TestSigned(t *testing.T) {
	dir := firstPack(t)
	s, err := readSigner(signingKey(t))
	if err != nil {
		t.Fatal(err)
	}
	valid := func(text, signature []byte) bool {
		sum := sha256.Sum256(text)
		return ecdsa.VerifyASN1(&s.key.PublicKey, sum[:], signature)
	}
	read := func(name string, into any) []byte {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil && into != nil {
			err = json.Unmarshal(content, into)
		}
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	var bundle struct {
		MessageSignature struct{ Signature []byte }
		DSSEEnvelope     struct {
			Payload    []byte
			Signatures []struct{ Sig []byte }
		}
	}
	read("SHA256SUMS.sigstore.json", &bundle)
	sums := read("SHA256SUMS", nil)
	if !valid(sums, bundle.MessageSignature.Signature) || valid(append(sums, '\n'), bundle.MessageSignature.Signature) {
		t.Error("the signature of SHA256SUMS is not its own")
	}
	var said statement
	plain := read("ladderback_1.2.3_provenance.json", &said)
	read("ladderback_1.2.3_provenance.sigstore.json", &bundle)
	signed := "DSSEv1 28 application/vnd.in-toto+json " + strconv.Itoa(len(plain)) + " " + string(plain)
	if !bytes.Equal(bundle.DSSEEnvelope.Payload, plain) || !valid([]byte(signed), bundle.DSSEEnvelope.Signatures[0].Sig) {
		t.Error("the signature of the provenance is not its own")
	}
	if len(said.Subject) != 14 {
		t.Errorf("provenance of %d artefacts", len(said.Subject))
	}
	for _, one := range said.Subject {
		if !strings.Contains(string(sums), one.Digest["sha256"]+"  "+one.Name+"\n") {
			t.Errorf("%s has another checksum in the provenance", one.Name)
		}
	}
	for name, want := range map[string]string{"nobody.pem": "no such file", "release_test.go": "no PEM in it"} {
		if _, err := readSigner(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTaps: what Homebrew and Scoop are told are the archives of the release.
func TestTaps(t *testing.T) {
	dir := firstPack(t)
	sum := func(name string) string {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(content)
		return hex.EncodeToString(sum[:])
	}
	formula, err := os.ReadFile(filepath.Join(dir, "ladderback.rb"))
	if err != nil {
		t.Fatal(err)
	}
	want := "      url \"https://example.com/v1.2.3/ladderback_1.2.3_linux_arm64.tar.gz\"\n      sha256 \"" + sum("ladderback_1.2.3_linux_arm64.tar.gz") + "\"\n"
	if !strings.Contains(string(formula), want) || strings.Contains(string(formula), "on_macos") {
		t.Errorf("%s", formula)
	}
	text, err := os.ReadFile(filepath.Join(dir, "ladderback.json"))
	if err != nil {
		t.Fatal(err)
	}
	var manifest bucket
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	got := manifest.Architecture["64bit"]
	if got != (parcel{"https://example.com/v1.2.3/ladderback_1.2.3_windows_amd64.zip", sum("ladderback_1.2.3_windows_amd64.zip"), "ladderback_1.2.3_windows_amd64"}) || len(manifest.Architecture) != 1 {
		t.Errorf("%s", text)
	}
}
