package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"github.com/ladderback/ladderback/app"
	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/identity/accounts"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/report/listing"
	"github.com/ladderback/ladderback/report/usage"
)

// keysFlags are those of every keys command.
type keysFlags struct {
	archives *[]string
	access   string
	config   string
	show     showFlags
}

func (a *cli) keys() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "keys",
		Short:   "API keys: create, list, revoke",
		Long:    "Creates, lists and revokes API keys. A key is shown once, when it is created:\nonly its hash is kept.",
		Example: "  ladderback keys create --plan pro --name desk --archive real.db",
		Args:    subcommandOf,
		RunE:    a.begin(func(cmd *cobra.Command, _ []string) error { return cmd.Help() }),
	}
	cmd.AddCommand(a.keysCreate(), a.keysList(), a.keysRevoke())
	return cmd
}

// subcommandOf refuses what is no subcommand.
func subcommandOf(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s has no subcommand %q%s", cmd.CommandPath(), args[0], usage.Nearest(args[0], usage.Subcommands(cmd)))
	}
	return nil
}

func (f *keysFlags) add(a *cli, cmd *cobra.Command) {
	f.archives = a.archiveFlag(cmd.Flags())
	cmd.Flags().StringVar(&f.access, "access", "", "store of keys and limits: a file, or postgres://… (default beside the first archive)")
	cmd.Flags().StringVar(&f.config, "config", "", "configuration file (YAML)")
	f.show.add(cmd)
}

// withAccess runs use on the store of keys that the flags name, and closes it.
func (a *cli) withAccess(ctx context.Context, f *keysFlags, create bool, use func(store *identity.Store, s *app.Settings) error) (err error) {
	s, err := a.Settings(f.config)
	if err != nil {
		return err
	}
	if f.access == "" {
		f.access = s.Access
	}
	if err := a.ArchiveIsThere(ctx, f.access, *f.archives); err != nil {
		return err
	}
	addr, err := a.AccessAddress(ctx, f.access, *f.archives)
	if err != nil {
		return err
	}
	store, err := app.OpenAccess(ctx, addr, create)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	return use(store, s)
}

// withKeys runs use on the keys.
func (a *cli) withKeys(ctx context.Context, f *keysFlags, create bool, use func(keys *identity.Keys) error) error {
	return a.withAccess(ctx, f, create, func(store *identity.Store, s *app.Settings) error {
		return use(identity.NewKeys(store, s.PlansInEffect(), nil))
	})
}

func (a *cli) keysCreate() *cobra.Command {
	var f keysFlags
	var plan, organization, name, expires string
	var until market.Instant
	cmd := &cobra.Command{
		Use:   "create",
		Short: "Create a key and print it, once",
		Example: "  ladderback keys create --plan pro --organization acme --name desk --access keys.db\n" +
			"  ladderback keys create --name guest --expires 2027-01-01 --access keys.db",
		Args: a.args(&f.show, func(cmd *cobra.Command, args []string) error {
			s, err := a.Settings(f.config)
			if err != nil {
				return err
			}
			if _, err := s.PlansInEffect().Find(plan); err != nil {
				return usagef("--%s", err)
			}
			for flag, text := range map[string]*string{"organization": &organization, "name": &name} {
				if *text == "" {
					continue
				}
				if *text, err = accounts.CheckName(*text); err != nil {
					return usagef("--%s: %v", flag, err)
				}
			}
			if expires != "" {
				if until, err = market.ParseTime(expires); err != nil || until <= market.InstantOf(time.Now()) {
					return usagef("--expires %s: expected a time to come, such as 2030-01-31", expires)
				}
			}
			return noArgs(cmd, args)
		}),
		RunE: a.begin(func(cmd *cobra.Command, _ []string) error {
			return a.withKeys(cmd.Context(), &f, true, func(keys *identity.Keys) error {
				k, secret, err := keys.Create(cmd.Context(), plan, organization, name, until)
				if err != nil {
					return err
				}
				if a.json {
					a.printJSON(struct {
						Key string `json:"key"`
						listing.KeyRecord
					}{secret, listing.KeyOf(k)})
					return nil
				}
				a.say("Key %s on plan %s for %s. It is shown only once:", k.ID, k.Plan, k.Organization)
				fmt.Fprintln(a.out, secret)
				return nil
			})
		}),
	}
	f.add(a, cmd)
	cmd.Flags().StringVar(&plan, "plan", "starter", "starter, pro, scale, enterprise, or a configured plan")
	cmd.Flags().StringVar(&organization, "organization", "", "who the key is for (default local)")
	cmd.Flags().StringVar(&name, "name", "", "name to revoke it by")
	cmd.Flags().StringVar(&expires, "expires", "", "time from which it is refused, such as 2030-01-31 (default never)")
	return cmd
}

func (a *cli) keysList() *cobra.Command {
	var f keysFlags
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the keys, oldest first, with their last use; times are UTC",
		Example: "  ladderback keys list --archive real.db",
		Args:    a.args(&f.show, noArgs),
		RunE: a.begin(func(cmd *cobra.Command, _ []string) error {
			var keys []identity.Key
			err := a.withKeys(cmd.Context(), &f, false, func(all *identity.Keys) (err error) {
				keys, err = all.List(cmd.Context())
				return err
			})
			if errors.Is(err, identity.ErrNotInitialized) && (f.access == "" || !errors.Is(err, fs.ErrNotExist)) {
				err = nil // there is a place for keys, and none in it yet
			}
			if err != nil {
				return err
			}
			return a.answer(listing.KeysDocument(keys), func() { listing.Keys(a.out, keys) })
		}),
	}
	f.add(a, cmd)
	return cmd
}

func (a *cli) keysRevoke() *cobra.Command {
	var f keysFlags
	cmd := &cobra.Command{
		Use:     "revoke KEY",
		Short:   "Revoke a key by its id, its name, or the key itself",
		Long:    "Revokes a key by its id, its name, or the key itself. Servers refuse it within 5 seconds.",
		Example: "  ladderback keys revoke desk --archive real.db",
		Args:    a.args(&f.show, exactly(1, "expected one argument: the key's id, its name, or the key")),
		RunE: a.begin(func(cmd *cobra.Command, args []string) error {
			return a.withKeys(cmd.Context(), &f, false, func(keys *identity.Keys) error {
				k, err := keys.Revoke(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				return a.answer(listing.KeyOf(k), func() { fmt.Fprintf(a.out, "revoked %s at %s UTC\n", k.ID, listing.ToSecond(k.RevokedAt)) })
			})
		}),
	}
	f.add(a, cmd)
	return cmd
}
