"""knudsen report in a browser: numbers, drawings, keyboard, small screens, colours, errors.

usage: test_report.py PROGRAM SOURCE_FOLDER
"""
import csv
import glob
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import h5py
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

os.environ["KNUDSEN_CASES"] = os.path.join(os.path.abspath(sys.argv[2]), "cases")
PROGRAM, SOURCE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
CAVITY = ["--set", "velocity.nodes=4", "--set", "collision.method=bgk", "--set", "time.end=1",
          "--set", "time.residual=0"]
SI = """
gas: {species: argon, pressure: 8 kPa, temperature: 300 K}
disturbance: 0.5
space: {cells: 6, size: 2 um}
velocity: {grid: gauss, nodes: 4}
collision: {method: bgk}
run: {force: true}
walls:
  left: {kind: inflow, density: 0.3, velocity: [0.1, 0.2, 0]}
  right: {kind: inflow, temperature: 360 K}
time: {end: 40 ns, residual: 1e4 s-1}
output: {history: 2}
"""
folder = None
driver = None


def knudsen(*words, cwd=None):
    return subprocess.run([PROGRAM, *words], cwd=cwd or folder, capture_output=True, text=True, check=False)


def make(name, case, *words):
    """A run in the folder of its name, and its page."""
    path = case if case.endswith(".yaml") else os.path.join(SOURCE, "cases", case, "case.yaml")
    done = knudsen("run", path, "--out", name, "--quiet", *words)
    assert done.returncode == 0, done.stderr
    return write_page(name)


def write_page(name, *words):
    done = knudsen("report", name, *words)
    assert done.returncode == 0, done.stderr
    return os.path.join(folder, done.stdout.strip())


def data_of(page):
    with open(page, encoding="utf-8") as file:
        return json.loads(re.search(r'id="data">(.*?)</script>', file.read(), re.S).group(1))


def make_si(name, source):
    """The same run as if its case were in SI units, according to docs/format.md."""
    shutil.copytree(os.path.join(folder, source), os.path.join(folder, name))
    n0, t0, p0, mass, v0, length, eps = 2.4e20, 300.0, 1.0, 6.63e-26, 353.0, 6.3e-3, 0.01
    rules = {"rho": ("m-3", n0 * eps, n0), "u": ("m s-1", v0 * eps, 0.0), "theta": ("K", t0 * eps, t0),
             "Pi": ("Pa", p0 * eps, 0.0), "q": ("W m-2", p0 * v0 * eps, 0.0)}
    with h5py.File(os.path.join(folder, name, "fields.h5"), "r+") as f:
        group = f.create_group("si")
        group.attrs["species"] = "argon"
        numbers = {"temperature": t0, "pressure": p0, "density": n0, "mass": mass, "viscosity": 2.2e-5,
                   "velocity": v0, "length": length, "time": length / v0, "box": length, "disturbance": eps}
        for key, value in numbers.items():
            group.attrs[key] = value
        sets = [(f[key], rule) for key, rule in rules.items()]
        sets += [(f["grid"][key], ("m", length, 0.0)) for key in f["grid"]]
        for data, (unit, factor, offset) in sets:
            data.attrs["si_unit"], data.attrs["si_factor"], data.attrs["si_offset"] = unit, factor, offset
    return write_page(name)


def factors(name):
    """The units of the case SI, computed by hand: k, and 39.948 g/mol divided by Avogadro's number."""
    boltzmann, mass, t0, p0, eps = 1.380649e-23, 39.948e-3 / 6.02214076e23, 300, 8000, 0.5
    n0, v0 = p0 / (boltzmann * t0), math.sqrt(2 * boltzmann * t0 / mass)
    with open(os.path.join(folder, name, "summary.json"), encoding="utf-8") as file:
        free_path = json.load(file)["si"]["viscosity"] * v0 / p0
    return {"stress": ("Pa", p0 * eps, 0), "heat_flux": ("W m-2", p0 * v0 * eps, 0),
            "mass_flux": ("kg m-2 s-1", n0 * mass * v0 * eps, 0), "time": ("s", free_path / v0, 0),
            "residual": ("s-1", v0 / free_path, 0), "average.rho": ("m-3", n0 * eps, n0),
            "average.uy": ("m s-1", v0 * eps, 0), "average.theta": ("K", t0 * eps, t0),
            "average.Pxy": ("Pa", p0 * eps, 0), "average.qx": ("W m-2", p0 * v0 * eps, 0)}


