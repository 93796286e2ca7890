/* Checkpoints, as --resume looks for them. */
#include "fuzz.h"

#include "comm/comm.h"
#include "io/checkpoint.h"
#include "io/store.h"

#include <stdlib.h>

/* Of the case that the good checkpoint belongs to. */
static uint64_t find_fingerprint(void)
{
    char path[KN_PATH], reason[KN_STORE_REASON];
    uint64_t found = 1;
    fuzz_copy("good.h5", "checkpoint/good.h5");
    hid_t file = kn_files_join(path, fuzz_folder(), "good.h5") == KN_OK ? kn_store_open(path, reason) : -1;
    if (file < 0 || !kn_store_read_value(file, "fingerprint", H5T_NATIVE_UINT64, &found))
        abort();
    H5Fclose(file);
    return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kn_checkpoint k;
    char note[KN_CHECKPOINT_NOTE];
    static uint64_t fingerprint;
    if (fingerprint == 0)
        fingerprint = find_fingerprint();
    fuzz_forge("checkpoint-a.h5", "checkpoint/good.h5", data, size);
    if (kn_checkpoint_find(&kn_comm_alone, fuzz_folder(), fingerprint, &k, note) == KN_OK)
        kn_checkpoint_free(&k);
    fuzz_check_closed();
    return 0;
}
