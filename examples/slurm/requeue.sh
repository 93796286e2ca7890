#!/bin/bash
# A case that takes longer than a job may: sbatch requeue.sh CASE.yaml FOLDER [ARGUMENTS OF knudsen run...]
# A little before the time is up the run writes a checkpoint and stops, and the job goes back into the queue,
# until the case has come to its end.  scancel ends it; the same sbatch goes on from there.
# For GPUs change the lines that say GPUs.
#SBATCH --job-name=knudsen
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=8          # GPUs: 4, as many as a node has; and one line more, --gpus-per-node=4
#SBATCH --cpus-per-task=16           # GPUs: 8
#SBATCH --hint=nomultithread         # GPUs: without this line
#SBATCH --time=04:00:00
#SBATCH --requeue                    # may be put back, by itself or after a node has failed,
#SBATCH --open-mode=append           # and keeps what it has printed
# and what your site wants: --account, --partition, --mem

# knudsen must be in PATH inside the job, with the MPI (and CUDA) that it was built with:
# module load openmpi hdf5; export PATH=$HOME/knudsen/bin:$PATH

[ $# -ge 2 ] || { echo "usage: sbatch requeue.sh CASE.yaml FOLDER [ARGUMENTS OF knudsen run...]" >&2; exit 2; }
case=$1 folder=$2
shift 2
reserve=${KNUDSEN_RESERVE:-300}      # s, for the last checkpoint: seconds in most cases, more for hundreds of GB
cores=${SLURM_CPUS_PER_TASK:-1}

export OMP_NUM_THREADS=$cores OMP_PLACES=cores OMP_PROC_BIND=close # GPUs: OMP_NUM_THREADS alone
export KNUDSEN_MPI=on                # ranks that cannot find each other fail, rather than run the case once each
# export SLURM_MPI_TYPE=pmix         # where ranks do not find each other; srun --mpi=list names the choices

# 1. what is left of the job
end=${SLURM_JOB_END_TIME:-$(date -d "$(squeue -h -j "$SLURM_JOB_ID" -o %e)" +%s)} || exit
left=$((end - $(date +%s) - reserve))
[ "$left" -gt 0 ] || { echo "requeue.sh: --time leaves nothing beside the $reserve s for the last checkpoint" >&2; exit 2; }

# 2. a piece of the run: from the newest checkpoint, if there is one; --overwrite replaces a finished run
results=$folder
[ -d "$folder/.knudsen-new" ] && results=$folder/.knudsen-new # a run with --overwrite, until it ends
stopped() { [ ! -e "$results/summary.json" ] || grep -Eq '"outcome": *"(interrupted|walltime)"' "$results/summary.json"; }
resume=() overwrite=
for word in "$@"; do [ "$word" = --overwrite ] && overwrite=yes; done
for checkpoint in "$results"/checkpoint-[ab].h5; do
    [ -e "$checkpoint" ] && { [ ! "$overwrite" ] || stopped; } && resume=(--resume)
done
arguments=()                         # a run that is resumed is not replaced
for word in "$@"; do [ "$word" = --overwrite ] && [ ${#resume[@]} -gt 0 ] || arguments+=("$word"); done
stopped && rm -f "$results/summary.json" # the one that is there afterwards is of this piece
# GPUs: --gpu-bind=none in the place of --cpu-bind=cores, and run.backend=cuda
srun --cpus-per-task="$cores" --cpu-bind=cores --kill-on-bad-exit=1 \
    knudsen run "$case" --out "$folder" "${resume[@]}" "${arguments[@]}" --set run.backend=cpu --set run.walltime="$left"
code=$?

# 3. once more, where time was all that it lacked; anything else is for you to look at
results=$folder
[ -d "$folder/.knudsen-new" ] && results=$folder/.knudsen-new
grep -q '"outcome": *"walltime"' "$results/summary.json" 2>/dev/null || exit "$code"
scontrol requeue "$SLURM_JOB_ID"
