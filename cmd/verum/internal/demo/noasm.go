//go:build !amd64 && !arm64

package main

func implementation() string { return "" }
