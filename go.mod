module verum.example

go 1.26
