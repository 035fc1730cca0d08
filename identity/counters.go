package identity

// counters count in memory how much of its windows each key has used. They are
// not safe for concurrent use.
type counters map[string]*Usage

// at returns the counters of a key in the windows w: a window that is over begins
// at zero, and time never goes backwards.
func (c counters) at(keyID string, w Windows) *Usage {
	u := c[keyID]
	if u == nil {
		u = &Usage{}
		c[keyID] = u
	}
	u.move(w)
	return u
}

// move begins the windows of w that are newer than those counted in.
func (u *Usage) move(w Windows) {
	if w.Minute > u.Minute {
		u.Minute, u.InMinute = w.Minute, 0
	}
	if w.Day > u.Day {
		u.Day, u.InDay, u.Bulk = w.Day, 0, 0
	}
}

// count counts a request; one over the minute's limit is not counted in the day.
func (u *Usage) count(perMinute int) {
	u.InMinute++
	if perMinute <= 0 || u.InMinute <= perMinute {
		u.InDay++
	}
}

// countBulk counts bulk points if the day then has at most most.
func (u *Usage) countBulk(points, limit int64) bool {
	if u.Bulk+points > limit {
		return false
	}
	u.Bulk += points
	return true
}

// returnBulk gives back bulk points that were counted on that day.
func (u *Usage) returnBulk(day, points int64) {
	if u.Day == day {
		u.Bulk -= points
	}
}
