#!/usr/bin/env bash
# The runs with synthetic pages that were tried after runs/compact.sh (docs/results.md says what came of them).
#
#   runs/compact-synthetic.sh FOLDER_WITH_pdf_AND_manifest.jsonl WORK_FOLDER
#
# Nothing is done twice: what is in the work folder already is left alone, and a training that was stopped goes on.
set -euo pipefail
corpus=$1 work=$2
index=$work/corpus-synth.sqlite pdf=$corpus/pdf made=$work/synth3 cache=$work/cache-synth run=$work/run-synth
experts=$work/ffgbt3 weights=$work/acromeld3.onnx
here=$(cd "$(dirname "$0")" && pwd)

# Development and calibration decide. Internal test is not opened here.
judged() { # NAME
  for role in development calibration; do
    for rank in 0 1; do
      [ -e "$work/$1-$role/shard-00$rank.json" ] || acromeld predict "$index" --role "$role" --pdf "$pdf" \
        --detector acromeld --weights "$weights" -o "$work/$1-$role" --rank "$rank" --ranks 2 &
    done
    wait
  done
  [ -e "$work/$1-development-point.json" ] || acromeld calibrate "$work/$1-development" --index "$index" \
    --role development -o "$work/$1-development-point.json"
  [ -e "$work/$1-point.json" ] || acromeld calibrate "$work/$1-calibration" --index "$index" --pdf "$pdf" -o "$work/$1-point.json"
}

# Real documents keep their roles; 300 synthetic ones with more tables and running text come beside them.
[ -e "$made/manifest.jsonl" ] || acromeld synth "$made" --seed 20261116 --documents 300 --workers "$(nproc)" --weigh \
  "dense table=6" "densest=0" "timesheet=6" "survey=3" "tick page=3" "text page=10" "two-column text=3"
if [ ! -e "$index" ]; then
  acromeld corpus build "$pdf" --manifest "$corpus/manifest.jsonl" --out "$index" --synthetic "$made" \
    --synthetic-structure --workers "$(nproc)"
  acromeld corpus seal "$index"
fi
if [ ! -e "$work/pdf-all" ]; then
  mkdir "$work/pdf-all"
  find "$(realpath "$pdf")" "$(realpath "$made/pdf")" -name '*.pdf' -exec ln -s -t "$work/pdf-all" {} +
fi
[ -e "$cache/cache.json" ] || acromeld train cache --index "$index" --corpus "$work/pdf-all" --out "$cache" \
  --contract compact --experts "$experts" --workers "$(nproc)"

# Three epochs, from the weights that ship.
[ -e "$run/training-summary.json" ] || OMP_NUM_THREADS=1 torchrun --standalone --nproc-per-node 2 -m acromeld train acromeld \
  --cache "$cache" --out "$run" --plan "$here/compact-synthetic.json" --contract compact \
  --pretrained "$work/run-spread/best-0003.pt" --threads 1 --development-pages 120
[ -e "$weights" ] || acromeld train export "$run" --out "$weights" --cache "$cache" --experts "$experts"

judged acromeld3

# Three more epochs at higher rates, without the synthetic pages that bear a signature, and real ones that do four times.
fourth=$work/run-fourth weights=$work/acromeld4.onnx
[ -e "$fourth/training-summary.json" ] || OMP_NUM_THREADS=1 torchrun --standalone --nproc-per-node 2 -m acromeld train acromeld \
  --cache "$cache" --out "$fourth" --plan "$here/compact-fourth.json" --contract compact \
  --pretrained "$run/best-0002.pt" --threads 1 --development-pages 120
[ -e "$weights" ] || acromeld train export "$fourth" --out "$weights" --cache "$cache" --experts "$experts"
judged acromeld4
