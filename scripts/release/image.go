package main

import (
	"bytes"
	"encoding/pem"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// nobody is the user that the server runs as in the image.
const nobody = 65532

// image is the image of one architecture.
type image struct {
	arch string
	v1.Image
}

// image makes the image of one architecture: the static binary, Mozilla's roots
// for a language model behind TLS, a folder for data, and nothing else.
func (r *release) image(arch string) (v1.Image, error) {
	binary, err := os.ReadFile(r.binary("linux", arch))
	if err != nil {
		return nil, err
	}
	var roots bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint != nil {
			continue // a file of certificates cannot say it
		}
		if err := pem.Encode(&roots, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			return nil, err
		}
	}
	user := strconv.Itoa(nobody)
	content, err := r.tar([]file{
		{"data/", 0o755, nil},
		{"tmp/", 0o1777, nil},
		{"etc/passwd", 0o644, []byte("ladderback:x:" + user + ":" + user + "::/data:/sbin/nologin\n")},
		{"etc/ssl/certs/ca-certificates.crt", 0o644, roots.Bytes()},
		{"licenses/THIRD_PARTY_LICENSES", 0o644, r.notices},
		{"ladderback", 0o755, binary},
	})
	if err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(content)), nil
	}, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	base := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	img, err := mutate.Append(base, mutate.Addendum{
		Layer: layer, MediaType: types.OCILayer,
		History: v1.History{Created: v1.Time{Time: r.time}, CreatedBy: "scripts/release.sh"},
	})
	if err != nil {
		return nil, err
	}
	config, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.Architecture, config.OS, config.Created = arch, "linux", v1.Time{Time: r.time}
	config.Config = v1.Config{
		User: user + ":" + user, WorkingDir: "/data",
		Entrypoint:   []string{"/ladderback"},
		Cmd:          []string{"serve"},
		ExposedPorts: map[string]struct{}{"8080/tcp": {}, "9090/tcp": {}},
		Volumes:      map[string]struct{}{"/data": {}},
		Env: []string{
			"LADDERBACK_ARCHIVE=/data/archive.db", "LADDERBACK_ACCESS=/data/keys.db",
			"LADDERBACK_ADDR=0.0.0.0:8080", "LADDERBACK_METRICS_ADDR=0.0.0.0:9090", "LADDERBACK_CACHE=/tmp",
		},
		Labels: map[string]string{
			"org.opencontainers.image.title": "ladderback", "org.opencontainers.image.version": r.version,
			"org.opencontainers.image.licenses": "Apache-2.0",
		},
	}
	return mutate.ConfigFile(img, config)
}

// writeImages writes one archive that `docker load` reads for each architecture,
// and one OCI layout of all.
func (r *release) writeImages(images []image) error {
	ref, err := name.NewTag("ladderback:" + r.version)
	if err != nil {
		return err
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, img := range images {
		if err := tarball.WriteToFile(r.name("image_linux_"+img.arch+".tar"), ref, img); err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add: img, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: img.arch}},
		})
	}
	if len(images) == 0 {
		return nil
	}
	folder, err := os.MkdirTemp("", "layout-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	at, err := layout.Write(folder, empty.Index)
	if err != nil {
		return err
	}
	if err := at.AppendIndex(index, layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": r.version})); err != nil {
		return err
	}
	var files []file
	for _, name := range []string{"oci-layout", "index.json", "blobs/sha256/*"} {
		paths, err := filepath.Glob(filepath.Join(folder, name)) // sorted
		if err != nil {
			return err
		}
		for _, p := range paths {
			content, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			inside, err := filepath.Rel(folder, p)
			if err != nil {
				return err
			}
			files = append(files, file{filepath.ToSlash(inside), 0o644, content})
		}
	}
	content, err := r.tar(files)
	if err != nil {
		return err
	}
	return os.WriteFile(r.name("image.oci.tar"), content, 0o644)
}
