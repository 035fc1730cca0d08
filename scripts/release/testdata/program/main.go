// Command program is packed by tests in the place of the real one: a few modules, little else.
package main

import (
	"fmt"

	"github.com/google/go-containerregistry/pkg/v1/types"
)

func main() { fmt.Println(types.OCILayer) }
