#!/bin/bash
# A case on several GPUs, one rank per GPU: sbatch gpu.sh CASE.yaml FOLDER [ARGUMENTS OF knudsen run...]
# Before the time limit the run writes a checkpoint and stops; the same sbatch command continues it.
#SBATCH --job-name=knudsen
#SBATCH --nodes=2
#SBATCH --gpus-per-node=4
#SBATCH --ntasks-per-node=4          # one per GPU
#SBATCH --cpus-per-task=8
#SBATCH --time=04:00:00
# add the options of your site: --account, --partition, --mem

# knudsen must be in PATH inside the job, with CUDA and the MPI that it was built with:
# module load cuda openmpi hdf5; export PATH=$HOME/knudsen/bin:$PATH

[ $# -ge 2 ] || { echo "usage: sbatch gpu.sh CASE.yaml FOLDER [ARGUMENTS OF knudsen run...]" >&2; exit 2; }
case=$1 folder=$2
shift 2
reserve=${KNUDSEN_RESERVE:-300}      # s, for the last checkpoint: seconds in most cases, more for hundreds of GB
cores=${SLURM_CPUS_PER_TASK:-1}

export OMP_NUM_THREADS=$cores
export KNUDSEN_MPI=on                # ranks that cannot find each other fail, rather than run the case once each
# export SLURM_MPI_TYPE=pmix         # if ranks do not connect; srun --mpi=list lists the choices
# export MPICH_GPU_SUPPORT_ENABLED=1 # Cray MPICH: messages in GPU memory

# 1. the remaining time of the job
end=${SLURM_JOB_END_TIME:-$(date -d "$(squeue -h -j "$SLURM_JOB_ID" -o %e)" +%s)} || exit
left=$((end - $(date +%s) - reserve))
[ "$left" -gt 0 ] || { echo "gpu.sh: --time must be longer than the $reserve s reserved for the last checkpoint" >&2; exit 2; }

# 2. the run: an unfinished run is resumed from its newest checkpoint; a finished run is refused by knudsen, or
# replaced with --overwrite
results=$folder
[ -d "$folder/.knudsen-new" ] && results=$folder/.knudsen-new # a run with --overwrite, until it ends
stopped() { [ ! -e "$results/summary.json" ] || grep -Eq '"outcome": *"(interrupted|walltime)"' "$results/summary.json"; }
resume=()
for checkpoint in "$results"/checkpoint-[ab].h5; do [ -e "$checkpoint" ] && stopped && resume=(--resume); done
arguments=()                         # a run that is resumed is not replaced
for word in "$@"; do [ "$word" = --overwrite ] && [ ${#resume[@]} -gt 0 ] || arguments+=("$word"); done
# Every rank sees all GPUs of its node and uses that of its local rank; --gpus-per-task would hide the others and
# prevent direct transfers between GPUs.
exec srun --cpus-per-task="$cores" --gpu-bind=none --kill-on-bad-exit=1 \
    knudsen run "$case" --out "$folder" "${resume[@]}" "${arguments[@]}" --set run.backend=cuda --set run.walltime="$left"
