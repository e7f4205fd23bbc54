#!/bin/sh
# Builds wheel and sdist, checks them, installs the wheel into an empty environment, uses it there, and runs there the tests that need
# no checkout. CONSTRAINTS names a file of versions for pip.
#   sh tools/wheel_check.sh PYTHON_WITH_BUILD_AND_TWINE [PYTHON_FOR_THE_EMPTY_ENVIRONMENT]
set -eu
tools="$1"
python="${2:-python3}"
root="$(cd "$(dirname "$0")/.." && pwd)"
case "$tools" in */*) tools="$(cd "$(dirname "$tools")" && pwd)/$(basename "$tools")" ;; esac
dist="$root/out/dist"
rm -rf "$dist"
mkdir -p "$dist"
"$tools" -m build --outdir "$dist" "$root" >"$dist/build.log" 2>&1 || { cat "$dist/build.log" >&2; exit 1; }
rm "$dist/build.log"
"$tools" -m twine check --strict "$dist"/*

away="$(mktemp -d)"
trap 'rm -rf "$away"' EXIT
cd "$away"
"$python" -m venv empty
bin="$away/empty/bin"
[ -d "$bin" ] || bin="$away/empty/Scripts"
case "${CONSTRAINTS:-}" in "") : >"$away/versions" ;; *) cp "$root/$CONSTRAINTS" "$away/versions" ;; esac
pip() { "$bin/python" -m pip install --quiet --quiet --disable-pip-version-check --constraint "$away/versions" "$@"; }
pip "$dist"/*.whl
unset PYTHONPATH
DALEMBERT_CACHE_DIR="$away/cache"
export DALEMBERT_CACHE_DIR
"$bin/python" -P "$root/tools/wheel_use.py" "$root" "$bin"

pip pytest hypothesis
mkdir tested
cp -r "$root/tests" tested/
cd tested
rooms="trace topology kinematics recursive system constraints elements"
CI=true "$bin/python" -P -m pytest -q --import-mode=importlib -p no:cacheprovider -o pythonpath=. $(printf 'tests/%s ' $rooms)
