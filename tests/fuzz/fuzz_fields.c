/* fields.h5, as the report reads it. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_forge("fields.h5", "fields/good.h5", data, size);
    fuzz_show();
    fuzz_check_closed();
    return 0;
}
