package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// table is text in columns.
type table struct {
	head  []string
	right string // for each column '<' or '>': how it is adjusted
	rows  [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// write writes the table for a terminal.
func (t *table) write(w io.Writer) {
	width := make([]int, len(t.head))
	for _, r := range append([][]string{t.head}, t.rows...) {
		for i, c := range r {
			width[i] = max(width[i], utf8.RuneCountInString(c))
		}
	}
	line := func(r []string) {
		var b strings.Builder
		for i, c := range r {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(c))
			if t.right[i] == '>' {
				c = pad + c
			} else {
				c += pad
			}
			b.WriteString(c + "  ")
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
	line(t.head)
	for _, r := range t.rows {
		line(r)
	}
}

// markdown writes the table for a README.
func (t *table) markdown(w io.Writer) {
	row := func(r []string) { fmt.Fprintf(w, "| %s |\n", strings.Join(r, " | ")) }
	row(t.head)
	var rule []string
	for i := range t.head {
		rule = append(rule, map[byte]string{'<': "---", '>': "--:"}[t.right[i]])
	}
	row(rule)
	for _, r := range t.rows {
		row(r)
	}
}

// count is a number and a noun, which gets an s unless the number is 1.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
