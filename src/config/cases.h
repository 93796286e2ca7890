/* The cases that are installed with the program: their folder and names. */
#ifndef KN_CASES_H
#define KN_CASES_H

#include "config/config.h"
#include "files/files.h"

enum { KN_CASES = 256 };

struct kn_cases {
    char folder[KN_PATH];
    int count;
    char name[KN_CASES][KN_NAME]; /* sorted */
};

/* Find the cases in $KNUDSEN_CASES, or if it is not set in the installation of the program. */
enum kn_status kn_cases_find(struct kn_cases *all);

/* True if there is a case of this name; else the error message suggests one. */
bool kn_cases_have(const struct kn_cases *all, const char *name);

/* Path of the case file. */
enum kn_status kn_cases_path(const struct kn_cases *all, const char *name, char path[KN_PATH]);

/* The title of a case: the comment in the first line of its file. */
enum { KN_CASES_LINE = 256 };
enum kn_status kn_cases_title(const struct kn_cases *all, const char *name, char title[KN_CASES_LINE]);

#endif
