"""Cases that describe the same flow, so that results may be compared with their values."""

import os
from pathlib import Path

from scene import PROGRAM, Test, main

from knudsen.plot.references import whole_case
from knudsen.plot.same_case import is_as_rare, is_same

_cases = {}


class SameCase(Test):
    def setUp(self):
        super().setUp()
        os.environ["KNUDSEN"] = str(PROGRAM)
        self.path = self.folder / "case.yaml"
        self.path.write_text("time: {end: 1}\n")

    def case(self, *settings):
        if settings not in _cases:
            _cases[settings] = whole_case(Path(self.path), ["velocity.nodes=8", *settings])
            self.assertIsNotNone(_cases[settings], settings)
        return _cases[settings]

    def expect(self, a, b, same):
        a, b = self.case(*a), self.case(*b)
        self.assertEqual((is_same(a, b), is_same(b, a)), (same, same))

    def test_disturbances(self):
        """Values up to 0.05 count as zero."""
        for a, b, same in ((0, 0.05, True), (0.01, 0.04, True), (0, 0.06, False), (0.04, 0.06, False),
                           (0.96, 1, False), (1, 1, True)):
            self.expect([f"disturbance={a}"], [f"disturbance={b}"], same)

    def test_gases(self):
        sampled, exact, bgk, shakhov = (f"collision.method={m}" for m in ("monte-carlo", "operator", "bgk", "shakhov"))
        one, none = "disturbance=1", "disturbance=0"
        self.expect([sampled], [exact], True)
        self.expect([exact], [bgk], False)
        self.expect([bgk], [shakhov], False)
        self.expect([exact], [exact, "gas.molecules=maxwell"], False)
        for size, same in ((none, True), (one, False)):  # the exponent of the viscosity matters if gas is heated
            case = self.case(size, bgk)
            self.assertEqual(is_same(case, {**case, "gas": {**case["gas"], "molecules": "maxwell", "omega": 1}}), same)
        self.expect([shakhov], [shakhov, "collision.prandtl=0.7"], False)
        self.expect([bgk], [bgk, "collision.prandtl=0.7"], True)  # which has one of its own

    def test_boxes(self):
        plane = "space.cells=[8,8]"
        self.expect([plane], ["space.cells=[40,20]"], True)
        self.expect([plane], ["space.cells=8"], False)
        for other in ("space.size=[1,2]", "walls.top.velocity=[1,0,0]", "walls.top.accommodation=0.9",
                      "source.force=[1,0,0]", "initial.shape=stress"):
            self.expect([plane], [plane, other], False)
        self.expect([plane], [plane, "time.end=7", "velocity.nodes=6", "space.order=1"], True)

    def test_rarefactions(self):
        """Delta is compared separately."""
        one, near, far = (self.case(f"gas.delta={delta}") for delta in (1, 1.0005, 1.01))
        self.assertTrue(is_same(one, far))
        self.assertEqual((is_as_rare(one, near), is_as_rare(one, far), is_as_rare(far, one)), (True, False, False))

    def test_other_versions(self):
        one = self.case("gas.delta=1")
        for other in ({}, {"gas": 1}, {**one, "space": {}}, {**one, "disturbance": None}):
            self.assertFalse(is_same(one, other))


if __name__ == "__main__":
    main()
