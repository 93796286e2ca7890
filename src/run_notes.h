/* What is worth a word before a run begins. */
#ifndef KN_RUN_NOTES_H
#define KN_RUN_NOTES_H

#include "progress.h"

/* Walls, or gas that flows in, too fast for the velocity grid. */
void kn_run_note_speeds(struct kn_progress *p, const struct kn_case *c, const struct kn_sim *sim);

#endif
