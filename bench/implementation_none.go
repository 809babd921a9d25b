//go:build !amd64 && !arm64

package main

// implementation is empty where there is no proved code.
func implementation() string { return "" }
