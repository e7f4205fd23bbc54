#!/bin/sh
# Makes src/dalembert/view/assets/vendor/three.min.js anew: the parts of three.js named in entry.js, as one script.
# For whoever raises its version; neither users nor tests need it. Needs npm.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
vendor="$here/../../src/dalembert/view/assets/vendor"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here/entry.js" "$work"
cd "$work"
npm install --no-save --silent three@0.187.0 esbuild@0.28.2
npx esbuild entry.js --bundle --minify --format=iife --global-name=THREE --target=es2020 --legal-comments=inline --outfile=three.min.js
cp three.min.js "$vendor/three.min.js"
cp node_modules/three/LICENSE "$vendor/three.LICENSE.txt"
