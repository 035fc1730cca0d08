// Prints the receipt of a backtest: receipt BASE KEY PROMPT
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"

	"github.com/ladderback/ladderback/client"
)

func main() {
	body, err := client.New(os.Args[1], os.Args[2]).Backtest(context.Background(), client.Request{Prompt: os.Args[3]}, nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(body.Report.Receipt); err != nil {
		log.Fatal(err)
	}
}
