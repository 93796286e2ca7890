/* Images as bodies: PNG, NumPy and raw files give the same cells, and bad files are refused. */
#include "config/config.h"
#include "config/geometry.h"
#include "expect.h"
#include "grid/space.h"
#include "scratch.h"

#include <png.h>

enum { NX = 4, NY = 3 };

/* [y][x], y upwards; 0 is solid. */
static const uint8_t GREY[NY][NX] = {{0, 255, 255, 200}, {255, 40, 90, 255}, {255, 255, 255, 0}};

static void write_npy(const char *name, const char *header, const void *data, size_t size)
{
    char whole[1 << 12];
    const int length = snprintf(whole + 10, sizeof whole - 10, "%-117s\n", header);
    memcpy(whole, "\x93NUMPY\x01\x00", 8);
    whole[8] = (char)length;
    whole[9] = 0;
    memcpy(whole + 10 + length, data, size);
    write_all(name, whole, 10 + (size_t)length + size);
}

static int write_files(void **state)
{
    png_image image = {.version = PNG_IMAGE_VERSION, .width = NX, .height = NY, .format = PNG_FORMAT_GRAY};
    float number[2][NY][NX];
    if (make_folder(state) != 0)
        return -1;
    if (!png_image_write_to_file(&image, in_folder("a.png"), 0, GREY, -NX, NULL))
        return -1;
    write_all("a.raw", GREY, sizeof GREY);
    write_npy("a.npy", "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 4), }", GREY, sizeof GREY);
    for (int i = 0; i < 2 * NY * NX; i++)
        (&number[0][0][0])[i] = 1e-3f * (float)(&GREY[0][0])[i % (NY * NX)] - 7;
    write_npy("stack.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 4), }", number,
              sizeof number);
    return 0;
}

static void image_case(struct kn_case *c, const char *name, const char *settings)
{
    char text[1 << 12];
    expect_case(c, settings);
    snprintf(text, sizeof text, "bodies.pores.image.file=%s", in_folder(name));
    expect_ok(kn_case_set(c, text));
}

/* Every cell of a space of NX by NY voxels with `cells` cells along each axis and per voxel. */
static void expect_cells(const struct kn_case *c, int cells, double threshold, bool light)
{
    struct kn_geometry g;
    struct kn_space s;
    int count = 0;
    expect_ok(kn_case_check(c));
    expect_ok(kn_geometry_create(&g, c));
    expect_ok(kn_space_create(&s, c, NULL));
    for (int y = 0; y < cells * NY; y++)
        for (int x = 0; x < cells * NX; x++) {
            const int row = y / cells, column = x / cells, at[3] = {x, y, 0};
            const bool solid = (GREY[row][column] < 255 * threshold) != light;
            assert_int_equal(kn_geometry_fills(&g, at), solid ? 0 : -1);
            assert_int_equal(s.solid[y * cells * NX + x], solid);
            count += solid;
        }
    assert_true(kn_image_cells(&g.images[0]) == count);
    assert_true(kn_space_count_faces(c, &s.box) >= s.nfaces);
    kn_space_destroy(&s);
    kn_geometry_destroy(&g);
}

static void formats_agree(void **state)
{
    (void)state;
    static const char *const names[] = {"a.png", "a.npy", "a.raw"};
    for (int i = 0; i < 6; i++) {
        struct kn_case c;
        char text[256];
        snprintf(text, sizeof text, "space.cells=[%d,%d] space.size=[2,1.5] %s%s", NX << i / 3, NY << i / 3,
                 i % 3 == 2 ? "bodies.pores.image.voxels=[4,3,1]" : "",
                 i < 3 ? " bodies.pores.image.threshold=0.3" : " bodies.pores.image.solid=light");
        image_case(&c, names[i % 3], text);
        expect_cells(&c, 1 << i / 3, i < 3 ? 0.3 : 0.5, i >= 3);
    }
}

/* A stack in three dimensions, of two layers with two cells each; a plane image there is a prism. */
static void stacks(void **state)
{
    (void)state;
    for (int plane = 0; plane < 2; plane++) {
        struct kn_case c;
        struct kn_geometry g;
        image_case(&c, plane ? "a.npy" : "stack.npy",
                   "space.cells=[8,6,4] space.size=[1,0.75,0.5] bodies.pores.image.threshold=0.3");
        expect_ok(kn_case_check(&c));
        expect_ok(kn_geometry_create(&g, &c));
        for (int i = 0; i < 8 * 6 * 4; i++) {
            const int at[3] = {i % 8, i / 8 % 6, i / 48}, row = at[1] / 2, column = at[0] / 2;
            assert_int_equal(kn_geometry_fills(&g, at), GREY[row][column] < 0.3 * 255 ? 0 : -1);
        }
        kn_geometry_destroy(&g);
    }
}

