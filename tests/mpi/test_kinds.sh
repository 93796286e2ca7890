#!/bin/bash
# Results must not depend on the number of ranks, also in difficult cases: mirrors and partial accommodation at
# corners, periodic ends, stretched cells, oscillating walls, strong flows, inflow, Strang splitting, a series of
# files, threads, and memory that the host cannot access.
# usage: test_kinds.sh PROGRAM SOURCE_FOLDER
knudsen=$(realpath "$1") && [ -x "$knudsen" ] || { echo "usage: $0 PROGRAM SOURCE_FOLDER"; exit 1; }
. "$(dirname "$(realpath "$0")")/ranks.sh"

cat >case.yaml <<'END'
gas:
  delta: 1
velocity:
  nodes: 6
space:
  cells: [12, 10]
  order: 3
collision:
  method: shakhov
walls:
  top:
    velocity: [1, 0, 0]
time:
  max_steps: 20
output:
  history: 7
END

alike "mirrors" 4 walls.left.kind=specular walls.bottom.kind=symmetry walls.right.accommodation=0.4
alike "four corners of one box" 6 space.cells=[8,12] walls.left.accommodation=0.7 walls.top.accommodation=0.2
alike "periodic ends" 4 walls.left.kind=periodic walls.right.kind=periodic
alike "stretched cells" 3 "space.stretch=[0.9,0.8]" "space.cluster=[both,high]"
alike "limited slopes" 3 space.order=2 space.limiter=mc
alike "an oscillating wall" 3 walls.top.velocity=0 "walls.top.oscillation.velocity=[1,0,0]" \
    walls.top.oscillation.frequency=3
alike "a strong flow" 4 disturbance=0.4 collision.method=operator
alike "a strong flow, sampled" 2 disturbance=0.4 collision.method=monte-carlo collision.samples=512
alike "inflow" 3 space.cells=24 walls.top.velocity=0 walls.left.kind=inflow walls.right.kind=inflow "walls.left.velocity=[0.3,0,0]" \
    walls.right.density=0.2 collision.method=bgk
alike "free flight" 4 collision.method=none
alike "Strang splitting and a series of files" 4 time.splitting=strang output.fields=0.04 output.average=0.02
alike "memory that the host cannot access" 3 run.backend=strict collision.method=operator
OMP_NUM_THREADS=3 alike "three threads a rank" 2 run.threads=3 space.order=2
bodies=("bodies.bar.box=[[0.25,0.2],[0.4166667,0.5]]" bodies.bar.temperature=0.5 bodies.bar.accommodation=0.7
    "bodies.wall.plate={axis: x, at: 0.5833333, open: [[0.4,0.6]]}" "bodies.fin.box=[[0.75,0.6],[1,0.6]]" "source.force=[0.3,0,0.2]")
alike "bodies, order 3" 4 "${bodies[@]}"
alike "bodies, order 1" 3 "${bodies[@]}" space.order=1 collision.method=operator
alike "ports" 4 "${bodies[@]}" ports.in.pressure=1 "ports.in.to=[0,0.5]" ports.out.side=right
alike "bodies in a strong flow, limited slopes" 6 "${bodies[@]}" space.order=2 disturbance=0.3
exit $failed
