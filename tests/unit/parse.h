/* Reads a case from a string. */
#ifndef PARSE_H
#define PARSE_H

#include "config/config.h"

#include <string.h>

static inline enum kn_status parse(struct kn_case *c, const char *text)
{
    return kn_config_parse(c, text, strlen(text), "case.yaml", NULL);
}

#endif
