#!/usr/bin/env bash
# Makes the picture of docs/theory/particle.md: position error over time, Test 1 in float, PBD and PBD-R, three seeds each. Needs gnuplot.
#
#     scripts/drift_plot.sh [OUTPUT.svg]
set -euo pipefail
cd "$(dirname "$0")/.."
output=${1:-docs/images/drift.svg}
command -v gnuplot >/dev/null || { echo "drift_plot: gnuplot is missing (Debian: gnuplot-nox)" >&2; exit 1; }
[ -x build/pbdr ] || { echo "drift_plot: build/pbdr is missing: make build" >&2; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
build/pbdr bench --tests 1 --solvers pbd,pbd-r --precision f32 --trajectory "$scratch" >/dev/null 2>&1
mkdir -p "$(dirname "$output")"
gnuplot <<EOF
set terminal svg size 720,360 font "Helvetica,14" background "white" enhanced
set output "$scratch/drift.svg"
set datafile separator ","
set logscale y
set format y "10^{%T}"
set xlabel "time [s]"
set ylabel "position error [m]"
set xrange [0:10]
set yrange [1e-4:10]
set grid ytics lc rgb "#dddddd"
set key top left reverse Left samplen 2
set border 3
set tics nomirror
f(s, k) = "$scratch/test1_" . s . "_particle_f32_seed" . k . ".csv"
plot for [k=1:3] f("pbd", k) using 1:16 every 5::1 with lines lw 2 dt k lc rgb "#d55e00" title (k == 1 ? "PBD, three seeds" : ""), \
     for [k=1:3] f("pbd-r", k) using 1:16 every 5::1 with lines lw 2 dt k lc rgb "#0072b2" title (k == 1 ? "PBD-R, three seeds" : ""), \
     0.5 * 0.326 * x * 1e-3 with lines lw 1.5 lc rgb "#777777" title "floor: semi-implicit Euler, perfect forces"
EOF
mv "$scratch/drift.svg" "$output"
echo "drift_plot: $output"
