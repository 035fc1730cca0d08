// Package usage writes how a command is used: its help, its manual page, what is wrong
// with its flags and which name was probably meant. It knows the commands' library and
// nothing of what the commands do.
package usage
