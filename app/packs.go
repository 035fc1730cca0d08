package app

import (
	"path/filepath"

	"github.com/ladderback/ladderback/archive/pack"
)

// Packs returns the packs of the archive at an address.
func (a *App) Packs(target string) *pack.Packs {
	base := ""
	if !IsPostgres(target) {
		base = filepath.Dir(target)
	}
	return pack.New(base, func() (pack.Config, error) {
		s := a.Packing
		if s == nil {
			read, err := a.Settings("")
			if err != nil {
				return pack.Config{}, err
			}
			s = &read.Packs
		}
		c := pack.Config{AccessKey: s.AccessKey, SecretKey: s.SecretKey, Cache: s.Cache, CacheBytes: int64(s.CacheMB) << 20}
		if s.Cache != "" || s.CacheMB == 0 {
			return c, nil
		}
		dir, err := a.CacheDir()
		c.Cache = filepath.Join(dir, "packs")
		return c, err
	})
}
