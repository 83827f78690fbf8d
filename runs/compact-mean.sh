#!/usr/bin/env bash
# The runs after the one that ships, and the mean of both: better on poor scans, not yet what ships (docs/experiments.md,
# "A sixth run, and what is enough for a signature"). Run runs/compact.sh first for index and FFGBT.
#
#   runs/compact-mean.sh FOLDER_WITH_pdf_AND_manifest.jsonl WORK_FOLDER
#
# Nothing is done twice: what is in the work folder already is left alone, and a training that was stopped goes on.
set -euo pipefail
corpus=$1 work=$2
real=$work/corpus.sqlite pdf=$corpus/pdf experts=$work/ffgbt3
here=$(cd "$(dirname "$0")" && pwd)
ships=$here/../src/acromeld/detect/acromeld/candidate/candidate.onnx

# Real documents keep their roles; 330 synthetic ones with printed spreadsheets come beside them.
index=$work/corpus-ledgers.sqlite made=$work/synth-ledgers all=$work/pdf-ledgers cache=$work/cache-ledgers
[ -e "$made/manifest.jsonl" ] || acromeld synth "$made" --seed 20261118 --documents 330 --workers "$(nproc)" --weigh \
  "dense table=6" "densest=0" "timesheet=0" "invoice=0" "contract=2" "sign off=2" "survey=3" "tick page=3" "text page=9" \
  "two-column text=3" "ledger=10"
if [ ! -e "$index" ]; then
  acromeld corpus build "$pdf" --manifest "$corpus/manifest.jsonl" --out "$index" --synthetic "$made" \
    --synthetic-structure --workers "$(nproc)"
  acromeld corpus seal "$index"
fi
if [ ! -e "$all" ]; then
  mkdir "$all"
  find "$(realpath "$pdf")" "$(realpath "$made/pdf")" -name '*.pdf' -exec ln -s -t "$all" {} +
fi
[ -e "$cache/cache.json" ] || acromeld train cache --index "$index" --corpus "$all" --out "$cache" --contract compact \
  --experts "$experts" --workers "$(nproc)"

trained() { # RUN PLAN PRETRAINED
  [ -e "$1/training-summary.json" ] || OMP_NUM_THREADS=1 torchrun --standalone --nproc-per-node 2 -m acromeld train acromeld \
    --cache "$cache" --out "$1" --threads 1 --contract compact --plan "$2" --pretrained "$3"
}

# The fifth run was like this with runs/compact-fifth.json, from what ships, and the synthetic pages of runs/compact.sh. Its
# network is in the history of this repository.
fifth=$work/network-fifth.onnx
[ -e "$fifth" ] || git -C "$here" cat-file blob ba1c82074f4a1600a5c8517167fc25859fe44a15 > "$fifth"
trained "$work/run-sixth" "$here/compact-sixth.json" "$fifth"
trained "$work/run-finale" "$here/compact-finale.json" "$work/run-sixth/best-0004.pt"

network=$work/network-finale.onnx mean=$work/mean.onnx weights=$work/acromeld-mean.onnx
[ -e "$network" ] || acromeld train export "$work/run-finale" --out "$network" --cache "$cache" --experts "$experts" \
  --least-hope -2 -3
[ -e "$mean" ] || acromeld train average "$ships" "$network" --out "$mean"
for look in signing appraisal; do
  [ -e "$work/$look-mean/$look.npz" ] || acromeld train "$look" "$real" --pdf "$pdf" --weights "$mean" --experts "$experts" \
    --out "$work/$look-mean" --workers "$(nproc)"
done
[ -e "$weights" ] || acromeld train finish "$mean" --signing "$work/signing-mean/signing.npz" --enough 0.25 \
  --appraisal "$work/appraisal-mean/appraisal.npz" --page-evidence 2.5 --evidence-scores 3 --out "$weights"

for role in development calibration; do
  for rank in 0 1; do
    [ -e "$work/mean-$role/shard-00$rank.json" ] || OMP_NUM_THREADS=1 acromeld predict "$real" --role "$role" --pdf "$pdf" \
      --detector acromeld --weights "$weights" -o "$work/mean-$role" --rank "$rank" --ranks 2 &
  done
  wait
done
[ -e "$work/mean-point.json" ] || acromeld calibrate "$work/mean-calibration" --index "$real" --pdf "$pdf" \
  --signature-threshold 0.36 -o "$work/mean-point.json"
acromeld evaluate "$work/mean-development" --index "$real" --role development --point "$work/mean-point.json"
