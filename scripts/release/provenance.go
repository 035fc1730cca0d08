package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"crypto/x509"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// statement says of every artefact what it was made of, and how: an in-toto statement with
// SLSA's provenance 1.
type statement struct {
	Type          string     `json:"_type"`
	Subject       []resource `json:"subject"`
	PredicateType string     `json:"predicateType"`
	Predicate     provenance `json:"predicate"`
}

type resource struct {
	Name   string            `json:"name,omitempty"`
	URI    string            `json:"uri,omitempty"`
	Digest map[string]string `json:"digest"`
}

type provenance struct {
	BuildDefinition struct {
		BuildType            string         `json:"buildType"`
		ExternalParameters   map[string]any `json:"externalParameters"`
		InternalParameters   map[string]any `json:"internalParameters"`
		ResolvedDependencies []resource     `json:"resolvedDependencies"`
	} `json:"buildDefinition"`
	RunDetails struct {
		Builder struct {
			ID string `json:"id"`
		} `json:"builder"`
	} `json:"runDetails"`
}

const (
	statementType  = "https://in-toto.io/Statement/v1"
	provenanceType = "https://slsa.dev/provenance/v1"
	bundleType     = "application/vnd.dev.sigstore.bundle.v0.3+json"
	payloadType    = "application/vnd.in-toto+json"
)

// provenance writes the statement about every artefact that is there. It holds no time and
// no machine: the same commit gives the same bytes.
func (r *release) provenance(binary string, platforms []string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	sums, err := r.sums()
	if err != nil {
		return err
	}
	s := statement{Type: statementType, PredicateType: provenanceType}
	for name, sum := range sums {
		s.Subject = append(s.Subject, resource{Name: name, Digest: map[string]string{"sha256": sum}})
	}
	slices.SortFunc(s.Subject, func(a, b resource) int { return strings.Compare(a.Name, b.Name) })
	d := &s.Predicate.BuildDefinition
	d.BuildType = homepage + "/blob/main/scripts/release.sh"
	d.ExternalParameters = map[string]any{"version": r.version, "platforms": platforms}
	d.InternalParameters = map[string]any{"go": info.GoVersion, "sourceDateEpoch": r.time.Unix(), "modified": settings["vcs.modified"] == "true"}
	d.ResolvedDependencies = []resource{}
	if commit := settings["vcs.revision"]; commit != "" {
		d.ResolvedDependencies = append(d.ResolvedDependencies, resource{URI: "git+" + homepage, Digest: map[string]string{"gitCommit": commit}})
	}
	s.Predicate.RunDetails.Builder.ID = r.builder
	return writeJSON(r.name("provenance.json"), s)
}

func writeJSON(path string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

// signer signs as Sigstore's bundles hold it, with a key of one's own.
type signer struct{ key *ecdsa.PrivateKey }

// readSigner reads a key on P-256 from a PEM file that has no password.
func readSigner(path string) (*signer, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("%s: no PEM in it", path)
	}
	key, err := x509.ParseECPrivateKey(block.Bytes)
	if err != nil {
		any, failed := x509.ParsePKCS8PrivateKey(block.Bytes)
		if failed != nil {
			return nil, fmt.Errorf("%s: expected a private key without a password: %w", path, failed)
		}
		key, _ = any.(*ecdsa.PrivateKey)
	}
	if key == nil || key.Curve != elliptic.P256() {
		return nil, fmt.Errorf("%s: expected a key on P-256", path)
	}
	return &signer{key}, nil
}

// sign signs a text. The same text and key give the same signature.
func (s *signer) sign(text []byte) ([]byte, error) {
	sum := sha256.Sum256(text)
	return s.key.Sign(nil, sum[:], crypto.SHA256)
}

// material names the key, as Sigstore's programs do.
func (s *signer) material() (map[string]any, error) {
	public, err := x509.MarshalPKIXPublicKey(&s.key.PublicKey)
	sum := sha256.Sum256(public)
	hint := base64.StdEncoding.EncodeToString(sum[:])
	return map[string]any{"publicKey": map[string]string{"hint": hint}}, err
}

// signAll signs SHA256SUMS, and with it every artefact, and the provenance.
func (r *release) signAll(s *signer) error {
	material, err := s.material()
	if err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(r.out, "SHA256SUMS"))
	if err != nil {
		return err
	}
	digest := sha256.Sum256(sums)
	signature, err := s.sign(sums)
	if err != nil {
		return err
	}
	said, err := os.ReadFile(r.name("provenance.json"))
	if err != nil {
		return err
	}
	// The envelope's own encoding: what is signed says how long and of what type it is.
	envelope, failed := s.sign(fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(payloadType), payloadType, len(said), said))
	return errors.Join(failed,
		writeJSON(filepath.Join(r.out, "SHA256SUMS.sigstore.json"), map[string]any{
			"mediaType": bundleType, "verificationMaterial": material,
			"messageSignature": map[string]any{
				"messageDigest": map[string]any{"algorithm": "SHA2_256", "digest": digest[:]}, "signature": signature,
			},
		}),
		writeJSON(r.name("provenance.sigstore.json"), map[string]any{
			"mediaType": bundleType, "verificationMaterial": material,
			"dsseEnvelope": map[string]any{
				"payload": said, "payloadType": payloadType, "signatures": []map[string]any{{"sig": envelope, "keyid": ""}},
			},
		}))
}
