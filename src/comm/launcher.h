/* Who has started this process, and how many like it. */
#ifndef KN_LAUNCHER_H
#define KN_LAUNCHER_H

struct kn_launcher {
    const char *name;
    int processes; /* as far as it tells; 1 where it does not */
};

/* NULL where no launcher of parallel jobs has. */
const struct kn_launcher *kn_launcher_find(void);

#endif
