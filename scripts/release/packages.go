package main

import (
	"bytes"
	"os"
	"path/filepath"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // packager
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm" // packager
)

// What packages say of the program.
const (
	about    = "Backtests in plain English over captured order books of Up or Down rounds"
	homepage = "https://github.com/ladderback/ladderback"
	licence  = "Apache-2.0"
)

// packages writes the deb and the rpm of one architecture of Linux: the program, its manual
// pages and its documents. They depend on nothing and run nothing when they are installed.
func (r *release) packages(arch string) error {
	notices := filepath.Join(r.man, "THIRD_PARTY_LICENSES")
	if err := os.WriteFile(notices, r.notices, 0o644); err != nil {
		return err
	}
	defer os.Remove(notices)
	const documents = "/usr/share/doc/ladderback/"
	contents := files.Contents{{Source: r.binary("linux", arch), Destination: "/usr/bin/ladderback", FileInfo: r.mode(0o755)}}
	add := func(source, destination string) {
		contents = append(contents, &files.Content{Source: source, Destination: destination, FileInfo: r.mode(0o644)})
	}
	add(filepath.Join(r.root, "LICENSE"), documents+"copyright")
	add(notices, documents+"THIRD_PARTY_LICENSES")
	err := r.walk(func(at, name string) error {
		add(at, documents+name)
		return nil
	})
	if err != nil {
		return err
	}
	pages, err := r.manuals()
	if err != nil {
		return err
	}
	for _, page := range pages {
		add(filepath.Join(r.man, filepath.Base(page.name)), "/usr/"+page.name)
	}
	for _, kind := range []string{"deb", "rpm"} {
		info := nfpm.WithDefaults(&nfpm.Info{
			Name: "ladderback", Arch: arch, Platform: "linux", Version: r.version, Release: "1",
			Section: "misc", Priority: "optional", Maintainer: "The Ladderback authors <" + homepage + ">",
			Description: about, Vendor: "Ladderback", Homepage: homepage, License: licence, MTime: r.time, DisableGlobbing: true,
			Overridables: nfpm.Overridables{Contents: contents, RPM: nfpm.RPM{BuildHost: "localhost", Summary: about}},
		})
		if err := nfpm.PrepareForPackager(info, kind); err != nil {
			return err
		}
		packager, err := nfpm.Get(kind)
		if err != nil {
			return err
		}
		var out bytes.Buffer
		if err := packager.Package(info, &out); err != nil {
			return err
		}
		if err := os.WriteFile(r.name("linux_"+arch+"."+kind), out.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) mode(m os.FileMode) *files.ContentFileInfo {
	return &files.ContentFileInfo{Mode: m, MTime: r.time}
}
