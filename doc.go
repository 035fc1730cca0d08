// Package ladderback is the root of the module. It holds no code: the command
// is cmd/ladderback, and the test beside this file holds which package may
// import which.
package ladderback
