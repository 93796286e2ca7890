#!/bin/bash
# The order of the folders of src/: tools/layers accepts the tree and rejects an include of a later layer.
# usage: test_layers.sh PROGRAM SOURCE_FOLDER
source=$(realpath "$2") && [ -x "$source/tools/layers" ] || { echo "usage: $0 PROGRAM SOURCE_FOLDER"; exit 1; }
. "$(dirname "$(realpath "$0")")/../check.sh"

check "the tree has no upward include" ends 0 "$source/tools/layers" "$source"
mkdir tree && cp -r "$source/src" tree/
reject() { # FILE HEADER: the file must not include the header
    cp "tree/$1" kept
    echo "#include \"$2\"" >>"tree/$1"
    check "$1 must not include $2" ends 1 "$source/tools/layers" tree
    check "the message names both files" contains out "$1 includes $2"
    mv kept "tree/$1"
}
reject src/point/wall.h grid/boundary.h
reject src/grid/space.c backend/backend.h
reject src/cuda/cuda.cu sim.h
reject src/error.c config/config.h
reject src/cpu/cpu.c cuda/cuda_machine.h
mkdir tree/src/elsewhere && echo '#include "error.h"' >tree/src/elsewhere/file.c
check "a folder without a layer is rejected" ends 1 "$source/tools/layers" tree
exit $failed
