#!/usr/bin/env bash
# A Slurm array that verifies a folder of captures, a shard for each task, with results in JUnit's form:
#
#   sbatch --array=1-32 examples/farm/slurm.sh CAPTURES RESULTS
#
# TRIGLYPH names the command if it is not in the PATH. Without Slurm, SLURM_ARRAY_TASK_ID and SLURM_ARRAY_TASK_COUNT
# say which shard it is, and of how many.
#SBATCH --job-name=triglyph
#SBATCH --cpus-per-task=2
#SBATCH --mem=4G
#SBATCH --time=00:30:00
#SBATCH --output=triglyph-%A_%a.log
set -euo pipefail

captures=$1
results=$2
shard=${SLURM_ARRAY_TASK_ID:?not a task of an array}
count=${SLURM_ARRAY_TASK_COUNT:?not a task of an array}

mkdir -p "$results"
# Shards are counted from 1, arrays from where their range begins.
shard=$((shard - ${SLURM_ARRAY_TASK_MIN:-1} + 1))
exec "${TRIGLYPH:-triglyph}" verify "$captures" --shard "$shard/$count" --jobs "${SLURM_CPUS_PER_TASK:-1}" \
  --junit "$results/shard-$shard.xml" --report "$results/pictures"
