/* The table of the fields of the gas as an array and as JSON. */
#include "config/quantities.h"

#include "files/json.h"

/* clang-format off */
#define FIRST_SCALAR(field) KN_##field, 1, {""}
#define FIRST_VECTOR(field) KN_##field##X, 3, {"x", "y", "z"}
#define FIRST_TENSOR(field) KN_##field##XX, 6, {"xx", "yy", "zz", "xy", "xz", "yz"}
/* clang-format on */
#define QUANTITY(name, symbol, label, shape, field, column, unit, dimension, text)                           \
    {name, symbol, label, FIRST_##shape(field), column, unit, KN_DIMENSION_##dimension, text},

const struct kn_quantity kn_quantities[] = {
    KN_QUANTITY_LIST(QUANTITY){.name = NULL},
};

json_t *kn_quantities_json(void)
{
    json_t *list = json_array();
    for (const struct kn_quantity *q = kn_quantities; q->name; q++) {
        json_t *components = json_array();
        for (int i = 0; i < q->components; i++)
            kn_json_append(components, kn_json_text(q->component_names[i]));
        kn_json_append(list, json_pack("{s:s, s:s, s:s, s:o, s:s, s:s, s:s}", "name", q->name, "symbol",
                                       q->symbol, "label", q->label, "components", components, "column",
                                       q->column, "unit", q->unit, "description", q->description));
    }
    return list;
}
