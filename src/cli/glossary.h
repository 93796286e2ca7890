/* The terms of docs/glossary.md, which is embedded into the program, for `knudsen help WORD`. */
#ifndef KN_GLOSSARY_H
#define KN_GLOSSARY_H

#include <stdbool.h>
#include <stdio.h>

/* Explain a term.  Capital letters matter only if two terms differ by them.  False: there is no such term. */
bool kn_glossary_print(FILE *to, const char *word);

/* The term with the most similar spelling, or NULL. */
const char *kn_glossary_near(const char *word);

#endif
