/* Results folders: a marker file lists what the program wrote; nothing else in the folder is replaced or
 * removed. */
#ifndef KN_IO_FOLDER_H
#define KN_IO_FOLDER_H

#include "knudsen.h"

#include <sys/types.h>

/* The marker, and the folder in which a run that replaces an earlier one grows. */
#define KN_FOLDER_MARKER ".knudsen-results"
#define KN_FOLDER_NEW    ".knudsen-new"

/* The case beside its results.  Users call theirs case.yaml. */
#define KN_FOLDER_CASE "case.used.yaml"

/* folder/KN_FOLDER_NEW into path[KN_PATH]; KN_EINPUT where something else has that name. */
enum kn_status kn_folder_new(char *path, const char *folder);

/* KN_EINPUT where a file of this name exists that the program did not write. */
enum kn_status kn_folder_check(const char *folder, const char *name);

/* The same for all files that a run of this case writes. */
enum kn_status kn_folder_check_run(const char *folder, const struct kn_case *c);

/* Make the marker, or bring it up to date, for a run of this case.  KN_EINPUT as above. */
enum kn_status kn_folder_claim_run(const char *folder, const struct kn_case *c);

/* Enter a file that was just written, with its size and checksum.  One that is changed later, by the user, is
 * then no longer the program's. */
enum kn_status kn_folder_record(const char *folder, const char *name);

/* Does the folder hold fields, a summary or a checkpoint of a run? */
bool kn_folder_holds_run(const char *folder);

/* Remove what the program wrote: one file, or all. */
enum kn_status kn_folder_remove(const char *folder, const char *name);
enum kn_status kn_folder_clear(const char *folder);

/* Remove folder/KN_FOLDER_NEW and what the program wrote into it. */
enum kn_status kn_folder_drop_new(const char *folder);

/* Put the finished run in folder/KN_FOLDER_NEW in place of what the program wrote before.  Whatever ends the
 * program on the way, kn_folder_recover completes it. */
enum kn_status kn_folder_replace(const char *folder);
enum kn_status kn_folder_recover(const char *folder);

/* A folder or file, however it is called. */
struct kn_folder_identity {
    dev_t device;
    ino_t inode;
};
bool kn_folder_identify(const char *path, struct kn_folder_identity *identity);

/* KN_EIO where the path does not lead there any more. */
enum kn_status kn_folder_verify(const char *path, const struct kn_folder_identity *identity);

#endif
