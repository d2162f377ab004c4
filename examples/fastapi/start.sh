#!/bin/sh
# Installs what the sample needs, and starts its backend.
set -eu
cd "$(dirname "$0")"
npm --silent --prefix ../page run setup
[ -d .venv ] || python3 -m venv .venv
.venv/bin/pip install --quiet --disable-pip-version-check --requirement requirements.txt
exec .venv/bin/python server.py
