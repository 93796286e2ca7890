"""References, coarser runs and verdicts of ``knudsen verify``."""

import contextlib
import io
import math
import random

from scene import PROGRAM, ROOT, Test, knudsen, main

from knudsen.program import dry_run
from knudsen.verify import reference, table, trial
from knudsen.verify.judge import Result, judge
from knudsen.verify.quantity import parse
from knudsen.verify.reference import settings_of

NAN = math.nan


def row(quantity, value=0.0, bar=NAN, **keys):
    fields = {"line": 2, "uncertainty": 0.0, "source": "somebody", "conditions": "", "settings": "", "check": "quick"}
    return reference.Row(quantity=quantity, value=value, bar=bar, **{**fields, **keys})


def result(known, value, space, velocity=0.0, **keys):
    return Result("case", known, value, space, velocity, **{"deviation": 0.0, **keys})


class Judge(Test):
    def test_points_of_a_profile_share_the_largest(self):
        names = "ux(0.1) -ux(0.5;0.2) uy(0.1) ux(0.1)=2 ux(0.2).phase ux.far average.ux rho.profile(1) rho.profile(-1)"
        names = [*names.split(), "rho(0.2)=2"]
        results = [result(row(name), 1, i + 1, 20 - i) for i, name in enumerate(names)]
        judge(results)
        self.assertEqual([r.space for r in results], [2, 2, 3, 4, 5, 6, 7, 9, 9, 10])
        self.assertEqual([r.velocity for r in results], [20, 20, 18, 17, 16, 15, 14, 13, 13, 11])

    def test_amplitude_and_phase_share_relative_errors(self):
        """An amplitude of 4 with an error of 0.2 is a phase with an error of 0.05."""
        names = ("-left.stress_y.amplitude", "-left.stress_y.phase", "right.stress_y.phase", "left.stress_y.rate")
        numbers = ((4, 0.2, 0.01), (-3, 0.01, 0.1), (-3, 0.003, 0.004), (1, 0.005, 0.006))
        results = [result(row(name), *three) for name, three in zip(names, numbers)]
        judge(results)
        found = [(r.space, r.velocity) for r in results]
        for got, expected in zip(found, ((0.2, 0.4), (0.05, 0.1), (0.003, 0.004), (0.005, 0.006))):
            self.assertAlmostEqual(got[0], expected[0], delta=1e-15)
            self.assertAlmostEqual(got[1], expected[1], delta=1e-15)

    def test_oscillations_at_places(self):
        """Amplitudes have a common error, and so have phases, and both at one position, in any order of the rows."""
        names = ("ux(0.1).amplitude", "ux(0.1).phase", "ux(0.2).amplitude", "ux(0.2).phase")
        values, errors = (2, 0.5, 1, 1.5), (0.02, 0, 0.04, 0.001)
        for first in range(4):
            order = [(i + first) % 4 for i in range(4)]
            results = [result(row(names[k]), values[k], errors[k]) for k in order]
            judge(results)  # 0.02 / 2 and 0.04 / 1 are the phases; the largest of each
            for one in results:
                self.assertAlmostEqual(one.space, 0.04, delta=1e-15)

    def judged(self, deviation, bar, space=0.02):
        one = result(row("D", bar=bar, uncertainty=0.01), 1, space, 0.04, deviation=deviation)
        one.unsteady, one.rounding, one.statistical = 0.08, 0.16, 0.1
        judge([one])
        return one

    def test_the_verdict(self):
        self.assertAlmostEqual(self.judged(0, NAN).tolerance, 0.61, delta=1e-12)
        self.assertTrue(self.judged(-0.6, NAN).passed)
        self.assertFalse(self.judged(0.62, NAN).passed)
        self.assertFalse(self.judged(0.5, 0.4).passed)  # the claim is sharper than the errors
        self.assertTrue(self.judged(-0.5, 0.5).passed)
        self.assertFalse(self.judged(0.62, 1).passed)
        self.assertFalse(self.judged(NAN, NAN).passed)
        self.assertFalse(self.judged(0, NAN, NAN).passed)

    def test_coarse_checks_are_open(self):
        """A check without a bar is open if its tolerance is above a tenth of the value."""
        numbers = ((1, 0.09, NAN), (1, 0.11, NAN), (1, 0.11, 0.01), (0.001, 0.05, NAN), (1, 0.05, NAN))
        names = ("D", "D", "D", "ux(0.1)", "ux(0.9)")
        results = [result(row(name, value, bar), value, error) for name, (value, error, bar) in zip(names, numbers)]
        judge(results)
        self.assertEqual([r.verdict for r in results], ["pass", "open", "pass", "pass", "pass"])
        results[1].deviation = 0.2
        judge(results)
        self.assertEqual(results[1].verdict, "fail")

    def test_full_rows_replace_quick_ones(self):
        def replaced(**keys):
            rows = [row("D"), row("D", **{"check": "full", **keys}), row("G"), row("D", check="")]
            return [reference.is_due(one, rows, True) for one in rows]

        self.assertEqual(replaced(settings="velocity.nodes=12"), [False, True, True, False])
        self.assertEqual(replaced(conditions="delta 1"), [True, True, True, False])
        self.assertEqual(replaced(source="somebody else"), [True, True, True, False])
        self.assertEqual(replaced(check=""), [True, False, True, False])


