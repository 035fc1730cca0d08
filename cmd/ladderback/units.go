package main

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

// millis is a flag of milliseconds: a whole number, or a length of time with its
// unit, such as 250ms or 1.5s.
type millis int64

func (m *millis) String() string { return strconv.FormatInt(int64(*m), 10) }

// Type names the value in the help of a flag.
func (m *millis) Type() string { return "ms" }

var errMillis = errors.New("expected whole milliseconds, like 250, 250ms or 1s")

// Set reads a flag's value.
func (m *millis) Set(s string) error {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		*m = millis(n)
		return nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d%time.Millisecond != 0 {
		return errMillis
	}
	*m = millis(d / time.Millisecond)
	return nil
}

// parseUSD reads an amount: 0.05, $0.05 or 5c.
func parseUSD(s string) (market.Cash, error) {
	if cents, ok := strings.CutSuffix(s, "c"); ok {
		v, err := market.ParseDecimal(cents, 4)
		return market.Cash(v), err // 1e-4 of a cent is 1e-6 USD
	}
	return market.ParseCash(strings.TrimPrefix(s, "$"))
}

// parseShare reads a part of a whole: 0.9 or 90%.
func parseShare(s string) (replay.Share, error) {
	decimals := 6
	percent, ok := strings.CutSuffix(s, "%")
	if ok {
		s, decimals = percent, 4
	}
	v, err := market.ParseDecimal(s, decimals)
	if err == nil && (v < 0 || v > int64(replay.AllOfIt)) {
		err = strconv.ErrRange
	}
	return replay.Share(min(v, math.MaxInt32)), err
}
