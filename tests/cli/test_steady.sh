#!/bin/bash
# Steady states by iteration: files, verdict, continuation, and what is refused.
# usage: test_steady.sh PROGRAM SOURCE_FOLDER
knudsen=$(realpath "$1") && [ -x "$knudsen" ] || { echo "usage: $0 PROGRAM SOURCE_FOLDER"; exit 1; }
. "$(dirname "$(realpath "$0")")/../check.sh"

cat >lid.yaml <<'END'
gas: {delta: 10}
space: {cells: [12, 12], order: 3}
velocity: {grid: gauss, nodes: 6}
collision: {method: bgk}
walls: {top: {velocity: [1, 0, 0]}}
time: {mode: steady}
END

# judge FOLDER EXPRESSION: over summary.json as s, its verdict as q, and the rows of the history.
judge() {
    python3 - "$1" "$2" <<'END'
import csv, json, sys
s = json.load(open(sys.argv[1] + "/summary.json"))
rows = list(csv.DictReader(open(sys.argv[1] + "/history.csv")))
q, last, drag = s["quality"], rows[-1], s["quantities"]["D"]
print(s["outcome"], q, drag, last)
assert eval(sys.argv[2])
END
}
drag() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1] + "/summary.json"))["quantities"]["D"])' "$1"; }
run() { OMP_NUM_THREADS=1 "$knudsen" run lid.yaml "$@"; }

check "runs" ends 0 run --out whole
check "the output has iterations" contains out '^steady state reached: iteration '
check "the verdict is steady" judge whole 's["outcome"] == "steady" and q["verdict"] == "steady" and s["steps"] < 40'
check "residual, update and balance are small" judge whole \
    'all(float(last[name]) < 1e-6 for name in ("equation_residual", "update")) and float(last["balance"]) < 1e-5'
check "a row per iteration" judge whole '[int(row["step"]) for row in rows] == list(range(len(rows)))'
check "the fields are complete" ends 0 "$knudsen" report whole
check "the same bits with 2 threads" ends 0 env OMP_NUM_THREADS=2 "$knudsen" run lid.yaml --out two --set run.threads=2
check "equal histories" cmp whole/history.csv two/history.csv

# Continuation: the changes before are lost, and the answer is the same within the tolerance.
known=$(drag whole)
check "few iterations" ends 0 run --out cut --set time.max_steps=5
check "they are not steady" judge cut 's["outcome"] == "max steps" and q["verdict"] == "not steady" and s["steps"] == 5'
check "resume" ends 0 run --out cut --resume
check "the same answer" judge cut "s['outcome'] == 'steady' and abs(drag / $known - 1) < 1e-5"
check "run.walltime" ends 130 run --out late --set run.walltime=1e-6
check "the message names the iteration" contains err 'stopped by run.walltime at iteration'
check "resume after run.walltime" ends 0 run --out late --resume
check "the same answer again" judge late "s['outcome'] == 'steady' and abs(drag / $known - 1) < 1e-5"

# time.mode: auto: the choice, its reason, and a resumed run.
sed -i 's/^time: .*//' lid.yaml
chosen() { contains out "mode      $1"; }
check "auto" ends 0 run --out auto
check "auto is steady" chosen 'steady (auto'
check "the same bits" cmp whole/history.csv auto/history.csv
for key in time.end=0.1 time.max_steps=3 time.residual=10 output.fields=0.1 time.end=0.1\ output.average=0.05; do
    sets=() && for word in $key; do sets+=(--set "$word"); done
    check "auto with $key" ends 0 run --out auto --overwrite --set time.end=0.1 "${sets[@]}"
    check "steps in time" chosen 'unsteady (auto: .* is given)'
done
check "auto with Monte Carlo" ends 0 run --out auto --overwrite --set collision.method=monte-carlo --set time.step=0.02 \
    --set collision.samples=20 --dry-run
check "steps" contains out 'mode: unsteady'
check "info" ends 0 "$knudsen" info lid.yaml --set collision.method=monte-carlo --set collision.samples=20
check "the reason in info" contains out 'time.mode .*unsteady (auto: .*monte-carlo has no steady-state solver'
check "a start in time" ends 0 run --out cut --overwrite --set time.max_steps=4
check "its continuation has no limit" ends 0 run --out cut --resume --set time.end=1
check "a resumed run keeps its mode" chosen 'unsteady (auto: as the run that is resumed)'
check "few iterations" ends 130 run --out cut2 --set run.walltime=1e-6
check "their continuation" ends 0 run --out cut2 --resume
check "it is steady" chosen 'steady (auto: as the run that is resumed)'

