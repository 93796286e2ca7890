"""Which cases describe the same flow, so that their results can be compared."""

from scene import PROGRAM, Test, main

from knudsen.plot.same_case import is_as_rare, is_same
from knudsen.program import dry_run
from knudsen.verify.reference import settings_of

_read = {}


class SameCase(Test):
    def case(self, settings):
        if settings not in _read:
            path = self.folder / "case.yaml"
            path.write_text("{}\n")
            _read[settings] = dry_run(path, settings_of(settings))[0]
        return _read[settings]

    def same(self, a, b):
        a, b = self.case(a), self.case(b)
        self.assertEqual(is_same(a, b), is_same(b, a))
        return is_same(a, b)

    def test_disturbances(self):
        """Disturbances up to 0.05 act as none."""
        self.assertTrue(self.same("disturbance=0", "disturbance=0.05"))
        self.assertTrue(self.same("disturbance=0.01", "disturbance=0.04"))
        self.assertFalse(self.same("disturbance=0", "disturbance=0.06"))
        self.assertFalse(self.same("disturbance=0.04", "disturbance=0.06"))
        self.assertFalse(self.same("disturbance=0.96", "disturbance=1"))
        self.assertTrue(self.same("disturbance=1", "disturbance=1"))

    def test_gases(self):
        sampled, exact = "collision.method=monte-carlo", "collision.method=operator"
        bgk, shakhov, maxwell = "collision.method=bgk", "collision.method=shakhov", " gas.molecules=maxwell"
        self.assertTrue(self.same(sampled, exact))
        self.assertFalse(self.same(exact, bgk))
        self.assertFalse(self.same(bgk, shakhov))
        self.assertFalse(self.same(exact, exact + maxwell))
        for eps in (0, 1):  # a model knows the molecules by the exponent of the viscosity only
            hard = self.case(f"disturbance={eps} {bgk}")
            self.assertEqual(is_same(hard, {**hard, "gas": {**hard["gas"], "omega": 1}}), eps == 0)
        self.assertFalse(self.same(shakhov, f"{shakhov} collision.prandtl=0.7"))
        self.assertTrue(self.same(bgk, f"{bgk} collision.prandtl=0.7"))  # BGK has its own

    def test_boxes(self):
        plane = "space.cells=[8,8]"
        self.assertTrue(self.same(plane, "space.cells=[40,20]"))
        self.assertFalse(self.same(plane, "space.cells=8"))
        for more in ("space.size=[1,2]", "walls.top.velocity=[1,0,0]", "walls.top.accommodation=0.9"):
            self.assertFalse(self.same(plane, f"{plane} {more}"), more)
        for more in ("source.force=[1,0,0]", "initial.shape=stress"):
            self.assertFalse(self.same(plane, f"{plane} {more}"), more)
        self.assertTrue(self.same(plane, f"{plane} time.end=7 velocity.nodes=6 space.order=1"))

    def test_rarefactions(self):
        """Delta is compared on its own."""
        one, near, far = (self.case(f"gas.delta={delta}") for delta in (1, 1.0005, 1.01))
        self.assertTrue(is_same(one, far))
        self.assertTrue(is_as_rare(one, near))
        self.assertFalse(is_as_rare(one, far))
        self.assertFalse(is_as_rare(far, one))


if __name__ == "__main__":
    import os

    os.environ["KNUDSEN"] = str(PROGRAM)
    main()
