//go:build cgo && openssl

package main

/*
#cgo LDFLAGS: -lcrypto
#cgo CFLAGS: -O2 -Wall -DOPENSSL_API_COMPAT=30000
#include <stdlib.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <openssl/x509.h>

// A prepared operation is a context with its key; each returns 1, or else the call has failed.

static EVP_PKEY_CTX *private_ctx(const unsigned char *der, long n) {
	EVP_PKEY *k = d2i_AutoPrivateKey(NULL, &der, n);
	EVP_PKEY_CTX *c = k ? EVP_PKEY_CTX_new(k, NULL) : NULL;
	EVP_PKEY_free(k);
	return c;
}

static EVP_PKEY_CTX *derive_ctx(const unsigned char *der, long n, const unsigned char *peer, long m) {
	EVP_PKEY_CTX *c = private_ctx(der, n);
	EVP_PKEY *q = d2i_PUBKEY(NULL, &peer, m);
	int ok = c && q && EVP_PKEY_derive_init(c) == 1 && EVP_PKEY_derive_set_peer(c, q) == 1;
	EVP_PKEY_free(q);
	return ok ? c : NULL;
}

static EVP_PKEY_CTX *sign_ctx(const unsigned char *der, long n) {
	EVP_PKEY_CTX *c = private_ctx(der, n);
	return c && EVP_PKEY_sign_init(c) == 1 ? c : NULL;
}

static EVP_PKEY_CTX *verify_ctx(const unsigned char *der, long n) {
	EVP_PKEY *k = d2i_PUBKEY(NULL, &der, n);
	EVP_PKEY_CTX *c = k ? EVP_PKEY_CTX_new(k, NULL) : NULL;
	EVP_PKEY_free(k);
	return c && EVP_PKEY_verify_init(c) == 1 ? c : NULL;
}

static int derive(EVP_PKEY_CTX *c, unsigned char *out) {
	size_t n = 32;
	return EVP_PKEY_derive(c, out, &n) == 1 && n == 32;
}

static int sign(EVP_PKEY_CTX *c, const unsigned char *digest, unsigned char *sig, size_t *n) {
	return EVP_PKEY_sign(c, sig, n, digest, 32);
}

static int verify(EVP_PKEY_CTX *c, const unsigned char *digest, const unsigned char *sig, size_t n) {
	return EVP_PKEY_verify(c, sig, n, digest, 32);
}

typedef struct {
	EC_GROUP *g;
	EC_POINT *p;
	BIGNUM *k;
	BN_CTX *x;
} curve;

static int curve_init(curve *c) {
	c->g = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
	c->p = c->g ? EC_POINT_new(c->g) : NULL;
	c->k = BN_secure_new();
	c->x = BN_CTX_new();
	return c->p && c->k && c->x;
}

static int public_key(curve *c, const unsigned char *d, unsigned char *out) {
	return BN_bin2bn(d, 32, c->k) && EC_POINT_mul(c->g, c->p, c->k, NULL, NULL, c->x) == 1 &&
		EC_POINT_point2oct(c->g, c->p, POINT_CONVERSION_UNCOMPRESSED, out, 65, c->x) == 65;
}

static int validate(curve *c, const unsigned char *q) { // checks the equation
	return EC_POINT_oct2point(c->g, c->p, q, 65, c->x);
}
*/
import "C"

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	"errors"
	"unsafe"

	"verum.example/internal/benchmark"
)

var errOpenSSL = errors.New("OpenSSL reports an error")

// opensslPeer is OpenSSL's libcrypto, with contexts that are prepared. A call through cgo is part of the time, some tens
// of nanoseconds.
func opensslPeer() peer {
	return peer{
		benchmark.Peer{Name: "openssl", Version: C.GoString(C.OpenSSL_version(C.OPENSSL_VERSION))},
		map[string]func(in *inputs) (call, error){
			"p256-ecdh": func(in *inputs) (call, error) {
				ctxs, err := each(in.count(), func(i int) (*C.EVP_PKEY_CTX, error) {
					key, err := x509.MarshalPKCS8PrivateKey(in.signers[i])
					if err != nil {
						return nil, err
					}
					other, err := pkix(in.peers[i])
					if err != nil {
						return nil, err
					}
					return made(C.derive_ctx(bytesOf(key), C.long(len(key)), bytesOf(other), C.long(len(other))))
				})
				return func(i int) ([]byte, error) {
					out := make([]byte, 32)
					return out, ok(C.derive(ctxs[i], bytesOf(out)))
				}, err
			},
			"p256-public-key": func(in *inputs) (call, error) {
				c, err := newCurve()
				return func(i int) ([]byte, error) {
					out := make([]byte, 65)
					return out, ok(C.public_key(c, bytesOf(in.private[i]), bytesOf(out)))
				}, err
			},
			"p256-validate": func(in *inputs) (call, error) {
				c, err := newCurve()
				return func(i int) ([]byte, error) { return nil, ok(C.validate(c, bytesOf(in.peers[i]))) }, err
			},
			"p256-sign": func(in *inputs) (call, error) {
				ctxs, err := each(in.count(), func(i int) (*C.EVP_PKEY_CTX, error) {
					key, err := x509.MarshalPKCS8PrivateKey(in.signers[i])
					if err != nil {
						return nil, err
					}
					return made(C.sign_ctx(bytesOf(key), C.long(len(key))))
				})
				return func(i int) ([]byte, error) {
					sig := make([]byte, 72)
					n := C.size_t(len(sig))
					err := ok(C.sign(ctxs[i], bytesOf(in.digests[i]), bytesOf(sig), &n))
					return sig[:n], err
				}, err
			},
			"p256-verify": func(in *inputs) (call, error) {
				ctxs, err := each(2*in.count(), func(i int) (*C.EVP_PKEY_CTX, error) {
					key, err := pkix(in.public[i])
					if err != nil {
						return nil, err
					}
					return made(C.verify_ctx(bytesOf(key), C.long(len(key))))
				})
				return func(i int) ([]byte, error) {
					sig := in.signatures[i]
					return nil, ok(C.verify(ctxs[i], bytesOf(in.digests[i]), bytesOf(sig), C.size_t(len(sig))))
				}, err
			},
		},
	}
}

// newCurve is never freed, nor are the contexts: the program ends soon.
func newCurve() (*C.curve, error) {
	c := (*C.curve)(C.calloc(1, C.sizeof_curve))
	return c, ok(C.curve_init(c))
}

func bytesOf(b []byte) *C.uchar { return (*C.uchar)(unsafe.Pointer(unsafe.SliceData(b))) }

func made(c *C.EVP_PKEY_CTX) (*C.EVP_PKEY_CTX, error) {
	if c == nil {
		return nil, errOpenSSL
	}
	return c, nil
}

func ok(status C.int) error {
	if status != 1 {
		return errOpenSSL
	}
	return nil
}

// pkix is the DER form of a public key, 04 ‖ x ‖ y.
func pkix(public []byte) ([]byte, error) {
	k, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), public)
	if err != nil {
		return nil, err
	}
	return x509.MarshalPKIXPublicKey(k)
}
