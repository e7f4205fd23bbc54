#!/bin/sh
# Makes sure that the tests of the page find a browser: one in the path, the system's package, or a download of Playwright's.
set -u
for name in chromium chromium-browser google-chrome google-chrome-stable; do
    if command -v "$name" >/dev/null 2>&1; then exit 0; fi
done
as_root=""
if [ "$(id -u)" -ne 0 ]; then as_root="sudo -n"; fi
if command -v apt-get >/dev/null 2>&1 && $as_root true 2>/dev/null; then
    echo "installing Chromium for the tests of the page"
    if $as_root apt-get update -qq >/dev/null && DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends chromium >/dev/null; then
        exit 0
    fi
fi
python="${1:-python3}"
if "$python" -m playwright install chromium; then exit 0; fi
echo "No Chromium was found and none could be installed. Install Chromium or Chrome by hand; until then the tests of the page are" >&2
echo "skipped on a desk, and fail where CI=true." >&2
exit 0
