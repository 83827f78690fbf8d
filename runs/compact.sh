#!/usr/bin/env bash
# How the shipped AcroMELD compact weights and their figures were made. Run runs/ffgbt.sh first (index).
#
#   runs/compact.sh FOLDER_WITH_pdf WORK_FOLDER
#
# Nothing is done twice: what is in the work folder already is left alone, and a training that was stopped goes on.
set -euo pipefail
corpus=$1 work=$2
index=$work/corpus.sqlite pdf=$corpus/pdf experts=$work/ffgbt3 cache=$work/cache-spread run=$work/run-spread
first=$work/run-joint weights=$work/acromeld2.onnx candidate=$work/acromeld2-candidate
here=$(cd "$(dirname "$0")" && pwd)

# FFGBT for its opinions: one of all folds, and one for each fold that never saw it.
[ -e "$experts/ffgbt.npz" ] || acromeld train ffgbt "$index" --pdf "$pdf" --out "$experts"
[ -e "$experts/without-4.npz" ] || acromeld train ffgbt "$index" --pdf "$pdf" --out "$experts" --cross
cached() { # FOLDER CONTRACT
  [ -e "$1/cache.json" ] || acromeld train cache --index "$index" --corpus "$pdf" --out "$1" --contract "$2" \
    --experts "$experts" --workers "$(nproc)"
}

# Two processes of one thread use two cores better than one of two.
trained() { # RUN CACHE [MORE]
  local out=$1 pages=$2
  shift 2
  [ -e "$out/training-summary.json" ] || OMP_NUM_THREADS=1 torchrun --standalone --nproc-per-node 2 -m acromeld train acromeld \
    --cache "$pages" --out "$out" --threads 1 --development-pages 120 "$@"
}

# Four epochs that hear the likeliest opinions, then four that hear every place first. compact-first.json is the contract
# `compact` as it was before, compact-spread.json as it was before it weighed pages, which training does not see.
cached "$work/cache-compact" "$here/compact-first.json"
trained "$first" "$work/cache-compact" --contract "$here/compact-first.json" --plan compact --epochs joint=4,finale=0
cached "$cache" "$here/compact-spread.json"
trained "$run" "$cache" --contract "$here/compact-spread.json" --plan "$here/compact-next.json" --pretrained "$first/best-0004.pt"
[ -e "$weights" ] || acromeld train export "$run" --out "$weights" --cache "$cache" --experts "$experts" --page-evidence 2

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
predict acromeld2-development development
[ -e "$work/acromeld2-development-point.json" ] || acromeld calibrate "$work/acromeld2-development" --index "$index" \
  --role development -o "$work/acromeld2-development-point.json"

# Calibration, freeze, internal test.
predict acromeld2-calibration calibration
[ -e "$work/acromeld2-point.json" ] || acromeld calibrate "$work/acromeld2-calibration" --index "$index" --pdf "$pdf" \
  -o "$work/acromeld2-point.json"
[ -e "$candidate" ] || acromeld freeze "$candidate" --index "$index" --calibration "$work/acromeld2-point.json" \
  --detector acromeld --weights "$weights" --identity "$run/run-identity.json" --summary "$run/training-summary.json" \
  --metrics "$run/metrics.jsonl"
predict acromeld2-internal-test internal-test
[ -e "$work/acromeld2-internal.json" ] || acromeld evaluate "$work/acromeld2-internal-test" --index "$index" \
  --role internal-test --pdf "$pdf" --candidate "$candidate" --internal-report -o "$work/acromeld2-internal.json"

# The same pages as poor scans, and with one part of the model taken away at a time.
predict acromeld2-scanned internal-test --scanned
[ -e "$work/acromeld2-scanned.json" ] || acromeld evaluate "$work/acromeld2-scanned" --index "$index" --role internal-test \
  --candidate "$candidate" --label "acromeld, poor scans" -o "$work/acromeld2-scanned.json"
best=$run/$(python -c 'import json, sys; print(json.load(open(sys.argv[1]))["best_checkpoint"]["file"])' "$run/training-summary.json")
intervene() { # NAME [MORE]
  local out=$work/$1
  shift
  [ -e "$out" ] || acromeld interventions "$best" --index "$index" --role internal-test --pdf "$pdf" \
    --expert "$experts/ffgbt.npz" --point "$candidate/operating-point.json" --page-evidence 2 --sample 300 --seed 20261115 -o "$out" "$@"
}
intervene interventions2
intervene interventions2-scanned --scanned

# Figures on pages whose labels somebody has looked at.
audit() { # NAME [GRADES]
  local out=$work/acromeld2-audit-$1.json
  shift
  [ -e "$out" ] || acromeld evaluate "$work/acromeld2-internal-test" --index "$index" --role internal-test \
    --candidate "$candidate" --audit audits/internal-test-100.jsonl "$@" -o "$out"
}
audit all
audit good --grade good
audit good-empty --grade good empty

# What ships: the candidate as it is.
cp -r "$candidate" src/acromeld/detect/acromeld/candidate
