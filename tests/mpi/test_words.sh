#!/bin/bash
# What a job of several ranks says, and how it ends when something is wrong: once, and soon.
# usage: test_words.sh PROGRAM SOURCE_FOLDER
knudsen=$(realpath "$1") && [ -x "$knudsen" ] || { echo "usage: $0 PROGRAM SOURCE_FOLDER"; exit 1; }
source=$(realpath "$2")
. "$(dirname "$(realpath "$0")")/ranks.sh"

once() { [ "$(grep -c -- "$2" "$1")" -eq 1 ] || { echo "'$2' is $(grep -c -- "$2" "$1") times in $1"; return 1; }; }
says() { once err "^knudsen: .*$1" || once err "^case.yaml:[0-9:]* .*$1"; }

cat >case.yaml <<'END'
space:
  cells: [12, 12]
velocity:
  nodes: 6
collision:
  method: bgk
walls:
  top:
    velocity: [1, 0, 0]
time:
  max_steps: 10
END

check "a run" ends 0 ranks 3 run case.yaml --out run --set output.vtk=true
check "one box" once out '^  grid '
check "it names the ranks" once out '^  ranks     3, '
check "and their threads" contains out 'thread per rank'
check "the end is told once" once out '^max steps: step 10'
check "ranks in summary.json" contains run/summary.json '"ranks": 3'
check "the log is written once" once run/run.log '^  grid '
check "history once" test "$(grep -c '^10,' run/history.csv)" -eq 1

check "--help" ends 0 ranks 2 run --help
check "--help once" once out '^Usage:'
check "an unknown option" ends 2 ranks 2 run case.yaml --nonsense
check "is told once" once err "unrecognized option"
check "--version" ends 0 ranks 3 --version
check "--version once" once out '^knudsen [0-9]'
check "an unknown command" ends 2 ranks 3 runn
check "is told once" once err 'did you mean run'
check "no command" ends 2 ranks 2
check "is told once" once err '^Usage:'
check "no case" ends 2 ranks 2 run
check "is told once" once err 'a case file is required'
check "two cases" ends 2 ranks 2 run case.yaml other.yaml
check "are told once" once err 'one case file at a time'
check "options that do not go together" ends 2 ranks 2 bench --quick
check "are told once" once err 'go with --scaling only'
check "an unknown key" ends 2 ranks 3 run case.yaml --set space.cels=3
check "is told once" says 'space.cells'
check "no file" ends 2 ranks 2 run none.yaml
check "is told once" says 'none.yaml'
check "too many ranks" ends 2 ranks 4 run case.yaml --set space.cells=[3,3] --set space.order=2 --out few
check "are told" says 'too few for 4 ranks'
check "a folder that cannot be" ends 4 ranks 3 run case.yaml --out /proc/nowhere
check "is told once" says '/proc/nowhere'
# a limit that MPI itself can live with, and a checkpoint cannot
check "a full disk" ends 4 timeout 60 "$mpirun" -n 3 bash -c "ulimit -f 16384; exec '$knudsen' run case.yaml --out full \
    --set space.cells=[128,64] --set velocity.nodes=12 --set time.max_steps=2"
check "is told once" says 'full/checkpoint'
check "no GPU here, or it works" bash -c "timeout 60 '$mpirun' -n 2 '$knudsen' run case.yaml --out gpu \
    --set run.backend=cuda --quiet >out 2>err; code=\$?; [ \$code -eq 0 ] || [ \$code -eq 2 ]"
unstable=(--set gas.delta=1000 --set collision.update=explicit --set collision.samples=50 --set time.end=200
    --set time.max_steps=0 --set velocity.grid=stretched --set velocity.nodes=20 --set collision.estimator=paper
    --set collision.method=monte-carlo --set space.cells=[8,8])
check "a state that is not finite" ends 3 ranks 3 run case.yaml --out bad --quiet "${unstable[@]}"
check "names the cell once" says 'non-finite .* in cell'

check "KNUDSEN_MPI is on or off" ends 2 env KNUDSEN_MPI=yes "$knudsen" doctor
check "and that is said" says 'on or off'
check "off: two copies that do not know each other" ends 0 env KNUDSEN_MPI=off timeout 60 "$mpirun" -n 2 "$knudsen" doctor
unconnected() { env PMI_RANK=0 PMI_SIZE=3 "$knudsen" doctor; } # as another MPI would start it
check "a launcher that MPI does not know" ends 2 unconnected
check "is told" says 'started 3 processes'
check "commands for one rank" ends 0 ranks 3 cases
check "are carried out once" once out '^cavity '
check "plot" ends 0 ranks 2 info case.yaml

# mpirun passes SIGUSR1 on: a checkpoint, and the run goes on.
timeout 60 "$mpirun" -n 2 "$knudsen" run case.yaml --out signal --set time.max_steps=100000000 --set time.end=1e9 \
    --set run.walltime=20 >job.out 2>job.err &
sleep 1.5
pkill -USR1 -P $! mpirun || kill -USR1 $!
sleep 1
check "a second run into its folder" ends 2 "$knudsen" run case.yaml --out signal --overwrite --quiet
check "is refused" says 'signal. is in use'
check "SIGUSR1: a checkpoint" test -s signal/checkpoint-a.h5
check "SIGUSR1: told once" once job.out 'checkpoint on request'
pids=($(pgrep -f "^$knudsen run case.yaml --out signal"))
kill -TERM "${pids[1]}" # any rank will do
wait
check "SIGTERM to one rank stops all" once job.err 'interrupted at step'
exit $failed
