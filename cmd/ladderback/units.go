package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

// milliseconds is a flag of whole milliseconds, given as a plain number or as a
// duration with its unit: 250, 250ms, 1.5s.
type milliseconds int64

func (m *milliseconds) String() string {
	if m == nil {
		return "0"
	}
	return strconv.FormatInt(int64(*m), 10)
}

// Type is what help calls the value.
func (*milliseconds) Type() string { return "time" }

func (m *milliseconds) Set(text string) error {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		*m = milliseconds(n)
		return nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d%time.Millisecond != 0 {
		return errors.New("expected whole milliseconds, or a time with its unit, like 250ms or 2s")
	}
	*m = milliseconds(d / time.Millisecond)
	return nil
}

// dollars reads US dollars as people type them: 0.05, $0.05, 5c.
func dollars(text string) (market.Cash, error) {
	cents, isCents := strings.CutSuffix(text, "c")
	if !isCents {
		return market.ParseCash(strings.TrimPrefix(text, "$"))
	}
	c, err := market.ParseCash(cents)
	if err != nil || c%100 != 0 {
		return 0, fmt.Errorf("%q is not a number of cents", text)
	}
	return c / 100, nil
}

// parseShare reads a part of a whole: 0.9 or 90%.
func parseShare(text string) (replay.Share, error) {
	decimals := 6
	percent, ok := strings.CutSuffix(text, "%")
	if ok {
		text, decimals = percent, 4
	}
	v, err := market.ParseDecimal(text, decimals)
	if err == nil && (v < 0 || v > int64(replay.AllOfIt)) {
		err = strconv.ErrRange
	}
	return replay.Share(v), err
}
