#!/bin/bash
# Steady states and oscillations have the same bits on any number of ranks, after the same iterations: 1-D to 3-D,
# every order, linear and strong flows, bodies, ports, closed parts of the gas, periodic ends, threads.
# usage: test_steady.sh PROGRAM SOURCE_FOLDER
knudsen=$(realpath "$1") && [ -x "$knudsen" ] || { echo "usage: $0 PROGRAM SOURCE_FOLDER"; exit 1; }
. "$(dirname "$(realpath "$0")")/ranks.sh"

cat >case.yaml <<'END'
gas:
  delta: 5
velocity:
  nodes: 6
space:
  cells: [13, 11]
  order: 3
collision:
  method: bgk
walls:
  top:
    velocity: [1, 0, 0]
  bottom:
    temperature: 0.5
time:
  mode: steady
END

line="space.cells=[1,13] walls.left.kind=periodic walls.right.kind=periodic"
cube="space.cells=[6,5,9] space.size=[1,1,1] walls.back.kind=diffuse walls.front.kind=diffuse"
operator="collision.method=operator"
alike "plane" "2 3 4" $operator
alike "plane, order 1, uneven boxes" "5 6" space.order=1
alike "plane, order 2" "3" space.order=2 space.limiter=none collision.method=shakhov
alike "line" "2 4" $line $operator
alike "space" "2 3" $cube $operator
alike "space, order 1" "4" $cube space.order=1
alike "free flight" "4" collision.method=none
alike "few collisions, sweeps alone" "3" gas.delta=0.5
alike "periodic ends" "2 4" walls.left.kind=periodic walls.right.kind=periodic
alike "mirrors and a scattering wall" "4" walls.left.kind=specular walls.bottom.kind=symmetry \
    walls.bottom.temperature=0 walls.right.accommodation=0.4 walls.top.tangential=0.8 walls.top.normal=0.6
alike "a force and inflow" "3" walls.top.velocity=0 walls.left.kind=inflow walls.right.kind=inflow \
    "walls.left.velocity=[0.3,0,0]" walls.right.density=0.2 "source.force=[0.1,0,0]"
OMP_NUM_THREADS=3 alike "three threads a rank" "2" run.threads=3
bodies=("space.cells=[12,10]" "bodies.bar.box=[[0.25,0.2],[0.4166667,0.5]]" bodies.bar.temperature=0.5
    bodies.bar.accommodation=0.7 "bodies.fin.box=[[0.75,0.6],[1,0.6]]")
alike "bodies" "2 3 4" "${bodies[@]}" "bodies.wall.plate={axis: x, at: 0.5833333, open: [[0.4,0.6]]}"
alike "closed parts" "4" "${bodies[@]}" "bodies.wall.plate={axis: x, at: 0.5833333}"
alike "ports" "2 3 4" "${bodies[@]}" ports.in.pressure=1 "ports.in.to=[0,0.5]" ports.out.side=right
alike "a strong flow" "2 3 4" disturbance=0.4 collision.method=shakhov
alike "a strong flow, the operator" "3" disturbance=0.3 $operator space.cells=[8,7]
alike "a strong flow in dense gas" "2 4" disturbance=0.5 gas.delta=60 space.cells=[10,10]
alike "closed parts in a strong flow" "4" "${bodies[@]}" disturbance=0.3 "bodies.wall.plate={axis: x, at: 0.5833333}"
shaken=(time.mode=frequency walls.top.velocity=0 walls.bottom.temperature=0
    "walls.top.oscillation.velocity=[1,0,0]" walls.top.oscillation.frequency=3)
alike "an oscillation" "2 3 4" "${shaken[@]}"
alike "an oscillation in space" "4" "${shaken[@]}" $cube $operator

# --------------------------------------------------------------- choice of the mode, resume, start, signals

sed -i '/^time:/,$d' case.yaml
run() { local n=$1; shift; ranks "$n" run case.yaml --quiet "$@"; }
outcome() { grep -q "\"outcome\": \"$2\"" "$1/summary.json"; }
check "auto on two ranks" ends 0 run 2 --out auto
check "it is steady" outcome auto steady
check "the first iterations" ends 0 "$knudsen" run case.yaml --quiet --out cut --set time.mode=steady --set time.max_steps=4
for n in 1 2 3; do
    rm -rf "cut$n"
    cp -r cut "cut$n"
    check "resumed on $n ranks" ends 0 run $n --out "cut$n" --resume --set time.mode=steady
    check "started from them on $n ranks" ends 0 run $n --out "warm$n" --set initial.from=cut --set gas.delta=2.2
done
check "the resumed runs: same bits" same cut1 cut2 cut3
check "the started runs: same bits" same warm1 warm2 warm3
wild=(--set disturbance=2 --set gas.delta=10000 --set velocity.nodes=8 --set run.force=true)
check "iterations that diverge on two ranks" ends 130 ranks 2 run case.yaml --out wild "${wild[@]}" --set run.walltime=6
check "steps in time instead" grep -q 'diverge .*: steps in time instead' out
check "with time.mode: steady they fail" ends 3 run 2 --out wilder "${wild[@]}" --set time.mode=steady
check "walltime" ends 130 run 3 --out brief --set time.mode=steady --set run.walltime=1e-6
check "its continuation" ends 0 run 3 --out brief --resume
check "it is steady" outcome brief steady
check "cylinders needs one rank" ends 2 run 2 --out round --set time.mode=steady --set bodies.rod.cylinder.centre=[0.5,0.5] \
    --set bodies.rod.cylinder.radius=0.2
check "the message says so" contains err 'needs one rank'
exit $failed
