/* The cases that come with the program: where they are, what they are called. */
#ifndef KN_CASES_H
#define KN_CASES_H

#include "config/config.h"
#include "files.h"

enum { KN_CASES = 256 };

struct kn_cases {
    char folder[KN_PATH];
    int count;
    char name[KN_CASES][KN_NAME]; /* in order */
};

/* Those in `folder`; where that is NULL in $KNUDSEN_CASES, else beside the program. */
enum kn_status kn_cases_find(struct kn_cases *all, const char *folder);

/* True when there is one of this name; else the error says which was meant. */
bool kn_cases_have(const struct kn_cases *all, const char *name);

/* Path of the case file of one of them. */
enum kn_status kn_cases_path(const struct kn_cases *all, const char *name, char path[KN_PATH]);

/* What it is about: the first line of its file, a comment. */
enum { KN_CASES_LINE = 256 };
enum kn_status kn_cases_title(const struct kn_cases *all, const char *name, char title[KN_CASES_LINE]);

#endif
