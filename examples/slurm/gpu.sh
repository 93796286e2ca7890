#!/bin/bash
# A case on many GPUs, a rank for each: sbatch gpu.sh CASE.yaml [ARGUMENTS OF knudsen run...]
#SBATCH --job-name=knudsen
#SBATCH --nodes=2
#SBATCH --gpus-per-node=4
#SBATCH --ntasks-per-node=4          # as many as GPUs
#SBATCH --cpus-per-task=8
#SBATCH --time=04:00:00
# and what your site wants: --account, --partition, --mem; module load of CUDA and of the MPI that Knudsen was built with

# Every rank sees all GPUs of its node and takes the one of its local rank; --gpus-per-task would hide the
# others, and with them the direct way from GPU to GPU.
export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK
export KNUDSEN_MPI=on                # ranks that cannot find each other fail, rather than run the case once each
# export SLURM_MPI_TYPE=pmix         # where ranks do not find each other; srun --mpi=list names the choices
# export MPICH_GPU_SUPPORT_ENABLED=1 # Cray MPICH: messages may lie in the memory of a GPU

exec srun --cpus-per-task="$SLURM_CPUS_PER_TASK" --gpu-bind=none --kill-on-bad-exit=1 \
    knudsen run "$@" --set run.backend=cuda