class Coarser(Test):
    def plan(self, settings):
        path = self.folder / "case.yaml"
        path.write_text("collision: {method: bgk}\n")
        return dry_run(path, settings_of(settings))

    def test_grids(self):
        case, step, _ = self.plan("space.cells=[41,3] space.stretch=[0.9,1] velocity.nodes=[16,8,6] output.history=5")
        found = trial.coarser_space(case, step)
        self.assertEqual((found["space.cells"], found["output.history"]), ([21, 3], 2))
        self.assertAlmostEqual(found["space.stretch"][0], 0.81, delta=1e-12)
        self.assertNotIn("time.step", found)  # the step follows from the cells
        self.assertEqual(trial.coarser_velocity(case), {"velocity.nodes": [12, 6, 6]})
        case["velocity"]["nodes"] = [6, 6, 6]
        self.refuses("velocity.nodes: too few", trial.coarser_velocity, case)

    def test_axes_that_are_not_listed_stay_so(self):
        case, step, _ = self.plan("space.cells=16")
        self.assertEqual(trial.coarser_space(case, step)["space.cells"], [8])
        case, step, _ = self.plan("space.cells=[16,1]")  # one cell between walls
        self.assertEqual(trial.coarser_space(case, step)["space.cells"], [8, 1])

    def test_a_uniform_gas_has_longer_steps(self):
        """The default step is 0.2 x 0.5 (Courant number) mean times between collisions; the coarser run doubles it."""
        uniform = "space.cells=1 walls.left.kind=periodic walls.right.kind=periodic initial.shape=stress time.end=3"
        for more, expected in (("", 0.2), (" time.step=0.01", 0.02)):
            case, step, _ = self.plan(uniform + more)
            self.assertAlmostEqual(trial.coarser_space(case, step)["time.step"], expected, delta=1e-12)


class Reference(Test):
    def read(self, text):
        path = self.folder / "reference.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return reference.read(path)

    def test_rows(self):
        good = 'uy(0.5),-1e-3,0.5,"a ""b"", c",x,"gas.delta=2  space.cells=[4, 4]",quick,2%\r'
        rows = self.read(f"{reference.HEADING}\r\n\n{good}\nanything,1,,me,,,,0.5")
        self.assertEqual([one.line for one in rows], [3, 4])
        first = rows[0]
        self.assertEqual((first.source, first.value, first.bar), ('a "b", c', -1e-3, 2e-5))
        self.assertTrue(math.isnan(rows[1].uncertainty) and rows[1].bar == 0.5)
        self.assertEqual(settings_of("gas.delta=2  time.end=1"), {"gas.delta": "2", "time.end": "1"})

    def test_refused(self):
        bad = {"D,inf,0,me,,,,": "value is no number", "D,,0,me,,,,": "value is no number"}
        bad |= {"D,1x,0,me,,,,": "value is no number", "D,nan,0,me,,,,": "value is no number"}
        bad |= {"D,1,-1,me,,,,": "uncertainty is no number of 0 or more", "D,1,0,me,,,never,": "check is none of"}
        bad |= {"D,1,0,me,,,,0": "bar is no number above 0", "D,1,0,me,,,,%": "bar is no number above 0"}
        bad |= {"D,1,0,me,,,,1%%": "bar is no number above 0", 'D,1,0,"me" you,,,,': "a double quote is not closed"}
        bad |= {"uy(,1,0,me,,,quick,": "is no quantity"}
        for line, words in bad.items():
            error = self.refuses(words, self.read, f"{reference.HEADING}\n{line}\n")
            self.assertIn("reference.csv:2: ", str(error))
        self.assertEqual(self.refuses("cannot be read", reference.read, self.folder / "none.csv").code, 4)
        self.assertEqual(self.refuses("cannot be read", reference.read, self.folder).code, 4)

    def test_changed_files(self):
        """Files with changed bytes are read, or refused with a line number."""
        files = [path.read_bytes() for path in sorted((ROOT / "cases").glob("*/reference.csv"))]
        files.append(f'{reference.HEADING}\n-right.stress_y,0.5,1e-3,"a; b",BGK,"space.cells=4",quick,0.3%'.encode())
        dice = random.Random(1)
        pieces = [b"", b"\0", b'"', b",", b"\n", b"\r", b"\xff\xfe", b"1e999", b"%", b"(", b";", b"=-", b"9" * 400]
        for _ in range(1500):
            text = bytearray(dice.choice(files))
            for _ in range(dice.randint(1, 4)):
                at = dice.randrange(len(text))
                text[at : at + dice.randint(0, 8)] = dice.choice(pieces)
            with contextlib.suppress(knudsen.Error):
                for one in self.read(bytes(text)):
                    settings_of(one.settings)
                    with contextlib.suppress(knudsen.Error):
                        parse(one.quantity)

    def test_the_files_of_the_cases(self):
        for path in sorted((ROOT / "cases").glob("*/reference.csv")):
            self.assertTrue(any(one.check == "quick" for one in reference.read(path)), path)


class Table(Test):
    def printed(self, results, as_json=False):
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            shown = table.Table(as_json, len(results))
            for one in results:
                shown.add(one)
            shown.end()
        return text.getvalue()

    def test_rows(self):
        known = row("D", 0.6406, uncertainty=0.0002)
        good = result(known, 0.6402, 0.0021, deviation=-0.0004, backend="cpu")
        lost = result(row("uy(0.5)", 0.3, bar=0.1, conditions="x"), NAN, 0, deviation=NAN)
        judge([good])
        judge([lost])
        text = self.printed([good, lost])
        line = "  D                     0.6406(2) [1]     0.6402(21)       -0.062 % 0.359 % pass"
        self.assertIn(f"\ncase\n{line}\n", text)
        self.assertIn("case: x\n  uy(0.5)               0.3 [1]           nan", text)
        self.assertIn("2 checks on no machine in 0 s: 1 pass, 1 FAIL\n", text)
        text = self.printed([good, lost], True)
        self.assertIn('"value": null', text)
        self.assertIn('"passed": 1, "open": 0, "failed": 1', text)


if __name__ == "__main__":
    import os

    os.environ["KNUDSEN"] = str(PROGRAM)
    main()
