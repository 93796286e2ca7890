#!/bin/bash
# Cylinders, spheres, polygons and STL surfaces across the boxes of ranks: the same bits on 1, 2, 3 and 4 ranks.
# usage: test_smooth.sh PROGRAM SOURCE_FOLDER
knudsen=$(realpath "$1") && [ -x "$knudsen" ] || { echo "usage: $0 PROGRAM SOURCE_FOLDER"; exit 1; }
. "$(dirname "$(realpath "$0")")/ranks.sh"

# refuses COMMAND...
refuses() {
    ends 2 "$@" && grep -q "time.mode: steady with cylinders, spheres, polygons or STL surfaces needs one rank" err
}

cat >case.yaml <<'YAML'
gas: {delta: 2}
space: {cells: [13, 11], order: 3}
velocity: {nodes: 6}
collision: {method: bgk}
walls:
  top: {velocity: [1, 0, 0]}
  bottom: {temperature: 0.5}
run: {force: true}
time: {mode: unsteady, max_steps: 12}
output: {history: 5, average: 0}
YAML

wire=("bodies.wire.cylinder.centre=[0.47,0.53]" bodies.wire.cylinder.radius=0.27 bodies.wire.rotation=0.5)
alike "cylinder, order 1" "3" "${wire[@]}" space.order=1
alike "cylinder, order 2" "2" "${wire[@]}" space.order=2
alike "cylinder, order 3" "1 2 3 4" "${wire[@]}"
alike "cylinder, operator" "3" "${wire[@]}" collision.method=operator
alike "cylinder, Monte Carlo" "4" "${wire[@]}" collision.method=monte-carlo collision.samples=256
alike "cylinder in a strong flow, Strang splitting, a series of files" "4" "${wire[@]}" disturbance=0.3 \
    collision.method=shakhov time.splitting=strang output.fields=0.04
alike "memory that the host cannot access" "3" "${wire[@]}" run.backend=strict
alike "polygon near a wall, and a box" "4" "bodies.fin.polygon=[0.2,0,0.6,0.04,0.35,0.5]" bodies.fin.temperature=1 \
    "bodies.bar.box=[[0.6153846,0.5454545],[0.8461538,0.8181818]]" walls.left.kind=specular
alike "two bodies, oscillation, periodic ends" "3 4" "${wire[@]}" "bodies.wire.temperature=[0,1]" \
    "bodies.wire.oscillation.velocity=[0.5,0,0]" bodies.wire.oscillation.frequency=3 "bodies.fin.polygon=[0.8,0.2,0.99,0.3,0.9,0.7]" \
    walls.left.kind=periodic walls.right.kind=periodic walls.top.velocity=0
alike "gas between cylinders" "4" "bodies.in.cylinder.centre=[0.5,0.5]" bodies.in.cylinder.radius=0.2 \
    "bodies.out.cylinder.centre=[0.5,0.5]" bodies.out.cylinder.radius=0.45 bodies.out.outside=true bodies.in.temperature=1
alike "sphere" "2 3 4" "space.cells=[9,8,10]" "space.size=[1,1,1]" "bodies.ball.sphere.centre=[0.47,0.53,0.5]" \
    bodies.ball.sphere.radius=0.3 walls.back.kind=diffuse walls.front.kind=diffuse time.max_steps=6
# Rank 2 reads rows of rank 1, and rank 1 none of rank 2.
alike "sphere in few cells" "5" "space.cells=[6,7,8]" "space.size=[1,1,1]" "bodies.ball.sphere.centre=[0.253,0.51,0.606]" \
    bodies.ball.sphere.radius=0.315 walls.back.kind=diffuse walls.front.kind=diffuse time.max_steps=6 space.order=2

# A run that is continued on another number of ranks, and a steady state, which needs one rank.
settings=()
for setting in "${wire[@]}"; do settings+=(--set "$setting"); done
check "without a stop" "$knudsen" run case.yaml --quiet --out whole "${settings[@]}"
check "a stop on 3 ranks" ranks 3 run case.yaml --quiet --out parts "${settings[@]}" --set time.max_steps=10
check "continued on 2 ranks" ranks 2 run case.yaml --quiet --out parts "${settings[@]}" --resume
check "same bits" same whole parts
check "a steady state is refused" refuses ranks 2 run case.yaml --quiet --out steady "${settings[@]}" --set time.mode=steady \
    --set time.max_steps=0 --set output.average=auto
exit $failed
