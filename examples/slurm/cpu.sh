#!/bin/bash
# A case on many processors: sbatch cpu.sh CASE.yaml FOLDER [ARGUMENTS OF knudsen run...]
# A little before the time is up the run writes a checkpoint and stops; the same sbatch goes on from there.
#SBATCH --job-name=knudsen
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=8          # a rank for each NUMA domain (lscpu), or for each core
#SBATCH --cpus-per-task=16           # its cores
#SBATCH --hint=nomultithread         # cores, not hardware threads
#SBATCH --time=04:00:00
# and what your site wants: --account, --partition, --mem

# knudsen must be in PATH inside the job, with the MPI that it was built with:
# module load openmpi hdf5; export PATH=$HOME/knudsen/bin:$PATH

[ $# -ge 2 ] || { echo "usage: sbatch cpu.sh CASE.yaml FOLDER [ARGUMENTS OF knudsen run...]" >&2; exit 2; }
case=$1 folder=$2
shift 2
reserve=${KNUDSEN_RESERVE:-300}      # s, for the last checkpoint: seconds in most cases, more for hundreds of GB
cores=${SLURM_CPUS_PER_TASK:-1}

export OMP_NUM_THREADS=$cores OMP_PLACES=cores OMP_PROC_BIND=close
export KNUDSEN_MPI=on                # ranks that cannot find each other fail, rather than run the case once each
# export SLURM_MPI_TYPE=pmix         # where ranks do not find each other; srun --mpi=list names the choices

# 1. what is left of the job
end=${SLURM_JOB_END_TIME:-$(date -d "$(squeue -h -j "$SLURM_JOB_ID" -o %e)" +%s)} || exit
left=$((end - $(date +%s) - reserve))
[ "$left" -gt 0 ] || { echo "cpu.sh: --time leaves nothing beside the $reserve s for the last checkpoint" >&2; exit 2; }

# 2. the run: from the newest checkpoint of a run that stopped before its end; a finished run is refused by
# knudsen, or replaced with --overwrite
results=$folder
[ -d "$folder/.knudsen-new" ] && results=$folder/.knudsen-new # a run with --overwrite, until it ends
stopped() { [ ! -e "$results/summary.json" ] || grep -Eq '"outcome": *"(interrupted|walltime)"' "$results/summary.json"; }
resume=()
for checkpoint in "$results"/checkpoint-[ab].h5; do [ -e "$checkpoint" ] && stopped && resume=(--resume); done
arguments=()                         # a run that is resumed is not replaced
for word in "$@"; do [ "$word" = --overwrite ] && [ ${#resume[@]} -gt 0 ] || arguments+=("$word"); done
exec srun --cpus-per-task="$cores" --cpu-bind=cores --kill-on-bad-exit=1 \
    knudsen run "$case" --out "$folder" "${resume[@]}" "${arguments[@]}" --set run.backend=cpu --set run.walltime="$left"
