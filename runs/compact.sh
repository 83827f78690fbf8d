#!/usr/bin/env bash
# How the shipped AcroMELD compact weights and their figures were made. Run runs/ffgbt.sh first (index).
#
#   runs/compact.sh FOLDER_WITH_pdf WORK_FOLDER
#
# Nothing is done twice: what is in the work folder already is left alone, and a training that was stopped goes on.
set -euo pipefail
corpus=$1 work=$2
index=$work/corpus.sqlite pdf=$corpus/pdf experts=$work/ffgbt3 cache=$work/cache-compact run=$work/run-joint
weights=$work/acromeld.onnx candidate=$work/acromeld-candidate

# FFGBT for its opinions: one of all folds, and one for each fold that never saw it.
[ -e "$experts/ffgbt.npz" ] || acromeld train ffgbt "$index" --pdf "$pdf" --out "$experts"
[ -e "$experts/without-4.npz" ] || acromeld train ffgbt "$index" --pdf "$pdf" --out "$experts" --cross
[ -e "$cache/cache.json" ] || acromeld train cache --index "$index" --corpus "$pdf" --out "$cache" \
  --contract compact --experts "$experts" --workers "$(nproc)"

# Two processes of one thread use two cores better than one of two.
[ -e "$run/training-summary.json" ] || OMP_NUM_THREADS=1 torchrun --standalone --nproc-per-node 2 -m acromeld train acromeld \
  --cache "$cache" --out "$run" --plan compact --epochs joint=4,finale=0 --threads 1 --development-pages 120
[ -e "$weights" ] || acromeld train export "$run" --out "$weights" --cache "$cache" --experts "$experts"

predict() { # NAME ROLE [MORE]
  local out=$work/$1 role=$2
  shift 2
  for rank in 0 1; do
    [ -e "$out/shard-00$rank.json" ] || acromeld predict "$index" --role "$role" --pdf "$pdf" --detector acromeld \
      --weights "$weights" -o "$out" --rank "$rank" --ranks 2 "$@" &
  done
  wait
}

# Development: look, choose, repeat. Nothing below may be looked at before the choice is made.
predict acromeld-development development
[ -e "$work/acromeld-development-point.json" ] || acromeld calibrate "$work/acromeld-development" --index "$index" \
  --role development -o "$work/acromeld-development-point.json"

# Calibration, freeze, internal test.
predict acromeld-calibration calibration
[ -e "$work/acromeld-point.json" ] || acromeld calibrate "$work/acromeld-calibration" --index "$index" --pdf "$pdf" \
  -o "$work/acromeld-point.json"
[ -e "$candidate" ] || acromeld freeze "$candidate" --index "$index" --calibration "$work/acromeld-point.json" \
  --detector acromeld --weights "$weights" --identity "$run/run-identity.json" --summary "$run/training-summary.json" \
  --metrics "$run/metrics.jsonl"
predict acromeld-internal-test internal-test
[ -e "$work/acromeld-internal.json" ] || acromeld evaluate "$work/acromeld-internal-test" --index "$index" \
  --role internal-test --pdf "$pdf" --candidate "$candidate" --internal-report -o "$work/acromeld-internal.json"

# The same pages as poor scans, and with one part of the model taken away at a time.
predict acromeld-scanned internal-test --scanned
[ -e "$work/acromeld-scanned.json" ] || acromeld evaluate "$work/acromeld-scanned" --index "$index" --role internal-test \
  --candidate "$candidate" --label "acromeld, poor scans" -o "$work/acromeld-scanned.json"
best=$run/$(python -c 'import json, sys; print(json.load(open(sys.argv[1]))["best_checkpoint"]["file"])' "$run/training-summary.json")
intervene() { # NAME [MORE]
  local out=$work/$1
  shift
  [ -e "$out" ] || acromeld interventions "$best" --index "$index" --role internal-test --pdf "$pdf" \
    --expert "$experts/ffgbt.npz" --point "$candidate/operating-point.json" --sample 300 --seed 20261115 -o "$out" "$@"
}
intervene interventions
intervene interventions-scanned --scanned

# Figures on pages whose labels somebody has looked at.
audit() { # NAME [GRADES]
  local out=$work/acromeld-audit-$1.json
  shift
  [ -e "$out" ] || acromeld evaluate "$work/acromeld-internal-test" --index "$index" --role internal-test \
    --candidate "$candidate" --audit audits/internal-test-100.jsonl "$@" -o "$out"
}
audit all
audit good --grade good
audit good-empty --grade good empty

# What ships: the candidate as it is.
cp -r "$candidate" src/acromeld/detect/acromeld/candidate
