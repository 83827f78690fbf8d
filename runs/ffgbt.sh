#!/usr/bin/env bash
# How the shipped FFGBT weights and their figures were made.
#
#   runs/ffgbt.sh FOLDER_WITH_pdf_AND_manifest.jsonl WORK_FOLDER
#
# Nothing is done twice: what is in the work folder already is left alone.
set -euo pipefail
corpus=$1 work=$2
index=$work/corpus.sqlite pdf=$corpus/pdf weights=$work/ffgbt/ffgbt.npz
mkdir -p "$work"

if [ ! -e "$index" ]; then
  acromeld corpus build "$pdf" --manifest "$corpus/manifest.jsonl" --out "$index" --workers "$(nproc)"
  acromeld corpus seal "$index"
fi
[ -e "$weights" ] || acromeld train ffgbt "$index" --pdf "$pdf" --out "$work/ffgbt"

predict() { # ROLE
  [ -e "$work/ffgbt-$1" ] || acromeld predict "$index" --role "$1" --pdf "$pdf" --detector ffgbt --weights "$weights" \
    -o "$work/ffgbt-$1"
}

# Development: look, choose, repeat. Nothing below may be looked at before the choice is made.
predict development
[ -e "$work/ffgbt-development-point.json" ] || acromeld calibrate "$work/ffgbt-development" --index "$index" \
  --role development -o "$work/ffgbt-development-point.json"

# Calibration, freeze, internal test.
predict calibration
[ -e "$work/ffgbt-point.json" ] || acromeld calibrate "$work/ffgbt-calibration" --index "$index" --pdf "$pdf" \
  -o "$work/ffgbt-point.json"
[ -e "$work/ffgbt-candidate" ] || acromeld freeze "$work/ffgbt-candidate" --index "$index" \
  --calibration "$work/ffgbt-point.json" --detector ffgbt --weights "$weights" \
  --identity "$work/ffgbt/run-identity.json" --summary "$work/ffgbt/training-summary.json" \
  --origins "$corpus/manifest.jsonl"
predict internal-test
[ -e "$work/ffgbt-internal.json" ] || acromeld evaluate "$work/ffgbt-internal-test" --index "$index" \
  --role internal-test --pdf "$pdf" --candidate "$work/ffgbt-candidate" --internal-report \
  -o "$work/ffgbt-internal.json"

# What ships: the weights and the operating point of the candidate.
cp "$weights" "$work/ffgbt-candidate/operating-point.json" src/acromeld/detect/ffgbt/
