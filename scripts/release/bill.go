package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// billOfMaterials writes what a binary says it was built from as CycloneDX.
// Every platform is built from the same modules; what differs is Go's own.
func (r *release) billOfMaterials(binary string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	const ours = "pkg:golang/github.com/ladderback/ladderback"
	components := []cdx.Component{{
		Type: cdx.ComponentTypeLibrary, Name: "stdlib", Version: strings.TrimPrefix(info.GoVersion, "go"),
		BOMRef:     "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go"),
		PackageURL: "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go"),
	}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:"))
		if err != nil {
			return fmt.Errorf("%s: %w", m.Path, err)
		}
		purl := "pkg:golang/" + m.Path + "@" + m.Version
		components = append(components, cdx.Component{
			Type: cdx.ComponentTypeLibrary, Name: m.Path, Version: m.Version, BOMRef: purl, PackageURL: purl, Scope: cdx.ScopeRequired,
			Hashes: &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum)}},
		})
	}
	bom := cdx.NewBOM()
	bom.Components = &components
	bom.Metadata = &cdx.Metadata{
		Timestamp: r.time.Format(time.RFC3339),
		Component: &cdx.Component{
			Type: cdx.ComponentTypeApplication, Name: "ladderback", Version: r.version,
			BOMRef: ours + "@v" + r.version, PackageURL: ours + "@v" + r.version,
			Licenses: &cdx.Licenses{{License: &cdx.License{ID: "Apache-2.0"}}},
		},
	}
	said, err := json.Marshal(components)
	if err != nil {
		return err
	}
	id := sha256.Sum256(append(said, r.version...)) // a serial number that does not change with the day
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80 // version 8, a UUID of one's own making
	bom.SerialNumber = fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:16])
	var out bytes.Buffer
	if err := cdx.NewBOMEncoder(&out, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bom); err != nil {
		return err
	}
	return os.WriteFile(r.name("sbom.cdx.json"), out.Bytes(), 0o644)
}

// notices gathers the licences of every module that is compiled in, and of Go.
func notices(root string) ([]byte, error) {
	list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}", "./cmd/ladderback")
	list.Dir, list.Stderr = root, os.Stderr
	// For each platform other packages count; modules are added, never left out.
	var lines []string
	for _, goos := range []string{"linux", "darwin", "windows"} {
		cmd := *list
		cmd.Env = append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
		said, err := cmd.Output()
		if err != nil {
			return nil, err
		}
		lines = append(lines, strings.Split(strings.TrimSpace(string(said)), "\n")...)
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	lines = append(lines, "Go\t"+strings.TrimSpace(string(goroot)))
	slices.Sort(lines)
	var out bytes.Buffer
	for _, line := range slices.Compact(lines) {
		module, dir, ok := strings.Cut(line, "\t")
		if !ok {
			continue
		}
		found := 0
		for _, pattern := range []string{"LICEN[SC]E*", "LICENSES/*", "UNLICENSE*", "COPYING*", "NOTICE*"} {
			paths, err := filepath.Glob(filepath.Join(dir, pattern))
			if err != nil {
				return nil, err
			}
			for _, p := range paths {
				if about, err := os.Stat(p); err != nil {
					return nil, err
				} else if about.IsDir() {
					continue // LICENSES, a folder of them
				}
				content, err := os.ReadFile(p)
				if err != nil {
					return nil, err
				}
				found++
				fmt.Fprintf(&out, "== %s: %s\n\n%s\n\n", module, filepath.Base(p), bytes.TrimSpace(content))
			}
		}
		if found == 0 {
			return nil, fmt.Errorf("%s has no licence in %s", module, dir)
		}
	}
	return out.Bytes(), nil
}
