#!/bin/bash
# The jobs of examples/slurm with substitutes for the Slurm commands: the srun command, the number of ranks, and
# requeued runs.
# usage: test_slurm.sh PROGRAM SOURCE_FOLDER
knudsen=$(realpath "$1") && [ -x "$knudsen" ] || { echo "usage: $0 PROGRAM SOURCE_FOLDER"; exit 1; }
jobs=$(realpath "$2")/examples/slurm
. "$(dirname "$(realpath "$0")")/../check.sh"

ranks=1 # or two, where the program and mpirun know Open MPI
"$knudsen" doctor | grep -q '^MPI  *Open MPI' && mpirun --version 2>/dev/null | grep -q 'Open MPI' && ranks=2
echo "      on $ranks rank$([ $ranks -eq 1 ] || echo s)"

# ------------------------------------------------------------- substitutes for Slurm

mkdir bin
ln -s "$knudsen" bin/knudsen
# srun: records its command line; options come before the program
cat >bin/srun <<'END_SRUN'
#!/bin/bash
echo "srun $*" >>"$SLURM_CALLS"
while [[ $1 == -* ]]; do shift; done
[ "$RANKS" -gt 0 ] || exit 0
if [ "$RANKS" -gt 1 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
    exec timeout -k 5 60 mpirun --oversubscribe --bind-to none -n "$RANKS" "$@"
fi
KNUDSEN_MPI=off exec "$@"
END_SRUN
# scontrol requeue: sbatch starts the job again. The progress of a job depends on the machine, so the end of the case
# is set after the first job, slightly beyond its last step.
cat >bin/scontrol <<'END_SCONTROL'
#!/bin/bash
echo "scontrol $*" >>"$SLURM_CALLS"
at=cut/summary.json
[ -e cut/.knudsen-new/summary.json ] && at=cut/.knudsen-new/summary.json
steps=$(sed -n 's/^ *"steps": *\([0-9]*\).*/\1/p' $at)
sed -i "s/{end: 1e6}/{end: 1e6, max_steps: $((steps + 25))}/" long.yaml
END_SCONTROL
cat >bin/squeue <<'END_SQUEUE'
#!/bin/bash
date -d "+$LIMIT seconds" +%Y-%m-%dT%H:%M:%S
END_SQUEUE
# sbatch SCRIPT ARGUMENTS...: repeats the job while it is requeued, at most nine times
cat >bin/sbatch <<'END_SBATCH'
#!/bin/bash
for piece in 1 2 3 4 5 6 7 8 9; do
    : >"$SLURM_CALLS.piece"
    [ -n "$KNOWS_END" ] && export SLURM_JOB_END_TIME=$(($(date +%s) + LIMIT))
    SLURM_CALLS=$SLURM_CALLS.piece bash "$@"
    code=$?
    cat "$SLURM_CALLS.piece" >>"$SLURM_CALLS"
    grep -q "^scontrol requeue $SLURM_JOB_ID$" "$SLURM_CALLS.piece" || exit "$code"
done
exit 99
END_SBATCH
chmod +x bin/*
export PATH=$work/bin:$PATH SLURM_CALLS=$work/calls RANKS=$ranks SLURM_JOB_ID=17 SLURM_CPUS_PER_TASK=1 TERM=dumb

cat >case.yaml <<'END_CASE'
gas: {delta: 1}
space: {cells: [12, 12], order: 2}
velocity: {nodes: 6}
collision: {method: bgk}
walls: {top: {velocity: [1, 0, 0]}}
END_CASE

# ---------------------------------------------------------------------- one job each

# fresh JOB, goes_on JOB: true if the last srun started again, or resumed.
fresh() { tail -n 1 calls | grep -q "knudsen run .*--out $1 " && ! tail -n 1 calls | grep -q -- --resume || { cat calls; return 1; }; }
goes_on() { tail -n 1 calls | grep -q -- "knudsen run .*--out $1 --resume" || { cat calls; return 1; }; }

export LIMIT=400 KNOWS_END=yes # 300 of them are kept for the last checkpoint
for job in cpu gpu requeue; do
    check "$job.sh without a folder ends with 2" ends 2 sbatch "$jobs/$job.sh" case.yaml
    check "$job.sh prints its usage" contains err "usage: sbatch $job.sh CASE.yaml FOLDER"
done
check "cpu.sh runs" ends 0 sbatch "$jobs/cpu.sh" case.yaml cpu --set time.end=0.1
check "cpu.sh uses the CPU" contains cpu/summary.json '"backend": *"cpu"'
check "cpu.sh runs on all ranks" contains cpu/summary.json "\"ranks\": *$ranks\b"
check "cpu.sh binds ranks to cores" contains calls '^srun --cpus-per-task=1 --cpu-bind=cores .*knudsen run case.yaml'
check "cpu.sh stops before the limit" contains calls 'run.walltime=\(100\|9[0-9]\)$'
check "cpu.sh does not replace a finished run" ends 2 env RANKS=1 sbatch "$jobs/cpu.sh" case.yaml cpu
check "the message states that the run is finished" contains err "'cpu' holds the results of a finished run"
check "cpu.sh does not resume a finished run" fresh cpu
check "cpu.sh --overwrite stops at the limit" ends 130 env RANKS=1 LIMIT=302 sbatch "$jobs/cpu.sh" case.yaml cpu --overwrite --set time.end=1e6
check "the earlier run is unchanged" contains cpu/summary.json '"outcome": *"end time"'
steps=$(sed -n 's/^ *"steps": *\([0-9]*\).*/\1/p' cpu/.knudsen-new/summary.json)
check "the same cpu.sh job continues" ends 0 env RANKS=1 sbatch "$jobs/cpu.sh" case.yaml cpu --overwrite --set time.end=1e6 --set "time.max_steps=$((steps + 5))"
check "the job uses --resume" goes_on cpu
check "the run is complete" contains cpu/summary.json "\"steps\": *$((steps + 5)),"
check "cpu.sh --overwrite starts again" ends 0 env RANKS=1 sbatch "$jobs/cpu.sh" case.yaml cpu --overwrite --set time.end=0.1
check "the job does not use --resume" fresh cpu
check "gpu.sh runs" ends 0 env -u SLURM_CPUS_PER_TASK RANKS=0 sbatch "$jobs/gpu.sh" case.yaml gpu
check "gpu.sh makes all GPUs visible and selects CUDA" contains calls '^srun --cpus-per-task=1 .*--gpu-bind=none .*knudsen run case.yaml .*run.backend=cuda'

check "cpu.sh stops before the time limit" ends 130 env LIMIT=302 sbatch "$jobs/cpu.sh" case.yaml time --set time.end=1e6
check "the outcome is walltime" contains time/summary.json '"outcome": *"walltime"'
check "cpu.sh continues the stopped run" ends 0 env RANKS=0 sbatch "$jobs/cpu.sh" case.yaml time
check "cpu.sh uses --resume" goes_on time
rm time/summary.json # as when a node fails
check "gpu.sh continues a run without a summary" ends 0 env RANKS=0 sbatch "$jobs/gpu.sh" case.yaml time
check "gpu.sh uses --resume" goes_on time
check "cpu.sh refuses a time limit below the reserve" ends 2 env LIMIT=100 sbatch "$jobs/cpu.sh" case.yaml none
check "cpu.sh: the message names --time" contains err '--time'

# ---------------------------------------------------------------------- several jobs

count() { test "$(grep -c "$1" calls)" "$2" "$3" || { echo "not $2 $3 times $1:"; cat calls; return 1; }; }
same() {
    knudsen run long.yaml --out whole --quiet && cmp whole/history.csv "$1/history.csv" &&
        contains "$1/summary.json" '"outcome": *"max steps"'
}

{ cat case.yaml; echo 'time: {end: 1e6}'; } >long.yaml
: >calls
export LIMIT=302
check "requeue.sh finishes the case" ends 0 sbatch "$jobs/requeue.sh" long.yaml cut
check "requeue.sh needs at least two jobs" count '^srun' -ge 2
check "all jobs except the first resume" count '^srun .*--resume' -eq $(($(grep -c '^srun' calls) - 1))
check "the history equals that of one run" same cut

{ cat case.yaml; echo 'time: {end: 1e6}'; } >long.yaml
: >calls
check "requeue.sh replaces a finished run" ends 0 env RANKS=1 sbatch "$jobs/requeue.sh" long.yaml cut --overwrite
check "the replacement needs at least two jobs" count '^srun' -ge 2
check "only the first job uses --overwrite" count '^srun .*--overwrite' -eq 1
check "the other jobs resume" count '^srun .*--resume' -eq $(($(grep -c '^srun' calls) - 1))
check "the temporary folder is removed" absent cut/.knudsen-new

: >calls
unset KNOWS_END # as before Slurm 22.05
check "requeue.sh reads the time limit from squeue" ends 0 env LIMIT=400 sbatch "$jobs/requeue.sh" case.yaml old --set time.end=0.1
check "a short case needs one job" count '^srun' -eq 1
check "the job is not requeued" count '^scontrol' -eq 0

: >calls
check "requeue.sh ends with 2 for bad input" ends 2 sbatch "$jobs/requeue.sh" case.yaml bad --set gas.delta=-1
check "bad input is not requeued" count '^scontrol' -eq 0
check "requeue.sh refuses a time limit below the reserve" ends 2 env LIMIT=100 sbatch "$jobs/requeue.sh" case.yaml none
check "requeue.sh: the message names --time" contains err '--time'
exit "$failed"
