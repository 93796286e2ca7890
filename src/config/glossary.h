/* Terms of the documents, for `knudsen help WORD` and docs/glossary.md. */
#ifndef KN_GLOSSARY_H
#define KN_GLOSSARY_H

#include <stdbool.h>
#include <stdio.h>

struct kn_term {
    const char *words; /* the term and its synonyms, separated by "|"; NULL ends the table */
    const char *text;
    const char *keys; /* of the case file that go with it, separated by blanks; "" = none */
};

extern const struct kn_term kn_glossary[];

/* Explain a term; capitals matter only where two terms differ by them.  False: it is not in the table. */
bool kn_glossary_print(FILE *to, const char *word);

/* A term that is spelt like the word, or NULL. */
const char *kn_glossary_near(const char *word);

/* docs/glossary.md. */
void kn_glossary_markdown(FILE *to);

#endif
