package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/ladderback/ladderback/app"
	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/identity/accounts"
	"github.com/ladderback/ladderback/identity/mail"
	"github.com/ladderback/ladderback/report/listing"
)

func (a *cli) accounts() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "accounts",
		Short:   "Organizations and accounts: list, plan, disable, enable",
		Long:    "Lists the organizations of the people who registered at a server, sets their plans,\nand shuts accounts out. Servers follow within 5 seconds.",
		Example: "  ladderback accounts plan o_0123456789abcdef0123 pro --access keys.db",
		Args:    subcommandOf,
		RunE:    a.begin(func(cmd *cobra.Command, _ []string) error { return cmd.Help() }),
	}
	cmd.AddCommand(a.accountsList(), a.accountsPlan(),
		a.accountsDisable("disable", "disabled", "Shut an account out: sessions end, keys stay", true),
		a.accountsDisable("enable", "enabled", "Let an account in again", false))
	return cmd
}

// withAccounts runs use on the accounts.
func (a *cli) withAccounts(ctx context.Context, f *keysFlags, use func(s *accounts.Service) error) error {
	return a.withAccess(ctx, f, false, func(store *identity.Store, s *app.Settings) error {
		plans := s.PlansInEffect()
		first := app.PlansInOrder(plans)[0].ID() // nobody registers here
		service, err := accounts.New(accounts.Config{Store: store, Plans: plans, Plan: first, Mail: mail.NewLog(io.Discard)}, identity.NewMeter(store, nil))
		if err != nil {
			return err
		}
		return use(service)
	})
}

func (a *cli) accountsList() *cobra.Command {
	var f keysFlags
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the organizations, oldest first; times are UTC",
		Example: "  ladderback accounts list --access keys.db",
		Args:    a.args(&f.show, noArgs),
		RunE: a.begin(func(cmd *cobra.Command, _ []string) error {
			return a.withAccounts(cmd.Context(), &f, func(s *accounts.Service) error {
				list, err := s.All(cmd.Context())
				if err != nil {
					return err
				}
				return a.answer(listing.OrganizationsDocument(list), func() { listing.Organizations(a.out, list) })
			})
		}),
	}
	f.add(a, cmd)
	return cmd
}

func (a *cli) accountsPlan() *cobra.Command {
	var f keysFlags
	cmd := &cobra.Command{
		Use:     "plan ORGANIZATION PLAN",
		Short:   "Put an organization, by its id or name, on a plan",
		Example: "  ladderback accounts plan o_0123456789abcdef0123 pro --access keys.db",
		Args: a.args(&f.show, func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usagef("expected two arguments: the organization's id or name, and the plan")
			}
			s, err := a.Settings(f.config)
			if err != nil {
				return err
			}
			if _, err := s.PlansInEffect().Find(args[1]); err != nil {
				return usagef("%s", err)
			}
			return nil
		}),
		RunE: a.begin(func(cmd *cobra.Command, args []string) error {
			return a.withAccounts(cmd.Context(), &f, func(s *accounts.Service) error {
				o, err := s.SetPlan(cmd.Context(), args[0], args[1])
				if err != nil {
					return err
				}
				return a.answer(map[string]string{"id": o.ID, "name": o.Name, "plan": o.Plan}, func() {
					fmt.Fprintf(a.out, "%s (%s) is on plan %s\n", o.ID, o.Name, o.Plan)
				})
			})
		}),
	}
	f.add(a, cmd)
	return cmd
}

// accountsDisable is one of the two commands that shut an account out and let it in.
func (a *cli) accountsDisable(verb, done, short string, out bool) *cobra.Command {
	var f keysFlags
	cmd := &cobra.Command{
		Use:     verb + " ADDRESS",
		Short:   short,
		Example: "  ladderback accounts " + verb + " ada@example.com --access keys.db",
		Args:    a.args(&f.show, exactly(1, "expected one argument: the account's email address")),
		RunE: a.begin(func(cmd *cobra.Command, args []string) error {
			return a.withAccounts(cmd.Context(), &f, func(s *accounts.Service) error {
				address, err := s.Disable(cmd.Context(), args[0], out)
				if err != nil {
					return err
				}
				return a.answer(map[string]any{"address": address, "disabled": out}, func() { fmt.Fprintf(a.out, "%s is %s\n", address, done) })
			})
		}),
	}
	f.add(a, cmd)
	return cmd
}
