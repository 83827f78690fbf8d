#!/usr/bin/env bash
# How the side-by-side tables of docs/results.md were made: our frozen candidates and CommonForms on the same
# declared pages of the internal-test role. Run runs/ffgbt.sh and runs/compact.sh first; CommonForms takes about
# an hour of two cores.
#
#   runs/comparison.sh FOLDER_WITH_pdf WORK_FOLDER
set -euo pipefail
corpus=$1 work=$2
index=$work/corpus.sqlite pdf=$corpus/pdf
role=(--index "$index" --role internal-test --seed 20261115)

acromeld peers commonforms setup
cd "$work"

peer() { # MODEL PROFILE PAGES
  local lines=commonforms-$1-$2-$3.jsonl
  [ -e "$lines" ] || acromeld peers commonforms predict "$pdf" "${role[@]}" --sample "$3" --model "$1" --profile "$2" -o "$lines"
  [ -e "${lines%.jsonl}.json" ] || acromeld evaluate "$lines" "${role[@]}" --sample "$3" --fixed \
    --label "CommonForms-${1^^} $2" -o "${lines%.jsonl}.json"
}
for pages in 300 60; do
  [ -e "ffgbt-$pages.json" ] || acromeld evaluate ffgbt-internal-test "${role[@]}" --sample "$pages" \
    --candidate ffgbt-candidate -o "ffgbt-$pages.json"
  peer s plain1216 "$pages"
  peer l plain1216 "$pages"
done
peer s packaged 60
peer l packaged 60
acromeld report comparison-909 --evaluations acromeld-909.json ffgbt-internal.json
for pages in 300 60; do
  acromeld report "comparison-$pages" --evaluations acromeld-$pages.json ffgbt-$pages.json commonforms-*-$pages.json
done
