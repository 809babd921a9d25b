// The benchmarks, with those that Verum is compared with. A module of its own, so that they are not what Verum depends on.
module verum.example/bench

go 1.26.8

require (
	filippo.io/nistec v0.0.4
	github.com/consensys/gnark-crypto v0.22.0
	verum.example v0.0.0
)

require (
	github.com/bits-and-blooms/bitset v1.25.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
)

replace verum.example => ../
