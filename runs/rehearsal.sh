#!/usr/bin/env bash
# The whole life of a trained candidate on a small synthetic corpus, in minutes: what to run before a long run.
#
#   runs/rehearsal.sh WORK_FOLDER [DOCUMENTS]
#
# Seal, cache, train (stopped once on the way), finale, export, calibrate, freeze, internal test, gate, report; then
# every kind of file on the way is changed by one byte, and the command that relies on it must refuse with exit code 10.
# The scores mean nothing: a tiny network, a few minutes, made-up forms. Run it where nobody edits the source meanwhile:
# changed code is refused, too.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$1 documents=${2:-60}
mkdir -p "$work"
work=$(cd "$work" && pwd)
cd "$here/.."
made=$work/made pdf=$work/made/pdf index=$work/corpus.sqlite cache=$work/cache run=$work/run weights=$work/weights.onnx
candidate=$work/candidate

[ -e "$made" ] || acromeld synth "$made" --seed 5 --documents "$documents" --fonts builtin
if [ ! -e "$index" ]; then
  acromeld corpus build "$pdf" --manifest "$made/manifest.jsonl" --out "$index"
  acromeld corpus seal "$index"
fi
[ -e "$cache/cache.json" ] || acromeld train cache --index "$index" --corpus "$pdf" --out "$cache" \
  --roles train-real,development --contract runs/rehearsal-contract.json

train() { acromeld train acromeld --cache "$cache" --out "$run" --plan runs/rehearsal-plan.json "$@"; }
[ -e "$run/last.pt" ] || train --minutes 0.01 # stops after a step, to be continued
[ -e "$run/training-summary.json" ] || train
[ -e "$weights" ] || acromeld train export "$run" --out "$weights"

predict() { # ROLE
  [ -e "$work/$1" ] || acromeld predict "$index" --role "$1" --pdf "$pdf" --detector acromeld --weights "$weights" -o "$work/$1"
}
predict calibration
[ -e "$work/point.json" ] || acromeld calibrate "$work/calibration" --index "$index" --pdf "$pdf" -o "$work/point.json"
[ -e "$candidate" ] || acromeld freeze "$candidate" --index "$index" --calibration "$work/point.json" --detector acromeld \
  --weights "$weights" --identity "$run/run-identity.json" --summary "$run/training-summary.json" --metrics "$run/metrics.jsonl"
predict internal-test
evaluate() { # MORE...
  acromeld evaluate "$work/internal-test" --index "$index" --role internal-test --pdf "$pdf" --candidate "$candidate" \
    --resamples 200 "$@"
}
[ -e "$candidate/internal-report.json" ] || evaluate --internal-report
[ -e "$work/internal.json" ] || evaluate -o "$work/internal.json"

gate() { acromeld gate --candidate "$candidate" --index "$index" --corpus "$work/external" --reference 0 --out "$work/gate"; }

# Each file is changed by one byte, the command must refuse with exit code 10, and the byte is put back.
refused() { # FILE COMMAND...
  local file=$1 code=0
  shift
  cp -p "$file" "$work/kept"
  chmod u+w "$file"
  python - "$file" <<'PYTHON'
import sys
from pathlib import Path

path = Path(sys.argv[1])
data = bytearray(path.read_bytes())
data[len(data) // 2] ^= 1
path.write_bytes(bytes(data))
PYTHON
  "$@" >"$work/said" 2>&1 || code=$?
  mv -f "$work/kept" "$file"
  if [ "$code" != 10 ]; then
    echo "NOT REFUSED (exit code $code): $file" >&2
    cat "$work/said" >&2
    exit 1
  fi
  echo "refused: $(tail -n 1 "$work/said")"
}
if [ ! -e "$work/gate" ]; then
  [ -e "$work/external" ] || {
    acromeld synth "$work/outside" --seed 6 --documents 4 --fonts builtin
    mv "$work/outside/pdf" "$work/external"
    acromeld gate quarantine "$work/external"
  }
  refused "$(find "$cache/documents" -name '*.npz' | sort | head -n 1)" train
  refused "$cache/cache.json" train
  refused "$run/last.pt" train
  refused "$run/$(cd "$run" && ls best-*.pt)" acromeld train export "$run" --out "$work/other.onnx"
  for file in candidate.onnx operating-point.json run-identity.json training-summary.json metrics.jsonl training-complete.json; do
    refused "$candidate/$file" gate
  done
  refused "$index" gate
  gate # one chance
fi
acromeld gate verify --candidate "$candidate" --out "$work/gate"
[ -e "$work/report" ] || acromeld report "$work/report" --candidate "$candidate" --gate "$work/gate"
refused "$work/internal-test/shard-000.jsonl" evaluate
refused "$work/internal.json" acromeld report "$work/other" --evaluations "$work/internal.json"
refused "$work/gate/result/report.json" acromeld gate verify --candidate "$candidate" --out "$work/gate"
echo "The rehearsal went through: $work/report"