# A finite disturbance at which the iterations diverge: steps in time instead.
wild=(--set disturbance=2 --set gas.delta=10000 --set velocity.nodes=8 --set run.force=true)
check "iterations that diverge" ends 130 run --out wild "${wild[@]}" --set run.walltime=4
check "the message" contains out 'diverge .*: steps in time instead'
check "with time.mode: steady they fail" ends 3 run --out wilder "${wild[@]}" --set time.mode=steady

# initial.from
check "the start of another run" ends 0 run --out warm --set initial.from=whole
check "the message names it" contains out 'starting from the gas in .*/whole'
check "it is converged" judge warm "s['steps'] <= 2 and abs(drag / $known - 1) < 1e-5"
check "a neighbour" ends 0 run --out warm --overwrite --set initial.from=whole --set gas.delta=11
warm=$(python3 -c 'import json; print(json.load(open("warm/summary.json"))["steps"])')
check "without it" ends 0 run --out cold --set gas.delta=11
check "fewer iterations, the same answer" judge cold "s['steps'] > $warm and abs(drag / $(drag warm) - 1) < 1e-5"
check "steps in time" ends 0 run --out warm --overwrite --set initial.from=whole --set time.end=1
# The time step has an error of 0.5 % on these cells; from rest D is 18 % higher at this time.
check "the gas is steady" judge warm "abs(drag / $known - 1) < 0.006"
from() { run --out no --set initial.from=whole "$@"; }
check "other cells" ends 2 from --set space.cells=[10,12]
check "the message has the cells" contains err '12 x 12 x 1 cells, this case 10 x 12 x 1'
check "other nodes" ends 2 from --set velocity.nodes=8
check "the message has the nodes" contains err 'has other velocity nodes'
check "no run" ends 2 from --set initial.from=nowhere
check "the message has the folder" contains err "nowhere' holds no run"
mkdir bare && cp whole/case.used.yaml bare
check "no checkpoint" ends 4 from --set initial.from=bare
check "the message has the key" contains err 'initial.from: there is no checkpoint in'
check "no advice for a run that is resumed" lacks err 'start without'
check "two initial states" ends 2 from --set initial.shape=shear
check "the message names both" contains err 'initial.shape: shear is another initial state'

# The validity checks judge the solution: a start in hot gas has a warning in time, but not in a steady state.
cat >mild.yaml <<'END'
gas: {delta: 10, reference: {temperature: 0}}
disturbance: 1
space: {cells: [12, 12], order: 3}
velocity: {grid: gauss, nodes: 8}
collision: {method: bgk}
walls: {top: {velocity: [0.1, 0, 0]}}
output: {vtk: false}
END
codes() { python3 -c 'import json, sys; print(*(n["code"] for n in json.load(open(sys.argv[1] + "/summary.json"))["notes"]))' "$1" >out; }
check "hot gas" ends 0 "$knudsen" run mild.yaml --out hot --set walls.top.temperature=2 --set run.force=true
check "a start in it, in time" ends 0 "$knudsen" run mild.yaml --out cooling --set initial.from=hot --set time.end=1
codes cooling
check "a warning about the gas" contains out 'gas'
check "a start in it, by iteration" ends 0 "$knudsen" run mild.yaml --out cool --set initial.from=hot
codes cool
check "no warning about the gas" lacks out 'gas'

# A plate that oscillates along its normal, with and without a transient.
cat >piston.yaml <<'END'
gas: {delta: 5}
space: {cells: 40, order: 3}
velocity: {grid: gauss, nodes: 8}
collision: {method: bgk}
walls: {left: {oscillation: {velocity: [1, 0, 0], temperature: 0.5, frequency: 0.5, phase: 0.4}}}
END
check "steps in time of a piston" ends 0 "$knudsen" run piston.yaml --out steps
check "its amplitudes by iteration" ends 0 "$knudsen" run piston.yaml --out parts --set time.mode=frequency
check "the output has amplitudes" contains out 'left.stress_x .* amplitude, phase'
# alike FRACTION: of the largest amplitude
alike() {
    python3 - "$1" <<'END'
import cmath, json, sys
of = [json.load(open(folder + "/summary.json"))["oscillation"] for folder in ("steps", "parts")]
largest = max(entry["amplitude"] for entry in of[0].values() if isinstance(entry, dict))
for name, entry in of[0].items():
    if isinstance(entry, dict):
        values = [cmath.rect(one[name]["amplitude"], one[name]["phase"]) for one in of]
        print(name, values)
        assert abs(values[1] - values[0]) < float(sys.argv[1]) * largest
END
}
check "both agree within 1 % of the largest" alike 0.01

