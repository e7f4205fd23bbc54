#!/bin/sh
# What `make bench` runs code for other machines with: QEMU and a compiler for 64-bit ARM, and Firefox. Where they cannot be installed,
# the tests that need them are left out.
set -u
as_root=""
if [ "$(id -u)" -ne 0 ]; then as_root="sudo -n"; fi
missing=""
command -v qemu-aarch64 >/dev/null 2>&1 || missing="$missing qemu-user"
command -v aarch64-linux-gnu-gcc >/dev/null 2>&1 || missing="$missing gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
command -v firefox-esr >/dev/null 2>&1 || command -v firefox >/dev/null 2>&1 || missing="$missing firefox-esr"
if [ -z "$missing" ]; then exit 0; fi
if command -v apt-get >/dev/null 2>&1 && $as_root true 2>/dev/null; then
    echo "installing$missing"
    $as_root apt-get update -qq >/dev/null
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null || true
fi
exit 0
