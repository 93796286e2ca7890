/* Results folders: a marker lists the files of the program; other files are not replaced or removed. */
#ifndef KN_IO_FOLDER_H
#define KN_IO_FOLDER_H

#include "knudsen.h"

#include <sys/types.h>

/* The marker, and the folder of a run that will replace an earlier one. */
#define KN_FOLDER_MARKER ".knudsen-results"
#define KN_FOLDER_NEW    ".knudsen-new"

/* The complete case of the run.  Users often call their own file case.yaml. */
#define KN_FOLDER_CASE "case.used.yaml"

/* folder/KN_FOLDER_NEW into path[KN_PATH]; KN_EINPUT if it is not a folder. */
enum kn_status kn_folder_new(char *path, const char *folder);

/* KN_EINPUT if a file of this name exists that the program did not write. */
enum kn_status kn_folder_check(const char *folder, const char *name);

/* The same for all files that a run of this case writes. */
enum kn_status kn_folder_check_run(const char *folder, const struct kn_case *c);

/* Create or update the marker for a run of this case.  KN_EINPUT as above. */
enum kn_status kn_folder_claim_run(const char *folder, const struct kn_case *c);

/* Add a file that was just written, with its size and checksum.  If the user changes it later it no longer
 * belongs to the program. */
enum kn_status kn_folder_record(const char *folder, const char *name);

/* True if the folder contains fields, a summary or a checkpoint of a run. */
bool kn_folder_holds_run(const char *folder);

/* Remove one file of the program, or all. */
enum kn_status kn_folder_remove(const char *folder, const char *name);
enum kn_status kn_folder_clear(const char *folder);

/* Remove folder/KN_FOLDER_NEW and the files of the program in it. */
enum kn_status kn_folder_drop_new(const char *folder);

/* Replace the files of the program by the finished run in folder/KN_FOLDER_NEW.  If the program is killed
 * meanwhile, kn_folder_recover completes the replacement. */
enum kn_status kn_folder_replace(const char *folder);
enum kn_status kn_folder_recover(const char *folder);

/* Identity of a folder or file, independent of its name. */
struct kn_folder_identity {
    dev_t device;
    ino_t inode;
};
bool kn_folder_identify(const char *path, struct kn_folder_identity *identity);

/* KN_EIO if the path now refers to another file, or to none. */
enum kn_status kn_folder_verify(const char *path, const struct kn_folder_identity *identity);

#endif
