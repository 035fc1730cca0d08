package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"text/template"
)

// formula is Homebrew's: it installs the program of an archive. Platforms that were not
// packed are left out.
var formula = template.Must(template.New("formula").Parse(`class Ladderback < Formula
  desc "{{.About}}"
  homepage "{{.Homepage}}"
  version "{{.Version}}"
  license "{{.Licence}}"
{{range $os := .Systems}}
  on_{{.Name}} do
{{- range .Archives}}
    on_{{.CPU}} do
      url "{{.URL}}"
      sha256 "{{.Sum}}"
    end
{{- end}}
  end
{{end}}
  def install
    bin.install "ladderback"
    man1.install Dir["share/man/man1/*.1"]
    doc.install Dir["docs/*"]
    generate_completions_from_executable(bin/"ladderback", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/ladderback version")
  end
end
`))

// archived is an archive as Homebrew is told of it.
type archived struct{ CPU, URL, Sum string }

// system is an operating system with its archives.
type system struct {
	Name     string
	Archives []archived
}

// homebrew writes the formula of the archives for macOS and Linux.
func (r *release) homebrew() error {
	sums, err := r.sums()
	if err != nil {
		return err
	}
	var systems []system
	for _, goos := range [][2]string{{"darwin", "macos"}, {"linux", "linux"}} {
		s := system{Name: goos[1]}
		for _, cpu := range [][2]string{{"arm64", "arm"}, {"amd64", "intel"}} {
			rest := goos[0] + "_" + cpu[0] + ".tar.gz"
			if sum := sums[filepath.Base(r.name(rest))]; sum != "" {
				s.Archives = append(s.Archives, archived{cpu[1], r.download(rest), sum})
			}
		}
		if s.Archives != nil {
			systems = append(systems, s)
		}
	}
	if systems == nil {
		return nil
	}
	var out bytes.Buffer
	err = formula.Execute(&out, map[string]any{
		"About": about, "Homepage": homepage, "Version": r.version, "Licence": licence, "Systems": systems,
	})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, "ladderback.rb"), out.Bytes(), 0o644)
}

// download is where an artefact will be found.
func (r *release) download(rest string) string {
	return r.url + "/" + filepath.Base(r.name(rest))
}

// bucket is Scoop's manifest, for Windows.
type bucket struct {
	Version      string            `json:"version"`
	Description  string            `json:"description"`
	Homepage     string            `json:"homepage"`
	License      string            `json:"license"`
	Architecture map[string]parcel `json:"architecture"`
	Bin          string            `json:"bin"`
}

// parcel is an archive as Scoop is told of it.
type parcel struct {
	URL    string `json:"url"`
	Hash   string `json:"hash"`
	Folder string `json:"extract_dir"`
}

// scoop writes the manifest of the archives for Windows.
func (r *release) scoop() error {
	sums, err := r.sums()
	if err != nil {
		return err
	}
	b := bucket{
		Version: r.version, Description: about, Homepage: homepage, License: licence, Bin: program("windows"),
		Architecture: map[string]parcel{},
	}
	for arch, name := range map[string]string{"amd64": "64bit", "arm64": "arm64"} {
		rest := "windows_" + arch
		if sum := sums[filepath.Base(r.name(rest+".zip"))]; sum != "" {
			b.Architecture[name] = parcel{r.download(rest + ".zip"), sum, filepath.Base(r.name(rest))}
		}
	}
	if len(b.Architecture) == 0 {
		return nil
	}
	text, err := json.MarshalIndent(b, "", "    ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, "ladderback.json"), append(text, '\n'), 0o644)
}
