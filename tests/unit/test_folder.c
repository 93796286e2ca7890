/* Results folders: the files that belong to the program, and the replacement of an earlier run. */
#include "config/config.h"
#include "io/folder.h"
#include "unit/scratch.h"

/* A run on several ranks writes one file per rank, and one that lists them. */
static void folder_clear_knows_its_files(void **state)
{
    (void)state;
    struct kn_case c;
    kn_case_default(&c);
    assert_int_equal(kn_folder_claim_run(folder, &c), KN_OK);
    static const char *const ours[] = {"fields/00000100.h5", "fields/00000100.vtr", "fields/00000100.pvtr",
                                       "fields/00000100.0.vtr", "fields/123456789.1023.vtr"};
    static const char *const others[] = {"fields/100.vtr", "fields/00000100.x.vtr", "fields/00000100.-1.vtr",
                                         "fields/00000100.01.vtr", "fields/00000100.1.vtr.old"};
    assert_int_equal(kn_files_make_folder(in_folder("fields")), KN_OK);
    for (int i = 0; i < 5; i++) {
        write_all(ours[i], "x", 1);
        write_all(others[i], "x", 1);
    }
    write_all("fields.h5", "x", 1);
    write_all("report.html", "x", 1);
    write_all("notes.txt", "x", 1);
    assert_int_equal(kn_folder_clear(folder), KN_OK);
    for (int i = 0; i < 5; i++) {
        assert_false(exists(ours[i]));
        assert_true(exists(others[i]));
    }
    assert_false(exists("fields.h5"));
    assert_true(exists("report.html") && exists("notes.txt"));
}

/* A report belongs to the program until the user changes it. */
static void folder_knows_what_was_changed(void **state)
{
    (void)state;
    write_all("report.html", "mine", 4);
    assert_int_equal(kn_folder_check(folder, "report.html"), KN_EINPUT);
    assert_message("report.html' was not written by this program");
    write_all("report.html", "page", 4);
    assert_int_equal(kn_folder_record(folder, "report.html"), KN_OK);
    assert_int_equal(kn_folder_check(folder, "report.html"), KN_OK);
    write_all("report.html", "pagf", 4);
    assert_int_equal(kn_folder_check(folder, "report.html"), KN_EINPUT);
    assert_int_equal(kn_folder_remove(folder, "report.html"), KN_OK);
    assert_true(exists("report.html"));
    assert_int_equal(unlink(in_folder("report.html")), 0);
    assert_int_equal(symlink("elsewhere", in_folder("report.html")), 0);
    assert_int_equal(kn_folder_check(folder, "report.html"), KN_EINPUT);
}

/* The files of a new run are complete wherever the replacement was interrupted. */
static void folder_replaces(void **state)
{
    static const char *const left[] = {NULL, ".knudsen-new/.clearing", ".knudsen-new/.moving"};
    struct kn_case c;
    (void)state;
    kn_case_default(&c);
    for (int cut = 0; cut < 3; cut++) {
        assert_int_equal(kn_folder_claim_run(folder, &c), KN_OK);
        write_all("fields.h5", "old", 3);
        write_all("checkpoint-b.h5", "old", 3);
        assert_int_equal(kn_files_make_folder(in_folder("fields")), KN_OK);
        write_all("fields/00000007.h5", "old", 3);
        assert_int_equal(kn_files_make_folder(in_folder(".knudsen-new/fields")), KN_OK);
        assert_int_equal(kn_folder_claim_run(in_folder(".knudsen-new"), &c), KN_OK);
        write_all(".knudsen-new/fields.h5", "new", 3);
        write_all(".knudsen-new/fields/00000008.h5", "new", 3);
        assert_int_equal(kn_folder_recover(folder), KN_OK);
        assert_true(exists(".knudsen-new/fields.h5"));
        if (cut == 2) /* the old files are removed, some new ones are moved */
            assert_int_equal(kn_folder_clear(folder), KN_OK);
        if (left[cut])
            write_all(left[cut], "", 0);
        assert_int_equal(left[cut] ? kn_folder_recover(folder) : kn_folder_replace(folder), KN_OK);
        char *text = read_all("fields.h5", NULL);
        assert_string_equal(text, "new");
        free(text);
        assert_false(exists("checkpoint-b.h5") || exists("fields/00000007.h5") || exists(".knudsen-new"));
        assert_true(exists("fields/00000008.h5") && kn_folder_holds_run(folder));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(folder_clear_knows_its_files),
        TEST(folder_knows_what_was_changed),
        TEST(folder_replaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
