# Functions for tests on several ranks, to be sourced after knudsen=PROGRAM is set.
. "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/../check.sh"

# More ranks than processors, as root, on any machine, in containers where processes may not read each other's
# memory; one thread each.  Waiting ranks yield, so that other tests can run at the same time.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_btl_vader_single_copy_mechanism=none OMP_NUM_THREADS=1
export OMPI_MCA_mpi_yield_when_idle=1
mpirun=$(command -v mpirun) || { echo "there is no mpirun"; exit 1; }

# ranks N ARGUMENTS...: runs the program on N ranks. A program that does not end is killed and fails.
ranks() {
    local n=$1
    shift
    timeout -k 5 60 "$mpirun" -n "$n" "$knudsen" "$@"
}

# same ONE OTHER...: the folders contain the same bits: fields, history, state and quantities.
same() {
    /usr/bin/python3 - "$@" <<'END'
import glob, h5py, json, sys
import numpy

def newest(folder):
    files = [h5py.File(name) for name in glob.glob(folder + "/checkpoint-?.h5")]
    return max(files, key=lambda file: file.attrs["step"])

def compare(what, a, b):
    names, others = [], []
    a.visit(names.append)
    b.visit(others.append)
    assert names == others, f"{what}: {names} and {others}"
    for name in names:
        if isinstance(a[name], h5py.Dataset):
            x, y = a[name][...], b[name][...]
            assert x.dtype == y.dtype and x.tobytes() == y.tobytes(), (
                f"{what}/{name}: {numpy.sum(x != y)} of {x.size} values differ")

one = sys.argv[1]
for other in sys.argv[2:]:
    compare(other, h5py.File(one + "/fields.h5"), h5py.File(other + "/fields.h5"))
    compare(other + ", checkpoint", newest(one), newest(other))
    for name in sorted(glob.glob(one + "/fields/*.h5")):
        compare(name, h5py.File(name), h5py.File(name.replace(one, other, 1)))
    assert open(one + "/history.csv").read() == open(other + "/history.csv").read(), other + "/history.csv differs"
    results = [json.load(open(folder + "/summary.json"))["quantities"] for folder in (one, other)]
    assert results[0] == results[1], f"{other}: {results[1]} instead of {results[0]}"
END
}

# alike WHAT "RANKS..." SETTING...: on one rank without mpirun, then on these numbers of ranks.
alike() {
    local what=$1 numbers=$2 n settings=()
    shift 2
    for setting; do settings+=(--set "$setting"); done
    rm -rf alone on*
    check "$what: one process" "$knudsen" run case.yaml --quiet --out alone --overwrite "${settings[@]}"
    for n in $numbers; do
        check "$what: on $n ranks" ranks "$n" run case.yaml --quiet --out "on$n" --overwrite "${settings[@]}"
    done
    check "$what: same bits" same alone on*
}