static void refuse(const char *name, const char *settings, const char *message)
{
    struct kn_case c;
    image_case(&c, name, settings);
    assert_int_equal(kn_case_check(&c), KN_EINPUT);
    if (!strstr(kn_error_message(), message))
        fail_msg("'%s' has no '%s'", kn_error_message(), message);
}

static void refused(void **state)
{
    (void)state;
#define SPACE "space.cells=[4,3] space.size=[1,0.75] "
    char whole[64];
    memset(whole, 0, sizeof whole);
    refuse("none.png", SPACE, "none.png does not exist");
    refuse("a.raw", SPACE, "neither a PNG file nor a NumPy array");
    refuse("a.raw", SPACE "bodies.pores.image.voxels=[4,2,1]", "has 12 bytes, and 4 x 2 x 1 voxels need 8");
    refuse("a.raw", SPACE "bodies.pores.image.voxels=[4,2]", "three numbers above 0, or none");
    refuse("a.png", "space.cells=[3,2]", "has 4 x 3 x 1 voxels, more than the space has cells (6)");
    refuse("a.png", "space.cells=[6,6] space.size=[1,0.75]", "a voxel of 0.25 is 1.5 cells along x");
    refuse("a.png", "space.cells=[4,4] space.size=[1,0.5]",
           "the image, 0 to 0.75 along y, is not inside the gas");
    refuse("a.png", SPACE "bodies.pores.image.at=[0.1]", "0.1 along x is not at an edge of a cell");
    refuse("a.png", SPACE "bodies.pores.image.at=[0.25]", "is not inside the gas");
    refuse("a.png", SPACE "space.stretch=[0.9,1]", "voxels are equal, but the cells along x are not");
    refuse("stack.npy", "space.cells=[8,6] space.size=[1,0.75]",
           "2 voxels along z, but the gas is uniform along z");
    refuse("a.png", SPACE "bodies.pores.velocity=[1,0,0] disturbance=1", "along x it displaces the body");
    refuse("a.png", SPACE "bodies.b.box.low=[0,0] bodies.b.box.high=[0.5,0.5]", "overlaps bodies.");
    write_npy("bad.npy", "{'descr': '<c8', 'fortran_order': False, 'shape': (3, 4), }", whole, 12);
    refuse("bad.npy", SPACE, "numbers of a type that is not supported");
    char ends[] =
        "\x93NUMPY\x01\0\x42\0{'fortran_order': False, 'shape': (3, 4), 'descr': '<u\0', }        \n";
    write_all("bad.npy", ends, sizeof ends);
    refuse("bad.npy", SPACE, "numbers of a type that is not supported");
    write_npy("bad.npy", "{'descr': '|u1', 'fortran_order': True, 'shape': (3, 4), }", whole, 12);
    refuse("bad.npy", SPACE, "is in Fortran order");
    write_npy("bad.npy", "{'descr': '|u1', 'fortran_order': False, 'shape': (12,), }", whole, 12);
    refuse("bad.npy", SPACE, "is no array of two or three dimensions");
    write_npy("bad.npy", "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 4), }", whole, 11);
    refuse("bad.npy", SPACE, "does not have the number of values that its header states");
    write_npy("bad.npy", "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 4), }", whole, 12);
    refuse("bad.npy", SPACE, "has the same value everywhere");
    write_all("bad.png", "\x89PNG\r\n\x1a\n and no more", 20);
    refuse("bad.png", SPACE, "is no readable PNG file");
}

/* The contents of the file belong to the fingerprint of a case, and its path does not. */
static void fingerprints(void **state)
{
    (void)state;
    struct kn_case a, b, d;
    write_npy("b.npy", "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 4), }", GREY, sizeof GREY);
    write_npy("c.npy", "{'descr': '|u1', 'fortran_order': False, 'shape': (4, 3), }", GREY, sizeof GREY);
    image_case(&a, "a.npy", "");
    image_case(&b, "b.npy", "");
    image_case(&d, "c.npy", "");
    assert_true(kn_config_fingerprint(&a) == kn_config_fingerprint(&b));
    assert_true(kn_config_fingerprint(&a) != kn_config_fingerprint(&d));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_agree),
        cmocka_unit_test(stacks),
        cmocka_unit_test(refused),
        cmocka_unit_test(fingerprints),
    };
    return cmocka_run_group_tests(tests, write_files, drop_folder);
}
