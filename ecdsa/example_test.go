package ecdsa_test

import (
	"crypto"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"time"

	"verum.example/ecdsa"
)

// A message is signed and verified.
func Example() {
	key, err := ecdsa.GenerateKey(ecdsa.P256(), nil)
	if err != nil {
		log.Fatal(err)
	}
	digest := sha256.Sum256([]byte("hello"))
	sig, err := ecdsa.SignASN1(rand.Reader, key, digest[:])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ecdsa.VerifyASN1(key.PublicKey(), digest[:], sig))
	// Output: true
}

// With a nil reader the signature is the same each time.
func ExamplePrivateKey_SignMessage() {
	key, err := ecdsa.GenerateKey(ecdsa.P256(), nil)
	if err != nil {
		log.Fatal(err)
	}
	one, err := key.SignMessage(nil, []byte("hello"), crypto.SHA256)
	if err != nil {
		log.Fatal(err)
	}
	two, err := key.SignMessage(nil, []byte("hello"), crypto.SHA256)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(one) == string(two))
	// Output: true
}

// A certificate is signed by Verum, and a TLS 1.3 server authenticates itself with it.
func ExamplePrivateKey_StdSigner() {
	key, err := ecdsa.GenerateKey(ecdsa.P256(), nil)
	if err != nil {
		log.Fatal(err)
	}
	signer, err := key.StdSigner()
	if err != nil {
		log.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "verum"},
		DNSNames:              []string{"verum.example"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(time.Hour),
		IsCA:                  true,
		BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, signer.Public(), signer)
	if err != nil {
		log.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		log.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(cert)

	clientSide, serverSide := net.Pipe()
	server := tls.Server(serverSide, &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: signer}},
		MinVersion:   tls.VersionTLS13,
	})
	go func() {
		defer server.Close()
		io.WriteString(server, "hello")
	}()
	client := tls.Client(clientSide, &tls.Config{RootCAs: roots, ServerName: "verum.example"})
	text, err := io.ReadAll(client)
	if err != nil {
		log.Fatal(err)
	}
	state := client.ConnectionState()
	fmt.Println(string(text), state.Version == tls.VersionTLS13, state.PeerCertificates[0].Equal(cert))
	// Output: hello true true
}
