/* Reference files of cases and files of points. */
#include "fuzz.h"

#include "files.h"
#include "plot/plot_reference.h"
#include "verify/reference.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[KN_PATH];
    struct kn_reference rows;
    struct kn_plot_references points = {0};
    const struct kn_plot_run run = {.folder = fuzz_folder()};
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
    (void)kn_plot_reference_read(&points, path, &run, 1);
    kn_plot_reference_destroy(&points);
    return 0;
}
