#!/bin/bash
# Every run has a verdict, and by default it ends when it is steady.
# usage: test_verdict.sh PROGRAM SOURCE_FOLDER
knudsen=$(realpath "$1") && [ -x "$knudsen" ] || { echo "usage: $0 PROGRAM SOURCE_FOLDER"; exit 1; }
. "$(dirname "$(realpath "$0")")/../check.sh"

# plates DELTA FOLDER SETTING...: plane Couette flow by BGK, whose stress is known from a run to a tolerance of 1e-6.
plates() {
    local delta=$1 to=$2 setting
    local all=(--set gas.delta="$delta")
    shift 2
    for setting; do all+=(--set "$setting"); done
    OMP_NUM_THREADS=1 "$knudsen" run plates.yaml --out "$to" --overwrite "${all[@]}" >out 2>err
}
cat >plates.yaml <<'END'
space: {cells: 16, order: 2}
velocity: {grid: gauss, nodes: 8}
collision: {method: bgk}
walls: {left: {velocity: [0, -0.5, 0]}, right: {velocity: [0, 0.5, 0]}}
END

# judge FOLDER EXPRESSION: over summary.json as s, its verdict as q and the stress on the right plate.
judge() {
    python3 - "$1" "$2" <<'END'
import json, math, sys
s = json.load(open(sys.argv[1] + "/summary.json"))
q, stress = s["quality"], abs(s["quantities"]["walls"]["right"]["stress"][1])
print(s["outcome"], q, stress)
assert eval(sys.argv[2])
END
}

# BGK, 16 cells; at delta 0.1, 1, 10 from runs with time.tolerance 1e-6.
for row in 0.1:0.521387 1:0.339068 10:0.083140; do
    delta=${row%:*} known=${row#*:}
    check "delta $delta: runs" plates "$delta" "auto$delta"
    check "delta $delta: the run ends when it is steady" judge "auto$delta" \
        's["outcome"] == "steady" and q["verdict"] == "steady" and q["remaining_change"] < 1e-4'
    # 1e-4 for the remaining change, 1.5e-4 for the last digits and the machine
    check "delta $delta: the stress is within 2.5e-4 of its limit" judge "auto$delta" "abs(stress / $known - 1) < 2.5e-4"
done
check "the output contains steady" contains out '^steady: '

# A run that ends too early reports the remaining change.
check "a short run" plates 10 short time.end=10 output.history=2
check "the short run is not steady" judge short 'q["verdict"] == "not steady" and s["outcome"] == "end time"'
check "the remaining change is within a factor of 3" judge short '0.3 < q["remaining_change"] * stress / (stress - 0.083140) < 3'
check "the output contains not steady" contains out '^not steady: .* is expected to change by another'
check "a run with time.residual" plates 100 rate time.end=1000 time.residual=1e-3
check "a small residual alone is not steady" judge rate \
    's["outcome"] == "residual" and q["verdict"] == "not steady" and stress > 0.012'
check "a very short run" plates 1 few time.max_steps=20
check "too few rows give no remaining change" judge few 'q["verdict"] == "not steady" and q["remaining_change"] is None'

# Oscillating walls: amplitudes do not depend on whether the end is a whole number of periods.
amplitude() {
    python3 -c 'import json, sys
o = json.load(open(sys.argv[1] + "/summary.json"))["oscillation"]
print(o["right.stress_y"]["amplitude"], o["change"])' "$1"
}
swing=(walls.left.velocity=0 walls.right.velocity=0 'walls.right.oscillation.velocity=[0,1,0]'
    walls.right.oscillation.frequency=1)
check "a run of one period" plates 1 one "${swing[@]}" time.end=6.283185307179586 output.history=4
check "a run of slightly more than one period" plates 1 more "${swing[@]}" time.end=6.5 output.history=4
same() {
    python3 - "$(amplitude one)" "$(amplitude more)" <<'END'
import sys
one, more = (float(text.split()[0]) for text in sys.argv[1:])
print(one, more)
assert abs(one / more - 1) < 0.005  # the start of the run still shows: 0.3 %
END
}
check "both runs have the same amplitude" same
check "auto with an oscillating wall" plates 1 periodic "${swing[@]}"
check "the verdict is oscillating" judge periodic \
    'q["verdict"] == "oscillating" and q["remaining_change"] < 1e-3 and s["oscillation"]["periods"] >= 2'

# Sampled collisions: the verdict reports noise.
check "a Monte Carlo run" plates 1 noisy collision.method=monte-carlo collision.samples=512 velocity.nodes=6 time.end=40
check "the verdict is noisy" judge noisy 'q["verdict"] == "noisy"'
check "the output contains noisy" contains out '^noisy: '

# A resumed run ends at the same step as the uninterrupted one, with the same bits.
check "a run stopped at a row of the history" plates 1 again time.max_steps=300
check "the run is resumed" env OMP_NUM_THREADS=1 "$knudsen" run plates.yaml --out again --resume --quiet --set gas.delta=1
check "the history equals that of the uninterrupted run" cmp again/history.csv auto1/history.csv
check "the verdict equals that of the uninterrupted run" python3 -c 'import json
one, two = (json.load(open(f + "/summary.json")) for f in ("auto1", "again"))
assert one["quality"] == two["quality"] and one["quantities"] == two["quantities"], (one["quality"], two["quality"])'

# A wave in a periodic box: all reported quantities are zero, so the verdict depends on the fields.
cat >wave.yaml <<'END'
gas: {delta: 30}
space: {cells: 16, order: 2}
velocity: {nodes: 6}
collision: {method: bgk}
walls: {left: {kind: periodic}, right: {kind: periodic}}
initial: {shape: shear, wave: [1, 0, 0]}
END
check "a wave in a periodic box" env OMP_NUM_THREADS=1 "$knudsen" run wave.yaml --out wave --quiet
# it decays as exp(-nu k^2 t) with nu = 1/2, to 1e-4 at t = 420; the actual decay is a few per cent slower
check "the wave is steady after it has decayed" python3 -c 'import json
s = json.load(open("wave/summary.json"))
assert s["outcome"] == "steady" and 380 < s["time"] < 600, (s["outcome"], s["time"])'

# The beginning of a flow is not an oscillation; a gas without a drive is reported.
check "the beginning of a flow" plates 10 start time.end=1 output.history=1
check "the beginning of a flow is not steady" judge start 'q["verdict"] == "not steady"'
check "a gas without a drive" plates 1 rest walls.left.velocity=0 walls.right.velocity=0
check "the output states that nothing drives the gas" contains out 'nothing drives the gas'
exit $failed
