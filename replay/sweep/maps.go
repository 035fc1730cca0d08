package sweep

import "github.com/ladderback/ladderback/strategy"

// Map is a plane through the grid: one axis or two, with the others held at the
// values of the best variant.
type Map struct {
	// Down and Across are the axes of the rows and of the columns. Down is nil when
	// there is only one axis, and the map a single row.
	Down, Across *Axis
	// Held are the other axes, with one value each.
	Held []Axis
	// Rows hold the variants: a row for each value of Down, a column for each value
	// of Across; nil for an invalid combination.
	Rows [][]*Row
}

// maxMaps bounds the planes of a grid of many axes.
const maxMaps = 6

// Maps returns the planes of every two axes that have more than one value, the
// first axes first, at most six. They go through the best variant, or through the
// first if there is no best.
func (r *Report) Maps() []Map {
	var wide []int
	for i := range r.Axes {
		if len(r.Axes[i].Values) > 1 {
			wide = append(wide, i)
		}
	}
	switch len(wide) {
	case 0:
		return nil
	case 1:
		return []Map{r.plane(-1, wide[0])}
	}
	var out []Map
	for i, down := range wide {
		for _, across := range wide[i+1:] {
			if len(out) < maxMaps {
				out = append(out, r.plane(down, across))
			}
		}
	}
	return out
}

// plane cuts the grid along two axes; down −1: along one.
func (r *Report) plane(down, across int) Map {
	g := Grid{Axes: r.Axes}
	through := 0
	if r.Best != nil {
		for cell, number := range r.Cells {
			if number == r.Best.Number {
				through = cell
				break
			}
		}
	}
	at := g.place(through)
	m := Map{Across: &r.Axes[across]}
	for i := range r.Axes {
		if i != down && i != across {
			m.Held = append(m.Held, Axis{r.Axes[i].Field, []strategy.Number{r.Axes[i].Values[at[i]]}})
		}
	}
	rows := 1
	if down >= 0 {
		m.Down = &r.Axes[down]
		rows = len(m.Down.Values)
	}
	byNumber := r.ByNumber()
	for y := range rows {
		if down >= 0 {
			at[down] = y
		}
		var row []*Row
		for x := range m.Across.Values {
			at[across] = x
			row = append(row, byNumber[r.Cells[g.cellAt(at)]])
		}
		m.Rows = append(m.Rows, row)
	}
	return m
}
