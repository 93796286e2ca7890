/* Reference files of cases. */
#include "fuzz.h"

#include "files.h"
#include "verify/reference.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[KN_PATH];
    struct kn_reference rows;
    fuzz_write("reference.csv", data, size);
    if (kn_files_join(path, fuzz_folder(), "reference.csv") != KN_OK)
        return 0;
    if (kn_reference_read(&rows, path) == KN_OK) {
        for (int i = 0; i < rows.rows; i++) {
            struct kn_case c;
            kn_case_default(&c);
            (void)kn_reference_apply(&c, rows.row[i].settings);
        }
        kn_reference_destroy(&rows);
    }
    return 0;
}
