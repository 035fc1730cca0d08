package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// meter says what a cost is counted in.
type meter struct {
	clock  bool // seconds by the clock
	server int  // process whose seconds, and those of the processes below it, count too; 0: none
}

// once runs f; its seconds are those of this process, of the programs that it ran, and of
// the server.
func (m meter) once(f func() error) (cost, error) {
	runtime.GC()
	begun, before := time.Now(), m.used()
	err := f()
	if m.clock {
		return cost{seconds: time.Since(begun).Seconds()}, err
	}
	return cost{seconds: max(m.used()-before, 1e-6)}, err
}

// used returns seconds of the processor so far.
func (m meter) used() float64 {
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var r syscall.Rusage
		_ = syscall.Getrusage(who, &r)
		sum += time.Duration(r.Utime.Nano() + r.Stime.Nano())
	}
	if m.server == 0 {
		return sum.Seconds()
	}
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%[1]d/task/%[1]d/children", m.server))
	out := sum.Seconds() + seconds(strconv.Itoa(m.server), 4)
	for _, pid := range strings.Fields(string(children)) { // of one thread each
		text, _ := os.ReadFile("/proc/" + pid + "/schedstat")
		ran, _, _ := strings.Cut(string(text), " ")
		n, _ := strconv.ParseInt(ran, 10, 64)
		out += time.Duration(n).Seconds()
	}
	return out
}

// seconds sums the first of the times of a process: in its own code, in the system's, and
// both of its children that have ended. 0: there is no such process.
func seconds(pid string, fields int) float64 {
	const ticks = 100 // a second, on every Linux that Go runs on
	stat, _ := os.ReadFile("/proc/" + pid + "/stat")
	_, rest, _ := strings.Cut(string(stat), ") ")
	all := strings.Fields(rest)
	sum := 0
	for i := 11; i < min(11+fields, len(all)); i++ {
		n, _ := strconv.Atoi(all[i])
		sum += n
	}
	return float64(sum) / ticks
}

// held returns the most bytes that a process has held.
func held(pid int) int64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(status)) {
		if text, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, _ := strconv.ParseInt(strings.Fields(text)[0], 10, 64)
			return n << 10
		}
	}
	return 0
}
