package archive

import (
	"slices"
	"sync"
	"weak"

	"github.com/ladderback/ladderback/archive/scan"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// listed finds the rows of rounds that were listed, for as long as somebody holds the
// market of one of them.
type listed struct {
	lock sync.Mutex
	all  []weak.Pointer[scan.Listed]
}

// add takes in rows as of a write.
func (l *listed) add(write int64, rows []store.MarketRow) {
	if len(rows) == 0 {
		return
	}
	one := &scan.Listed{Write: write, Rows: make(map[*market.Market]*store.MarketRow, len(rows))}
	for i := range rows {
		one.Rows[&rows[i].Market] = &rows[i]
	}
	rows[0].Keeps = one // a pointer to any of the rows keeps all of them
	l.lock.Lock()
	defer l.lock.Unlock()
	l.all = slices.DeleteFunc(l.all, func(w weak.Pointer[scan.Listed]) bool { return w.Value() == nil })
	l.all = append(l.all, weak.Make(one))
}

// of returns the rows among which those of the markets are; nil: nobody knows.
func (l *listed) of(markets []*market.Market) *scan.Listed {
	if len(markets) == 0 {
		return nil
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	for _, w := range l.all {
		if one := w.Value(); one != nil && one.Rows[markets[0]] != nil {
			return one
		}
	}
	return nil
}
