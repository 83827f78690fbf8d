#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Other people's tools that tests use as judges: qpdf, poppler, Node (for pdf.js), Java and JAXB (for veraPDF), Chromium.
# Installs what is missing where that is possible without asking (Debian, root); says what is missing elsewhere.
set -u

missing=""
for pair in qpdf:qpdf pdftoppm:poppler-utils node:nodejs npm:npm javac:default-jdk-headless \
    chromium:chromium; do
    command -v "${pair%%:*}" >/dev/null 2>&1 || missing="$missing ${pair#*:}"
done
[ -e /usr/share/java/jaxb-runtime.jar ] || missing="$missing libjaxb-java"
[ -z "$missing" ] && exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    # shellcheck disable=SC2086 # a list of package names
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $missing; } >/dev/null 2>&1 && exit 0
fi
echo "Tests that need these packages are skipped:$missing"
