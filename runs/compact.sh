#!/usr/bin/env bash
# How the shipped AcroMELD compact weights and their figures were made. Run runs/ffgbt.sh first (index).
#
#   runs/compact.sh FOLDER_WITH_pdf_AND_manifest.jsonl WORK_FOLDER
#
# Nothing is done twice: what is in the work folder already is left alone, and a training that was stopped goes on.
set -euo pipefail
corpus=$1 work=$2
real=$work/corpus.sqlite pdf=$corpus/pdf experts=$work/ffgbt3
here=$(cd "$(dirname "$0")" && pwd)

# FFGBT for its opinions: one of all folds, and one for each fold that never saw it.
[ -e "$experts/ffgbt.npz" ] || acromeld train ffgbt "$real" --pdf "$pdf" --out "$experts"
[ -e "$experts/without-4.npz" ] || acromeld train ffgbt "$real" --pdf "$pdf" --out "$experts" --cross
cached() { # FOLDER CONTRACT INDEX PDFS
  [ -e "$1/cache.json" ] || acromeld train cache --index "$3" --corpus "$4" --out "$1" --contract "$2" \
    --experts "$experts" --workers "$(nproc)"
}

# Two processes of one thread use two cores better than one of two.
trained() { # RUN CACHE [MORE]
  local out=$1 pages=$2
  shift 2
  [ -e "$out/training-summary.json" ] || OMP_NUM_THREADS=1 torchrun --standalone --nproc-per-node 2 -m acromeld train acromeld \
    --cache "$pages" --out "$out" --threads 1 --development-pages 120 "$@"
}

# First run: four epochs that hear the likeliest opinions. Second: four that hear every place first. compact-first.json
# is the contract `compact` as it was then, compact-spread.json as it was before it weighed pages, which training does
# not see.
cached "$work/cache-compact" "$here/compact-first.json" "$real" "$pdf"
trained "$work/run-joint" "$work/cache-compact" --contract "$here/compact-first.json" --plan compact --epochs joint=4,finale=0
cached "$work/cache-spread" "$here/compact-spread.json" "$real" "$pdf"
trained "$work/run-spread" "$work/cache-spread" --contract "$here/compact-spread.json" --plan "$here/compact-next.json" \
  --pretrained "$work/run-joint/best-0004.pt"

# Real documents keep their roles; 300 synthetic ones with more tables and running text come beside them.
index=$work/corpus-synth.sqlite made=$work/synth3
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

# Third run: three epochs with them. Fourth: three at higher rates, without the synthetic pages that bear a signature,
# and real ones that do four times. The contract then had page evidence with exponent 2, which training does not see.
# The weights were exported twice, first as 63ab5298… (candidate 878b22ee…), then with a graph that copies less.
cache=$work/cache-synth run=$work/run-fourth signed=$work/signed.onnx weights=$work/acromeld.onnx candidate=$work/acromeld-candidate
cached "$cache" compact "$index" "$work/pdf-all"
trained "$work/run-synth" "$cache" --contract compact --plan "$here/compact-synthetic.json" --pretrained "$work/run-spread/best-0003.pt"
trained "$run" "$cache" --contract compact --plan "$here/compact-fourth.json" --pretrained "$work/run-synth/best-0002.pt"
network=$work/network.onnx
[ -e "$network" ] || acromeld train export "$run" --out "$network" --cache "$cache" --experts "$experts" --least-hope -2 -3

# What is chosen after training, the graph staying as it is: a second look at places to sign and an appraisal of every
# place, learned on train-real, and page evidence. What ships has the appraisal that was learned for this network when all
# of its queries entered the graph (release 3601eb1f…); the look at places to sign was learned again later, for the graph
# that ships.
[ -e "$work/signing/signing.npz" ] || acromeld train signing "$real" --pdf "$pdf" --weights "$network" --experts "$experts" \
  --out "$work/signing" --workers "$(nproc)"
[ -e "$signed" ] || acromeld train finish "$network" --signing "$work/signing/signing.npz" --page-evidence 2 \
  --evidence-scores 5 --out "$signed"
[ -e "$work/appraisal/appraisal.npz" ] || acromeld train appraisal "$real" --pdf "$pdf" --weights "$signed" --experts "$experts" \
  --out "$work/appraisal" --workers "$(nproc)"
[ -e "$weights" ] || acromeld train finish "$signed" --appraisal "$work/appraisal/appraisal.npz" --page-evidence 2.5 \
  --evidence-scores 3 --signing "$work/signing/signing.npz" --enough 0.25 --out "$weights"

predict() { # NAME ROLE [MORE]
  local out=$work/$1 role=$2
  shift 2
  for rank in 0 1; do
    [ -e "$out/shard-00$rank.json" ] || OMP_NUM_THREADS=1 acromeld predict "$real" --role "$role" --pdf "$pdf" \
      --detector acromeld --weights "$weights" -o "$out" --rank "$rank" --ranks 2 "$@" &
  done
  wait
}

# Development and calibration: look, choose, repeat. Nothing below may be looked at before the choice is made.
predict acromeld-development development
predict acromeld-calibration calibration
[ -e "$work/acromeld-point.json" ] || acromeld calibrate "$work/acromeld-calibration" --index "$real" --pdf "$pdf" \
  --signature-threshold 0.45 -o "$work/acromeld-point.json"

# Freeze, internal test.
[ -e "$candidate" ] || acromeld freeze "$candidate" --index "$real" --calibration "$work/acromeld-point.json" \
  --detector acromeld --weights "$weights" --identity "$work/appraisal/run-identity.json" \
  --summary "$work/appraisal/training-summary.json" --origins "$corpus/manifest.jsonl"
predict acromeld-internal-test internal-test
[ -e "$work/acromeld-internal.json" ] || acromeld evaluate "$work/acromeld-internal-test" --index "$real" \
  --role internal-test --pdf "$pdf" --candidate "$candidate" --internal-report -o "$work/acromeld-internal.json"

# Tables beside the others (runs/comparison.sh) and figures on pages whose labels somebody has looked at.
lines=$work/acromeld-internal-test.jsonl
[ -e "$lines" ] || cat "$work"/acromeld-internal-test/shard-*.jsonl > "$lines"
evaluated() { # NAME [MORE]
  local out=$work/acromeld-$1.json
  shift
  [ -e "$out" ] || acromeld evaluate "$lines" --index "$real" --role internal-test --candidate "$candidate" "$@" -o "$out"
}
evaluated 909
evaluated 300 --sample 300 --seed 20261115
evaluated 60 --sample 60 --seed 20261115
audit=(--audit audits/internal-test-100.jsonl)
evaluated audit-all "${audit[@]}"
evaluated audit-good "${audit[@]}" --grade good
evaluated audit-good-empty "${audit[@]}" --grade good empty

# One part of the model taken away at a time, on pages as they are and as poor scans.
intervene() { # NAME [MORE]
  local out=$work/$1
  shift
  [ -e "$out" ] || acromeld interventions "$candidate/candidate.onnx" --index "$real" --role internal-test --pdf "$pdf" \
    --seed 20261115 -o "$out" "$@"
}
intervene interventions --sample 200
intervene interventions-scanned --sample 100 --scanned

# What ships: the candidate as it is.
rm -rf src/acromeld/detect/acromeld/candidate
cp -r "$candidate" src/acromeld/detect/acromeld/candidate
