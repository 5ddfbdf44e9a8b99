#!/usr/bin/env python3
"""What data/ ships is small, has its source and licence written down, and is where scenarios look for it."""
import pathlib
import tomllib
import unittest

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"


def named_files(value):
    """Every value of a key `file`, `files` or `trace`, however deep."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(inner, (dict, list)):
            yield from named_files(inner)
        elif key in ("file", "files", "trace"):
            yield inner


class Data(unittest.TestCase):
    def test_every_sample_is_described(self):
        page = (DATA / "README.md").read_text()
        undescribed = [f.name for f in DATA.iterdir() if f.suffix in (".gz", ".json", ".sqlite") and f"`{f.name}`" not in page]
        self.assertEqual(undescribed, [])

    def test_every_licence_is_referred_to(self):
        page = (DATA / "README.md").read_text()
        self.assertEqual([f.name for f in (DATA / "licences").iterdir() if f"licences/{f.name}" not in page], [])

    def test_all_of_it_stays_below_20_megabytes(self):
        self.assertLess(sum(f.stat().st_size for f in DATA.rglob("*") if f.is_file()), 20e6)

    def test_every_file_that_a_scenario_names_is_there(self):
        scenarios = [*DATA.glob("*.toml"), *DATA.glob("scenarios/*.toml"), *DATA.glob("studies/*/*.toml")]
        self.assertGreater(len(scenarios), 10)
        lost = [f"{s.name}: {name}" for s in scenarios for name in named_files(tomllib.loads(s.read_text()))
                if not (s.parent / name).exists()]
        self.assertEqual(lost, [])


if __name__ == "__main__":
    unittest.main()
