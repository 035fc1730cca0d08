package page

// Thin is the thinning of lines.
func Thin(xs, ys []float64) (tx, ty []float64) {
	ps := make([]point, len(xs))
	for i := range xs {
		ps[i] = point{xs[i], ys[i]}
	}
	for _, p := range thin(ps, 2000) {
		tx, ty = append(tx, p.x), append(ty, p.y)
	}
	return tx, ty
}
