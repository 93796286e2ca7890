#!/bin/bash
# The same case on 1, 2, 3 and 4 ranks gives the same bits: 1-D to 3-D, every order, every collision method.
# usage: test_bits.sh PROGRAM SOURCE_FOLDER
knudsen=$(realpath "$1") && [ -x "$knudsen" ] || { echo "usage: $0 PROGRAM SOURCE_FOLDER"; exit 1; }
. "$(dirname "$(realpath "$0")")/ranks.sh"

cat >case.yaml <<'END'
gas:
  delta: 2
velocity:
  nodes: 6
walls:
  top:
    velocity: [1, 0, 0]
  bottom:
    temperature: 0.5
time:
  max_steps: 12
output:
  history: 5
  average: 0
END

operator="collision.method=operator"
sampled="collision.method=monte-carlo collision.samples=256"
bgk="collision.method=bgk"
line="space.cells=[1,13] walls.left.kind=periodic walls.right.kind=periodic"
square="space.cells=[13,11]"
cube="space.cells=[6,5,9] space.size=[1,1,1] walls.back.kind=diffuse walls.front.kind=diffuse"
# Each collision method in each space is run on 1, 2, 3 and 4 ranks: half of the runs at first order, the rest at
# third order, which reads the same cells as second order.
for order in 1 3; do
    numbers=$([ $order -eq 1 ] && echo "1 3" || echo "2 4")
    for collide in "$operator" "$sampled" "$bgk"; do
        for space in "$line" "$square" "$cube"; do
            name=${space%% walls*} method=${collide#*=}
            alike "${method%% *}, order $order, ${name#*=}" "$numbers" $space $collide "space.order=$order"
        done
    done
done
alike "order 2" "3" $square $bgk space.order=2
alike "bodies, ports, temperature along surfaces" "2 3 4" space.cells=[16,12] $bgk \
    "walls.bottom.temperature=[0.5,0,1]" "bodies.bar.box.low=[0.25,0.25]" "bodies.bar.box.high=[0.5,0.5]" \
    "bodies.bar.temperature=[0,1]" "bodies.bar.rotation=1" ports.in.pressure=1 ports.out.side=right
exit $failed
