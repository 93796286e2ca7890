#!/bin/bash
# A case on many processors: sbatch cpu.sh CASE.yaml [ARGUMENTS OF knudsen run...]
#SBATCH --job-name=knudsen
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=8          # a rank for each NUMA domain (lscpu), or for each core
#SBATCH --cpus-per-task=16           # its cores
#SBATCH --hint=nomultithread         # cores, not hardware threads
#SBATCH --time=04:00:00
# and what your site wants: --account, --partition, --mem; module load of the MPI that Knudsen was built with

export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK OMP_PLACES=cores OMP_PROC_BIND=close
export KNUDSEN_MPI=on                # ranks that cannot find each other fail, rather than run the case once each
# export SLURM_MPI_TYPE=pmix         # where ranks do not find each other; srun --mpi=list names the choices

exec srun --cpus-per-task="$SLURM_CPUS_PER_TASK" --cpu-bind=cores --kill-on-bad-exit=1 \
    knudsen run "$@" --set run.backend=cpu