# A cylinder and a box that oscillate with different phases: force, torque and heat, with and without a transient.
cat >bodies.yaml <<'END'
gas: {delta: 5}
space: {cells: [16, 16], order: 3}
velocity: {grid: gauss, nodes: 6}
collision: {method: bgk}
bodies:
  wire:
    cylinder: {centre: [0.6, 0.5], radius: 0.2}
    oscillation: {velocity: [1, 0, 0], frequency: 1, phase: 0.4}
  bar:
    box: {low: [0.125, 0.25], high: [0.25, 0.75]}
    oscillation: {velocity: [0, 1, 0], temperature: 0.5, frequency: 1}
END
check "steps in time of bodies" ends 0 "$knudsen" run bodies.yaml --out steps --overwrite --set time.end=40 --set time.courant=0.3
check "their amplitudes by iteration" ends 0 "$knudsen" run bodies.yaml --out parts --overwrite --set time.mode=frequency
check "forces, torques and heat of both" contains out 'bodies.wire.force_x .* amplitude, phase'
check "damping and added mass" contains out 'bodies.wire .* damping .* p0 lambda0 / V0, added mass .* p0 lambda0^2 / V0^2'
check "both agree within 1 % of the largest" alike 0.01
moving() {
    python3 - <<'END'
import json
of = [json.load(open(folder + "/summary.json"))["moving_bodies"] for folder in ("steps", "parts")]
for body in "wire", "bar":
    for name in "damping", "added_mass":
        print(body, name, *(one[body][name] for one in of))
        assert abs(of[1][body][name] / of[0][body][name] - 1) < 0.01
END
}
check "also damping and added mass" moving

# Without collisions the gas around a cylinder damps it at any frequency by sqrt(pi) (3 + pi / 2) R = 4.050765, and
# has no added mass.  Six cells across the cylinder lose 0.5 % of its surface.
cat >free.yaml <<'END'
gas: {delta: 1}
space: {cells: [18, 18], size: [3, 3]}
velocity: {grid: gauss, nodes: [8, 8, 4]}
collision: {method: none}
walls: {left: {kind: inflow}, right: {kind: inflow}, bottom: {kind: inflow}, top: {kind: inflow}}
bodies:
  wire:
    cylinder: {centre: [1.5, 1.5], radius: 0.5}
    oscillation: {velocity: [1, 0, 0], frequency: 2}
time: {mode: frequency}
END
check "a cylinder without collisions" ends 0 "$knudsen" run free.yaml --out free
free() {
    python3 - <<'END'
import json
wire = json.load(open("free/summary.json"))["moving_bodies"]["wire"]
print(wire)
assert abs(wire["damping"] / 4.050765 - 1) < 0.008 and abs(2 * wire["added_mass"]) < 0.008 * 4.05
END
}
check "its damping is exact within 0.8 %" free

# Continuation of an oscillation from its iterate, also of a run that was killed; neighbours of it.
cat >plate.yaml <<'END'
gas: {delta: 10}
space: {cells: 40, order: 3}
velocity: {grid: gauss, nodes: 6}
collision: {method: bgk}
walls: {right: {oscillation: {velocity: [0, 1, 0], frequency: 1.0e-4}}}
time: {mode: frequency}
END
swing() { OMP_NUM_THREADS=1 "$knudsen" run plate.yaml "$@"; }
mass() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1] + "/summary.json"))["moving_walls"]["right"]["added_mass"])' "$1"; }
steps() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1] + "/summary.json"))["steps"])' "$1"; }
check "an oscillation" ends 0 swing --out swing
known=$(mass swing) needed=$(steps swing)
check "few iterations" ends 0 swing --out swing2 --set time.max_steps=6
check "resume" ends 0 swing --out swing2 --resume
same_oscillation() {
    python3 - "$known" "$needed" "$1" <<'END'
import json, sys
s = json.load(open(sys.argv[3] + "/summary.json"))
print(sys.argv, s["moving_walls"], s["steps"])
assert abs(s["moving_walls"]["right"]["added_mass"] / float(sys.argv[1]) - 1) < 1e-5
assert s["quality"]["verdict"] == "oscillating" and s["steps"] <= int(sys.argv[2]) + 3
END
}
check "the same added mass, after as many iterations" same_oscillation swing2
check "a neighbour" ends 0 swing --out near --set initial.from=swing --set walls.right.oscillation.frequency=1.2e-4
check "fewer iterations" test "$(steps near)" -lt $((needed - 3))
check "the same frequency" ends 0 swing --out again --set initial.from=near
check "the same added mass again" same_oscillation again
check "a start in time from it" ends 0 swing --out later --set initial.from=swing --set time.mode=unsteady --set time.end=1
check "a steady state is no start" ends 2 swing --out no --set initial.from=whole
check "the message has the mode" contains err 'has no oscillation (time.mode: frequency)'
check "a phase" ends 2 swing --out no --set initial.from=swing --set walls.right.oscillation.phase=1
check "the message has the phase" contains err 'needs oscillation.phase: 0'

