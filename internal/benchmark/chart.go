package benchmark

import (
	"cmp"
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
)

// Geometry of a chart, in pixels.
const (
	chartWidth = 760
	barsLeft   = 210 // where bars begin
	barsWidth  = 400 // of the longest bar
	barsTop    = 62  // of the first bar
	barHeight  = 20
	barStep    = 28
	barsBottom = 64 // below the last bar
)

// Chart draws the times of an operation as an SVG picture: a bar for each contender, fastest first, as long as its
// least time, with a tick at the median. It depends on the report alone.
func Chart(r *Report, operation string) string {
	rs := r.Of(operation)
	slices.SortStableFunc(rs, func(a, b Result) int { return cmp.Compare(a.Min, b.Min) })
	ref, hasRef := r.Result(operation, Reference)
	longest := 0.0
	for _, x := range rs {
		longest = max(longest, x.Min)
	}
	limit := niceCeil(longest)
	height := barsTop + barStep*len(rs) + barsBottom
	x := func(ns float64) string { return number(barsLeft + barsWidth*ns/limit) }

	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	text := func(class string, x string, y int, s string) {
		line(`<text class="%s" x="%s" y="%d">%s</text>`, class, x, y, html.EscapeString(s))
	}
	line(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img">`, chartWidth, height, chartWidth, height)
	line(`<title>%s</title>`, html.EscapeString(operation+": least time of each contender"))
	line(`<style>`)
	line(`text { font: 13px system-ui, sans-serif; fill: #1f2328 } .head { font-size: 16px; font-weight: 600 } .small { font-size: 11px; fill: #59636e }`)
	line(`.name { text-anchor: end } .axis { font-size: 11px; fill: #59636e; text-anchor: middle } .own { font-weight: 600 }`)
	line(`rect.page { fill: #ffffff } rect.bar { fill: #8c959f } rect.own { fill: #0969da } line { stroke: #d1d9e0 } line.median { stroke: #1f2328; stroke-width: 2 }`)
	line(`</style>`)
	line(`<rect class="page" width="%d" height="%d"/>`, chartWidth, height)
	text("head", "16", 26, operation)
	text("small", "16", 44, fmt.Sprintf("µs, least of %d interleaved samples; tick: median; ×: of the standard library's time", r.Samples))
	bottom := barsTop + barStep*len(rs)
	for i := range 5 {
		at := limit * float64(i) / 4
		line(`<line x1="%s" y1="%d" x2="%s" y2="%d"/>`, x(at), barsTop-6, x(at), bottom)
		text("axis", x(at), bottom+14, number(at/1000))
	}
	for i, v := range rs {
		top := barsTop + barStep*i
		class, label := "bar", v.Peer
		if v.Peer == Own {
			class = "bar own"
		}
		if r.Peer(v.Peer).Note != "" {
			label += " *"
		}
		text("name"+strings.TrimPrefix(class, "bar"), fmt.Sprint(barsLeft-10), top+15, label)
		line(`<rect class="%s" x="%d" y="%d" width="%s" height="%d" rx="2"/>`, class, barsLeft, top, number(barsWidth*v.Min/limit), barHeight)
		if v.Median <= limit {
			line(`<line class="median" x1="%s" y1="%d" x2="%s" y2="%d"/>`, x(v.Median), top-2, x(v.Median), top+barHeight+2)
		}
		figure := Micros(v.Min)
		if hasRef {
			figure += fmt.Sprintf("  (%.2f×)", v.Min/ref.Min)
		}
		end := v.Min
		if v.Median <= limit {
			end = v.Median
		}
		text("figure"+strings.TrimPrefix(class, "bar"), number(barsLeft+barsWidth*end/limit+8), top+15, figure)
	}
	text("small", "16", bottom+36, strings.Join(parts(r.CPU, r.Arch, r.Go, r.Implementation), ", "))
	var notes []string
	for _, v := range slices.SortedFunc(slices.Values(rs), func(a, b Result) int { return cmp.Compare(a.Peer, b.Peer) }) {
		if p := r.Peer(v.Peer); p.Note != "" {
			notes = append(notes, p.Name+": "+p.Note)
		}
	}
	if len(notes) > 0 {
		text("small", "16", bottom+52, "* "+strings.Join(notes, "; "))
	}
	line(`</svg>`)
	return b.String()
}

// parts are those strings that are not empty.
func parts(ss ...string) []string {
	return slices.DeleteFunc(ss, func(s string) bool { return s == "" })
}

// Micros is a time in microseconds, in three or more digits.
func Micros(ns float64) string {
	us := ns / 1000
	switch {
	case us < 10:
		return fmt.Sprintf("%.2f", us)
	case us < 100:
		return fmt.Sprintf("%.1f", us)
	}
	return fmt.Sprintf("%.0f", us)
}

// number is x with at most two digits after the point.
func number(x float64) string {
	s := fmt.Sprintf("%.2f", x)
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}

// niceCeil is the least of 1, 2, 4, 6, 8 times a power of ten that is at least x > 0: quarters of it are short numbers.
func niceCeil(x float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(x)))
	for _, k := range []float64{1, 2, 4, 6, 8} {
		if k*unit >= x {
			return k * unit
		}
	}
	return 10 * unit
}
