#!/bin/bash
# Messages and exit codes of a job on several ranks: every message is printed once, and errors end the job soon.
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

check "a run on three ranks" ends 0 ranks 3 run case.yaml --out run --set output.vtk=true
check "the header is printed once" once out '^  grid '
check "the header contains the ranks" once out '^  ranks     3, '
check "the header contains the threads" contains out 'thread per rank'
check "the outcome is printed once" once out '^max steps: step 10'
check "summary.json contains the ranks" contains run/summary.json '"ranks": 3'
check "the header is in run.log once" once run/run.log '^  grid '
check "the last row is in the history once" test "$(grep -c '^10,' run/history.csv)" -eq 1

check "--help" ends 0 ranks 2 run --help
check "--help is printed once" once out '^Usage:'
check "an unknown option is refused" ends 2 ranks 2 run case.yaml --nonsense
check "unknown option: one message" once err "unrecognized option"
check "--version" ends 0 ranks 3 --version
check "--version is printed once" once out '^knudsen [0-9]'
check "an unknown command is refused" ends 2 ranks 3 runn
check "unknown command: one message" once err 'did you mean run'
check "no command is an error" ends 2 ranks 2
check "no command: one message" once err '^Usage:'
check "a missing case is an error" ends 2 ranks 2 run
check "missing case: one message" once err 'a case file is required'
check "two cases are refused" ends 2 ranks 2 run case.yaml other.yaml
check "two cases: one message" once err 'one case file at a time'
check "--quick without --scaling is refused" ends 2 ranks 2 bench --quick
check "--quick without --scaling: one message" once err 'require --scaling'
check "an unknown key is refused" ends 2 ranks 3 run case.yaml --set space.cels=3
check "unknown key: one message" says 'space.cells'
check "a missing file is an error" ends 2 ranks 2 run none.yaml
check "missing file: one message" says 'none.yaml'
check "too many ranks are refused" ends 2 ranks 4 run case.yaml --set space.cells=[3,3] --set space.order=2 --out few
check "too many ranks: one message" says 'too few for 4 ranks'
check "a folder that cannot be created is an error" ends 4 ranks 3 run case.yaml --out /proc/nowhere
check "folder that cannot be created: one message" says '/proc/nowhere'
# a file-size limit that is sufficient for MPI but not for a checkpoint
check "a full disk is an error" ends 4 timeout 60 "$mpirun" -n 3 bash -c "ulimit -f 16384; exec '$knudsen' run case.yaml --out full \
    --set space.cells=[128,64] --set velocity.nodes=12 --set velocity.reduce=none --set time.max_steps=2"
check "full disk: one message" says 'full/checkpoint'
check "run.backend: cuda works or is refused" bash -c "timeout 60 '$mpirun' -n 2 '$knudsen' run case.yaml --out gpu \
    --set run.backend=cuda --quiet >out 2>err; code=\$?; [ \$code -eq 0 ] || [ \$code -eq 2 ]"
unstable=(--set gas.delta=1000 --set collision.update=explicit --set collision.samples=50 --set time.end=200
    --set time.max_steps=0 --set velocity.grid=stretched --set velocity.nodes=20 --set collision.estimator=paper
    --set collision.method=monte-carlo --set space.cells=[8,8])
check "a run with non-finite values ends with 3" ends 3 ranks 3 run case.yaml --out bad --quiet "${unstable[@]}"
check "the message names the cell once" says 'non-finite .* in cell'

check "another value of KNUDSEN_MPI is refused" ends 2 env KNUDSEN_MPI=yes "$knudsen" doctor
check "the message names on and off" says 'on or off'
check "KNUDSEN_MPI=off: two independent processes" ends 0 env KNUDSEN_MPI=off timeout 60 "$mpirun" -n 2 "$knudsen" doctor
unconnected() { env PMI_RANK=0 PMI_SIZE=3 "$knudsen" doctor; } # as a launcher of another MPI library would start it
check "a launcher of another MPI library is refused" ends 2 unconnected
check "the message contains the number of processes" says 'started 3 processes'
check "a command for one rank" ends 0 ranks 3 cases
check "the command is executed once" once out '^cavity '
check "info on two ranks" ends 0 ranks 2 info case.yaml

# mpirun forwards SIGUSR1: the run writes a checkpoint and continues.
timeout 60 "$mpirun" -n 2 "$knudsen" run case.yaml --out signal --set time.max_steps=100000000 --set time.end=1e9 \
    --set run.walltime=20 >job.out 2>job.err &
sleep 1.5
pkill -USR1 -P $! mpirun || kill -USR1 $!
sleep 1
check "a second run into a folder in use is refused" ends 2 "$knudsen" run case.yaml --out signal --overwrite --quiet
check "the message states that the folder is in use" says 'signal. is in use'
check "SIGUSR1: a checkpoint is written" test -s signal/checkpoint-a.h5
check "SIGUSR1: one message" once job.out 'checkpoint on request'
pids=($(pgrep -f "^$knudsen run case.yaml --out signal"))
kill -TERM "${pids[1]}" # any rank will do
wait
check "SIGTERM to one rank stops all" once job.err 'interrupted at step'
exit $failed