# Killed runs: with checkpoints of each iteration, the run goes on from the last one to the same answer.
# killed NAME FILE ARGUMENT...: kills the run after two rows of the history, and resumes it.
killed() {
    local name=$1 pid
    shift
    OMP_NUM_THREADS=1 "$knudsen" run "$@" --out "$name" --quiet --set output.checkpoint=1e-3 &
    pid=$!
    for ((i = 0; i < 3000; i++)); do
        compgen -G "$name/checkpoint-b.h5" >/dev/null && break
        sleep 0.005
    done
    kill -KILL $pid
    wait $pid 2>/dev/null
    [ ! -e "$name/summary.json" ] || echo "it had ended"
    ends 0 env OMP_NUM_THREADS=1 "$knudsen" run "$@" --out "$name" --resume && contains out 'resuming from'
}
long=(lid.yaml --set 'space.cells=[24,24]' --set velocity.nodes=8 --set time.mode=steady)
check "a steady state" ends 0 "$knudsen" run "${long[@]}" --out whole2
known=$(drag whole2)
check "killed and resumed" killed killed2 "${long[@]}"
check "the same drag" judge killed2 "s['outcome'] == 'steady' and s['steps'] > 5 and abs(drag / $known - 1) < 1e-5"
check "a finite disturbance" ends 0 "$knudsen" run "${long[@]}" --out whole3 --set disturbance=0.5
known=$(drag whole3)
check "killed and resumed" killed killed3 "${long[@]}" --set disturbance=0.5
check "the same drag" judge killed3 "s['outcome'] == 'steady' and s['steps'] > 5 and abs(drag / $known - 1) < 1e-5"
slow=(bodies.yaml --set time.mode=frequency)
check "killed and resumed oscillation" killed killed4 "${slow[@]}"
rm -r steps && mv killed4 steps
check "the same amplitudes" alike 1e-5

check "info" ends 0 "$knudsen" info lid.yaml
check "info has iterations" contains out '^iterations '
check "dry run" ends 0 run --dry-run

echo 'time: {mode: steady}' >>lid.yaml
# refused KEY=VALUE... PATTERN: exit code 2 and a message.
refused() {
    local pattern=${!#} setting all=()
    for setting in "${@:1:$#-1}"; do all+=(--set "$setting"); done
    check "refused: $*" ends 2 run --out no "${all[@]}"
    check "the message: $pattern" contains err "$pattern"
}
refused collision.method=monte-carlo velocity.nodes=8 'has no steady-state solver'
refused space.order=2 'space.limiter: van-leer is not linear'
refused output.fields=1 'a steady state has no series of fields'
refused output.average=1 'a steady state has no averages'
refused run.backend=strict 'strict does not have time.mode: steady'
refused 'walls.top.oscillation.velocity=[1, 0, 0]' walls.top.oscillation.frequency=1 'has no steady state'
refused time.mode=frequency 'needs a wall that oscillates'
refused time.mode=frequency 'walls.left.oscillation.velocity=[0, 1, 0]' walls.left.oscillation.frequency=1 'it is steady'
refused time.mode=frequency disturbance=0.1 'solves the linearised equation'
refused 'walls.top.velocity=[0, 0, 0]' walls.top.kind=specular walls.bottom.kind=specular walls.left.kind=specular \
    walls.right.kind=specular 'needs a diffuse wall or an inflow'
exit $failed
