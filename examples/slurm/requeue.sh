#!/bin/bash
# A case that takes longer than the time limit of a job: sbatch requeue.sh CASE.yaml FOLDER [ARGUMENTS OF knudsen
# run...] Before the time limit the run writes a checkpoint and stops, and the job is requeued until the case is
# finished. scancel stops it; the same sbatch command continues it. For GPUs change the lines marked GPUs.
#SBATCH --job-name=knudsen
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=8          # GPUs: 4, one per GPU of a node; add --gpus-per-node=4
#SBATCH --cpus-per-task=16           # GPUs: 8
#SBATCH --hint=nomultithread         # GPUs: remove this line
#SBATCH --time=04:00:00
#SBATCH --requeue                    # may be requeued, by this script or after a node failure
#SBATCH --open-mode=append           # keep the earlier output
# add the options of your site: --account, --partition, --mem

# knudsen must be in PATH inside the job, with the MPI (and CUDA) that it was built with:
# module load openmpi hdf5; export PATH=$HOME/knudsen/bin:$PATH

[ $# -ge 2 ] || { echo "usage: sbatch requeue.sh CASE.yaml FOLDER [ARGUMENTS OF knudsen run...]" >&2; exit 2; }
case=$1 folder=$2
shift 2
reserve=${KNUDSEN_RESERVE:-300}      # s, for the last checkpoint: seconds in most cases, more for hundreds of GB
cores=${SLURM_CPUS_PER_TASK:-1}

export OMP_NUM_THREADS=$cores OMP_PLACES=cores OMP_PROC_BIND=close # GPUs: OMP_NUM_THREADS alone
export KNUDSEN_MPI=on                # ranks that cannot find each other fail, rather than run the case once each
# export SLURM_MPI_TYPE=pmix         # if ranks do not connect; srun --mpi=list lists the choices

# 1. the remaining time of the job
end=${SLURM_JOB_END_TIME:-$(date -d "$(squeue -h -j "$SLURM_JOB_ID" -o %e)" +%s)} || exit
left=$((end - $(date +%s) - reserve))
[ "$left" -gt 0 ] || { echo "requeue.sh: --time must be longer than the $reserve s reserved for the last checkpoint" >&2; exit 2; }

# 2. a part of the run: from the newest checkpoint, if there is one; --overwrite replaces a finished run
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
# GPUs: --gpu-bind=none instead of --cpu-bind=cores, and run.backend=cuda
srun --cpus-per-task="$cores" --cpu-bind=cores --kill-on-bad-exit=1 \
    knudsen run "$case" --out "$folder" "${resume[@]}" "${arguments[@]}" --set run.backend=cpu --set run.walltime="$left"
code=$?

# 3. requeue after the time limit only; other failures need attention
results=$folder
[ -d "$folder/.knudsen-new" ] && results=$folder/.knudsen-new
grep -q '"outcome": *"walltime"' "$results/summary.json" 2>/dev/null || exit "$code"
scontrol requeue "$SLURM_JOB_ID"