def number(text):
    """In the notation of the page: −8.048·10⁴."""
    text = text.replace("−", "-").translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
    return float(text.replace("·10", "e"))


def start_browser():
    options = Options()
    for word in ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars"]:
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)


def show(page, width=1200, height=900, dark=False):
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                           {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                           {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
    driver.get("file://" + page)


def find(css):
    return driver.find_element(By.CSS_SELECTOR, css)


def choose(control, word):
    Select(find(f"#control-{control}")).select_by_visible_text(word)


def slide(control, value):
    driver.execute_script("arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input'))",
                          find(f"#control-{control}"), value)


def hover(x, y):
    """Move the pointer to a position in the map; returns the cell and the displayed number."""
    canvas = find("#map")
    driver.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", canvas)
    width, height = canvas.size["width"], canvas.size["height"]
    ActionChains(driver, duration=0).move_to_element_with_offset(
        canvas, round((x - 0.5) * width), round((0.5 - y) * height)).perform()
    return probe()


def probe():
    cell = tuple(int(word) for word in find("#probe").get_attribute("data-cell").split(","))
    return cell, find("#probe-value").text


def cell_of(edges, part):
    place = edges[0] + part * (edges[-1] - edges[0])
    return max(i for i in range(len(edges) - 1) if edges[i] <= place)


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        global folder, driver
        folder = tempfile.mkdtemp(prefix="knudsen-report-")
        cls.plane = make("plane", "cavity", "--set", "space.cells=[20,16]", "--set", "space.stretch=[0.88,0.93]",
                         "--set", "output.fields=0.25", "--set", "output.history=2", *CAVITY)
        cls.box = make("box", "cavity", "--set", "space.cells=[8,7,6]", "--set", "space.stretch=[0.9,1,0.8]",
                       "--set", "walls.back.kind=diffuse", "--set", "walls.front.kind=diffuse", *CAVITY)
        cls.line = make("line", "couette", "--set", "collision.method=bgk", "--set", "velocity.nodes=[24,8,8]")
        cls.steady = make("steady", "cavity", "--set", "collision.method=bgk", "--set", "space.cells=[12,12]",
                          "--set", "output.history=2")
        cls.si = make_si("si", "steady")
        with open(os.path.join(folder, "si.yaml"), "w", encoding="utf-8") as file:
            file.write(SI)
        cls.real = make("real", os.path.join(folder, "si.yaml"))
        driver = start_browser()

    @classmethod
    def tearDownClass(cls):
        driver.quit()
        shutil.rmtree(folder)

    def tearDown(self):
        complaints = [entry for entry in driver.get_log("browser") if entry["level"] != "INFO"]
        self.assertEqual(complaints, [])

    def test_01_asks_nobody_for_anything(self):
        for page in [self.plane, self.box, self.line, self.si]:
            with open(page, encoding="utf-8") as file:
                text = file.read()
            urls = set(re.findall(r"(?:https?:)?//[\w.-]+\.[a-z]{2,}[^\s\"'<]*", text))
            self.assertEqual(urls - {"http://www.w3.org/2000/svg"}, set())
            self.assertIn("default-src 'none'", text)
            show(page)
            loaded = driver.execute_script("return performance.getEntriesByType('resource').map(entry => entry.name)")
            self.assertEqual([name for name in loaded if not name.startswith("data:")], [])

    def test_02_numbers_of_the_summary(self):
        show(self.steady)
        with open(os.path.join(folder, "steady", "summary.json"), encoding="utf-8") as file:
            summary = json.load(file)
        self.assertEqual(find("#number-D").get_attribute("title"), repr(summary["quantities"]["D"]))
        self.assertEqual(find("#verdict").text, "The run is steady:")
        provenance = find("#provenance").text
        for key in ["command", "compiler", "processor", "device"]:
            self.assertIn(summary["provenance"][key], provenance)
        case = find("#case").text
        self.assertIn("collision.method", case)
        self.assertNotIn("run.seed", case)  # as by default: folded away
        self.assertIn("run.seed", find("#case").get_attribute("textContent"))

    def test_03_quantity_changes_the_picture(self):
        show(self.plane)
        pictures = set()
        for word in ["speed", "density", "velocity y", "stress xy", "heat flux x"]:
            choose("quantity", word)
            pictures.add(driver.execute_script("return document.getElementById('map').toDataURL()"))
            self.assertIn(word, find("#map-caption").text.lower())
        self.assertEqual(len(pictures), 5)

    def test_04_flow_can_be_switched(self):
        show(self.plane)
        lengths = {}
        for word in ["none", "arrows", "streamlines"]:
            choose("flow", word)
            lengths[word] = driver.execute_script(
                "return document.querySelector('.map svg:last-child path')?.getAttribute('d').length ?? 0")
        self.assertEqual(lengths["none"], 0)
        self.assertGreater(lengths["arrows"], 500)
        self.assertGreater(lengths["streamlines"], 500)

    def test_05_hover_tells_the_number_of_the_file(self):
        show(self.plane)
        with h5py.File(os.path.join(folder, "plane", "fields.h5")) as f:
            edges = [f["grid/x"][:], f["grid/y"][:]]
            self.assertGreater(max(edges[0][1:] - edges[0][:-1]) / min(edges[0][1:] - edges[0][:-1]), 2)
            shown = [("density", "rho", None), ("velocity x", "u", 0), ("stress xy", "Pi", 3), ("heat flux y", "q", 1)]
            for word, data, part in shown:
                choose("quantity", word)
                for x, y in [(0.03, 0.97), (0.53, 0.2), (0.31, 0.62), (0.98, 0.47)]:
                    (i, j, k), text = hover(x, y)
                    self.assertEqual((i, j, k), (cell_of(edges[0], x), cell_of(edges[1], y), 0))
                    value = f[data][0, j, i] if part is None else f[data][0, j, i, part]
                    self.assertEqual(float(text), value)
                    self.assertLessEqual(len(text), len(repr(float(value))))
            self.assertEqual(find("#probe-unit").text, "p₀ V₀ ε")
            x = f["grid/x_centre"][i] / f.attrs["delta"]
            self.assertAlmostEqual(float(find("#probe dd").text.split()[0]), x, places=5)

    def test_06_other_times(self):
        show(self.plane)
        with h5py.File(os.path.join(folder, "plane", "fields.h5")) as f:
            steps = list(f["series"])
            self.assertEqual(int(find("#control-time").get_attribute("max")), len(steps) - 1)
            choose("quantity", "velocity x")
            for at in [0, 2, len(steps) - 1]:
                slide("time", at)
                (i, j, _), text = hover(0.6, 0.8)
                self.assertEqual(float(text), f["series"][steps[at]]["u"][0, j, i, 0])

    def test_07_averages(self):
        show(make("mean", "cavity", "--set", "space.cells=[6,6]", "--set", "output.average=0.5", *CAVITY))
        choose("quantity", "velocity x")
        with h5py.File(os.path.join(folder, "mean", "fields.h5")) as f:
            (i, j, _), text = hover(0.6, 0.9)
            self.assertEqual(float(text), f["mean/u"][0, j, i, 0])
            choose("fields", "at the end")
            self.assertEqual(float(find("#probe-value").text), f["u"][0, j, i, 0])
            self.assertNotEqual(float(text), f["u"][0, j, i, 0])

    def test_08_other_slices(self):
        show(self.box)
        choose("quantity", "velocity x")
        with h5py.File(os.path.join(folder, "box", "fields.h5")) as f:
            slide("slice", 1)
            (i, j, k), text = hover(0.3, 0.9)
            self.assertEqual(k, 1)
            self.assertEqual(float(text), f["u"][k, j, i, 0])
            choose("cut-across", "x")
            slide("slice", 6)
            (i, j, k), text = hover(0.2, 0.1)  # y to the right, z upwards
            self.assertEqual((i, j, k), (6, cell_of(f["grid/y"][:], 0.2), cell_of(f["grid/z"][:], 0.1)))
            self.assertEqual(float(text), f["u"][k, j, i, 0])

    def test_09_keyboard(self):
        show(self.plane)
        choose("quantity", "temperature")
        canvas = find("#map")
        canvas.send_keys(Keys.ARROW_UP)
        (i, j, _), _ = probe()
        canvas.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_UP)
        cell, text = probe()
        self.assertEqual(cell, (i + 2, j + 1, 0))
        with h5py.File(os.path.join(folder, "plane", "fields.h5")) as f:
            self.assertEqual(float(text), f["theta"][0, j + 1, i + 2])
        self.assertEqual(find("#probe").get_attribute("aria-live"), "polite")
        focus = driver.execute_script(
            "const canvas = document.getElementById('map'); canvas.focus({focusVisible: true});"
            "return getComputedStyle(canvas).outlineStyle")
        self.assertEqual(focus, "solid")
        names = driver.execute_script(
            "return [...document.querySelectorAll('select, input, button')].filter("
            "node => !node.hidden && !node.labels?.length && !node.textContent.trim()).length")
        self.assertEqual(names, 0)

    def test_10_phone(self):
        for page in [self.plane, self.box, self.line, self.si]:
            show(page, 360, 740)
            for part in driver.find_elements(By.CSS_SELECTOR, "details > summary"):
                driver.execute_script("arguments[0].parentNode.open = true", part)
            self.assertLessEqual(driver.execute_script("return document.scrollingElement.scrollWidth"), 360)
            for node in driver.find_elements(By.CSS_SELECTOR, "#map, .chart svg"):
                box = driver.execute_script(
                    "const b = arguments[0].getBoundingClientRect(); return [b.left, b.right, b.width]", node)
                self.assertGreaterEqual(box[0], 0)
                self.assertLessEqual(box[1], 360)
                self.assertGreater(box[2], 200)

    def test_11_profiles_of_a_line(self):
        show(self.line)
        self.assertEqual(driver.find_elements(By.CSS_SELECTOR, "#map"), [])
        chart = find("#profiles .chart")
        self.assertIn("Velocity uy", chart.text)
        plot = chart.find_element(By.CSS_SELECTOR, "svg")
        plot.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        with h5py.File(os.path.join(folder, "line", "fields.h5")) as f:
            self.assertEqual(float(chart.find_element(By.CSS_SELECTOR, ".readout .value").text), f["u"][0, 0, 2, 1])

    def test_12_not_steady(self):
        show(self.plane)
        self.assertEqual(find("#verdict").text, "The run is not steady:")

    def test_13_verdict(self):
        """The page shows the verdict of the summary; a summary without one is not steady."""
        path = os.path.join(folder, "judged")
        shutil.copytree(os.path.join(folder, "steady"), path)
        with open(os.path.join(path, "summary.json"), encoding="utf-8") as file:
            summary = json.load(file)
        for verdict in ("noisy", "oscillating", "not steady", None):
            summary["quality"] = {"verdict": verdict, "sentence": "because"} if verdict else None
            with open(os.path.join(path, "summary.json"), "w", encoding="utf-8") as file:
                json.dump(summary, file)
            show(write_page("judged"))
            self.assertEqual(find("#verdict").text, f"The run is {verdict or 'not steady'}:")

    def test_13_summary_of_other_types(self):
        """If members of the summary have wrong types, only these members are missing in the page."""
        path = os.path.join(folder, "types")
        shutil.copytree(os.path.join(folder, "steady"), path)
        with open(os.path.join(path, "summary.json"), encoding="utf-8") as file:
            summary = json.load(file)
        case = summary["case"]
        changes = [{"quality": {"level": "warning", "error_estimate": 1}}, {"notes": "text"}, {"notes": [5, None]},
                   {"quality": {"verdict": 3, "sentence": []}},
                   {"quality": {"level": "good", "verdict": "noisy"}, "notes": {"a": 1}},
                   {name: 7 for name in summary if name != "case"},
                   {name: "x" for name in summary if name != "case"},
                   {name: [{}] for name in summary if name != "case"},
                   {"quantities": {"walls": {"left": {"stress": 1, "shear": 2}}}, "errors": {"walls": [1]}},
                   {"case": {**case, "space": {**case["space"], "cells": 7}}}]
        for change in changes:
            with open(os.path.join(path, "summary.json"), "w", encoding="utf-8") as file:
                json.dump({**summary, **change}, file)
            show(write_page("types"))
            verdict = change.get("quality", summary["quality"])
            word = verdict.get("verdict") if isinstance(verdict, dict) else None
            self.assertEqual(find("#verdict").text, f"The run is {word if isinstance(word, str) else 'not steady'}:")
            self.assertEqual(find("main").get_attribute("id"), "main")
            if change is changes[0]:
                self.assertEqual(find("#quality").text, "Validity checks: warning, estimated error 100 % or more")
                self.assertIn("has no verdict", find(".judgement").text)

    def test_14_validity(self):
        show(self.real)
        self.assertIn("Validity checks: forced", find("#quality").text)
        self.assertIn("the velocity grid cannot represent", find("#quality + .validity").text)

    def test_15_si(self):
        show(self.si)
        self.assertIn("argon", find("#subtitle").text)
        choose("quantity", "temperature")
        with h5py.File(os.path.join(folder, "si", "fields.h5")) as f:
            rule, own = dict(f["theta"].attrs), f["theta"][:]
        (i, j, _), text = hover(0.2, 0.7)
        self.assertEqual(float(text), rule["si_offset"] + rule["si_factor"] * own[0, j, i])
        self.assertEqual(find("#probe-unit").text, "K")
        self.assertIn("mm", find("#probe dd").text)
        driver.execute_script("window.scrollTo({top: 0, behavior: 'instant'})")
        find("#unit-own").click()
        self.assertEqual(float(find("#probe-value").text), own[0, j, i])
        self.assertEqual(find("#probe-unit").text, "T₀ ε")
        show(self.plane)
        self.assertFalse(find("#unit-switch").is_displayed())

    def test_15_amplitudes_of_an_oscillation(self):
        show(make("resonator", "resonator", "--set", "collision.method=bgk"))
        with open(os.path.join(folder, "resonator", "summary.json"), encoding="utf-8") as file:
            summary = json.load(file)
        cells = [[cell.text for cell in row.find_elements(By.CSS_SELECTOR, "td, th")]
                 for row in driver.find_elements(By.CSS_SELECTOR, "#amplitudes tr")]
        found, wall = summary["oscillation"]["right.stress_y"], summary["moving_walls"]["right"]
        row = next(row for row in cells if row[0] == "right.stress_y")
        self.assertAlmostEqual(number(row[1].removesuffix(" Pa")) / found["amplitude_si"], 1, delta=1e-5)
        self.assertAlmostEqual(number(row[2]), found["phase"], delta=1e-4)
        row = next(row for row in cells if row[0] == "right")
        self.assertAlmostEqual(number(row[1]) / wall["damping_si"], 1, delta=1e-5)
        self.assertAlmostEqual(number(row[2]) / wall["added_mass_si"], 1, delta=1e-5)

    def test_15_bodies_and_ports(self):
        show(make("pirani", "pirani", "--set", "space.cells=[10,10]", "--set", "velocity.nodes=4", "--set",
                  "run.force=true"))
        with open(os.path.join(folder, "pirani", "summary.json"), encoding="utf-8") as file:
            heat = json.load(file)["quantities_si"]["bodies"]["bar"]["heat"]
        cells = [[cell.text for cell in row.find_elements(By.CSS_SELECTOR, "td, th")]
                 for row in driver.find_elements(By.CSS_SELECTOR, "#bodies tr")]
        self.assertEqual(cells[0], ["body", "heat / W m\u207b\u00b9"])
        self.assertAlmostEqual(number(cells[1][1]) / heat, 1, delta=1e-5)
        show(make("slit", "slit", "--set", "space.cells=[16,16]", "--set", "velocity.nodes=4", "--set",
                  "run.force=true"))
        with open(os.path.join(folder, "slit", "summary.json"), encoding="utf-8") as file:
            found = json.load(file)["quantities"]
        cells = [[cell.text for cell in row.find_elements(By.CSS_SELECTOR, "td, th")]
                 for row in driver.find_elements(By.CSS_SELECTOR, "#ports tr")]
        self.assertEqual(cells[0][:2], ["port", "mass flow / n\u2080 V\u2080 \u03bb\u2080 \u03b5"])
        self.assertAlmostEqual(number(cells[1][1]) / found["ports"]["inlet"]["mass_flow"], 1, delta=1e-5)
        text = driver.find_element(By.ID, "whole").text
        size = number(re.search(r"Conductance (\S+) V\u2080 \u03bb\u2080,", text).group(1))
        self.assertAlmostEqual(size / found["port_flow"]["conductance"], 1, delta=1e-5)

    def test_16_contrast(self):
        """WCAG AA: a contrast of at least 4.5 between text and background, in both colour schemes."""
        script = """
            const parse = text => (text.match(/[\\d.]+/g) ?? []).map(Number);
            const linear = v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
            const light = ([r, g, b]) => [r, g, b].map(v => linear(v / 255))
                .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
            const behind = node => {
                for (let at = node; at; at = at.parentElement) {
                    const colour = parse(getComputedStyle(at).backgroundColor);
                    if (colour.length === 3 || colour[3] > 0) return colour;
                }
                return [255, 255, 255];
            };
            document.querySelectorAll('details').forEach(part => { part.open = true; });
            const found = {};
            const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
            while (walker.nextNode()) {
                const node = walker.currentNode.parentElement;
                if (!walker.currentNode.textContent.trim() || ['SCRIPT', 'NOSCRIPT'].includes(node.tagName)) continue;
                const style = getComputedStyle(node), own = node.namespaceURI.endsWith('svg') ? style.fill : style.color;
                const [a, b] = [light(parse(own)), light(behind(node))].sort((p, q) => q - p);
                const ratio = (a + 0.05) / (b + 0.05);
                const name = node.tagName + '.' + node.className;
                found[name] = Math.min(found[name] ?? 99, ratio);
            }
            return found;"""
        for dark in [False, True]:
            for page in [self.plane, self.si]:
                show(page, dark=dark)
                paper = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
                self.assertEqual(max(int(word) for word in re.findall(r"\d+", paper)) < 80, dark)
                found = driver.execute_script(script)
                self.assertGreater(len(found), 20)
                self.assertEqual({name: ratio for name, ratio in found.items() if ratio < 4.5}, {})

    def test_17_thinned_out_with_a_note(self):
        small = write_page("plane", "--size", "0.15", "-o", "small.html")
        self.assertLess(os.path.getsize(small), os.path.getsize(self.plane) - 100000)
        show(small)
        self.assertRegex(find("#results .note").text, r"The page has \d of the 5 times of the series")
        choose("quantity", "velocity x")
        (i, j, _), text = hover(0.4, 0.9)
        with h5py.File(os.path.join(folder, "plane", "fields.h5")) as f:
            self.assertEqual(float(text), f["u"][0, j, i, 0])
        planes = write_page("box", "--size", "0.03", "-o", "planes.html")
        show(planes)
        self.assertIn("planes across x, y and z", find("#results .note").text)
        choose("quantity", "velocity x")
        choose("cut-across", "y")
        (i, j, k), text = hover(0.7, 0.4)
        with h5py.File(os.path.join(folder, "box", "fields.h5")) as f:
            self.assertEqual(float(text), f["u"][k, j, i, 0])

    def test_18_text_is_text(self):
        name = "<b id=trap>&amp;'\"</b>"
        shutil.copytree(os.path.join(folder, "line"), os.path.join(folder, name.replace("/", "_")))
        show(write_page(name.replace("/", "_")))
        self.assertEqual(driver.find_elements(By.CSS_SELECTOR, "#trap"), [])
        self.assertEqual(find("h1").text, name.replace("/", "_"))

    def test_19_incomplete_runs(self):
        shutil.copytree(os.path.join(folder, "plane"), os.path.join(folder, "killed"))
        os.remove(os.path.join(folder, "killed", "summary.json"))
        with open(os.path.join(folder, "killed", "history.csv"), "a", encoding="utf-8") as file:
            file.write("999,0.1")  # the row at which it was cut off
        show(write_page("killed"))
        self.assertIn("no summary.json", find("#results .note").text)
        self.assertTrue(find("#map").is_displayed())
        os.remove(os.path.join(folder, "killed", "fields.h5"))
        show(write_page("killed"))
        self.assertEqual(driver.find_elements(By.CSS_SELECTOR, "#map"), [])
        self.assertTrue(find("#history-charts").is_displayed())
        with open(os.path.join(folder, "killed", "summary.json"), "w", encoding="utf-8") as file:
            file.write('{"version": ')
        show(write_page("killed"))
        self.assertIn("summary.json is damaged", find("#results .note").text)

    def test_20_errors(self):
        os.mkdir(os.path.join(folder, "empty"))
        done = knudsen("report", "empty")
        self.assertEqual(done.returncode, 4)
        self.assertIn("'empty' is not a folder of results", done.stderr)
        self.assertEqual(os.listdir(os.path.join(folder, "empty")), [])
        done = knudsen("report", "absent")
        self.assertEqual((done.returncode, "not a folder of results" in done.stderr), (4, True))
        done = knudsen("report", "line", "-o", "nowhere/page.html")
        self.assertEqual(done.returncode, 4)
        self.assertIn("cannot write 'nowhere/page.html'", done.stderr)
        done = knudsen("report", "line", "-o", "page.pdf")
        self.assertEqual((done.returncode, "must end in .html" in done.stderr), (2, True))
        self.assertEqual(knudsen("report").returncode, 2)
        self.assertEqual(knudsen("report", "line", "--size", "much").returncode, 2)
        shutil.copytree(os.path.join(folder, "line"), os.path.join(folder, "damaged"))
        os.truncate(os.path.join(folder, "damaged", "fields.h5"), 100)
        done = knudsen("report", "damaged")
        self.assertEqual((done.returncode, "fields.h5" in done.stderr), (4, True))
        full = subprocess.run(["bash", "-c", f"ulimit -f 20; exec '{PROGRAM}' report line -o full.html"], cwd=folder,
                              capture_output=True, text=True, check=False)
        self.assertEqual((full.returncode, "cannot write 'full.html'" in full.stderr), (4, True))
        self.assertEqual(glob.glob(os.path.join(folder, "full*")), [])

    def test_21_units_of_a_run_in_si(self):
        """Every rule of the page, the table of walls, and sentences beside charts."""
        known, data = factors("real"), data_of(self.real)
        for column in [*known, "left.stress_y", "right.heat_flux", "left.mass_flux"]:
            unit, factor, offset = known[re.sub(r"^.*(stress|heat_flux|mass_flux).*", r"\1", column)]
            rule = data["units"][column]["si"]
            self.assertEqual(rule["unit"], unit, column)
            self.assertAlmostEqual(rule["factor"] / factor, 1, 9, column)
            self.assertAlmostEqual(rule["offset"], offset, delta=1e-9 * offset, msg=column)
        self.assertNotIn("si", data["units"]["mass"])
        with open(os.path.join(folder, "real", "summary.json"), encoding="utf-8") as file:
            run = json.load(file)
        left = run["quantities"]["walls"]["left"]
        own = [left["stress"][0], left["stress"][1], left["heat_flux"], left["mass_flux"]]
        show(self.real)
        heads = [cell.text for cell in driver.find_elements(By.CSS_SELECTOR, "#results th")]
        self.assertEqual(heads, ["wall", "stress x / Pa", "stress y / Pa", "heat flux / W m⁻²", "mass flux / kg m⁻² s⁻¹"])
        cells = [cell.text for cell in driver.find_elements(By.CSS_SELECTOR, "#results tbody tr:first-child td")]
        self.assertEqual(cells[0], "left")
        kinds = ["stress", "stress", "heat_flux", "mass_flux"]
        for text, value, kind in zip(cells[1:], own, kinds):
            self.assertAlmostEqual(number(text) / (value * known[kind][1]), 1, 5, kind)
        driver.execute_script("window.scrollTo({top: 0, behavior: 'instant'})")
        find("#unit-own").click()
        cells = [cell.text for cell in driver.find_elements(By.CSS_SELECTOR, "#results tbody tr:first-child td")]
        for text, value in zip(cells[1:], own):
            self.assertAlmostEqual(number(text) / value, 1, 5)
        os.remove(os.path.join(folder, "real", "fields.h5"))  # the case has the scales too
        self.assertEqual(data_of(write_page("real"))["units"], data["units"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
