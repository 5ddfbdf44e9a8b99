"""The GPUs of fake_nvml.cpp, seen and changed from outside.

    gpus = FakeGpus(folder / "n1.gpus", library, count=4, kind="a100")
    subprocess.Popen([penstock, "agent", "--node", "n1", ...], env=gpus.environment())
    gpus.set("busy.0", 1)      # or, of many at once: gpus.change({"busy.0": 1, "hang.all": None})
    gpus.lock(0)               # MHz, None: not locked
"""
import fcntl
import os
import pathlib
import time

TYPES = {"a100": (510, 1410, 58, 400), "h100": (210, 1785, 70, 700), "v100": (510, 1380, 40, 300), "t4": (300, 1590, 10, 70)}
STEP_MHZ = 15


class FakeGpus:
    def __init__(self, path, library, count=4, kind="a100"):
        self.path, self.library, self.count, self.kind = pathlib.Path(path), str(library), count, kind
        self.least, self.most, self.idle, self.peak = TYPES[kind]
        self.path.touch()

    def environment(self):
        return {**os.environ, "PENSTOCK_FAKE_NVML": str(self.path), "PENSTOCK_FAKE_NVML_GPUS": str(self.count), "PENSTOCK_FAKE_NVML_TYPE": self.kind}

    def values(self):
        return {key: float(value) for key, value in (line.split() for line in self.path.read_text().splitlines())}

    def lock(self, gpu):
        return self.values().get(f"lock.{gpu}")

    def locks(self):
        values = self.values()
        return [values.get(f"lock.{gpu}") for gpu in range(self.count)]

    def limit(self, gpu):
        return self.values().get(f"limit.{gpu}", self.peak)

    def set(self, key, value):
        self.change({key: value})

    def change(self, changes):
        """None takes a key away. Energy until now is added up first."""
        with open(f"{self.path}.lock", "a", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            values = self.values()
            now = time.time()
            for gpu in range(self.count):
                values[f"joules.{gpu}"] = self._joules(values, gpu, now)
                values[f"since.{gpu}"] = now
            values.update(changes)
            draft = pathlib.Path(f"{self.path}.new")
            draft.write_text("".join(f"{key} {value!r}\n" for key, value in values.items() if value is not None))
            draft.rename(self.path)

    def joules(self, gpu):
        return self._joules(self.values(), gpu, time.time())

    def watts(self, gpu):
        return self._watts(self.values(), gpu)

    def _joules(self, values, gpu, now):
        since = values.get(f"since.{gpu}", now)
        return values.get(f"joules.{gpu}", 0.0) + self._watts(values, gpu) * (now - since)

    def _busy_watts(self, mhz):
        part = mhz / self.most
        return self.idle + (self.peak - self.idle) * (0.3 * part + 0.7 * part**3)

    def _watts(self, values, gpu):
        mhz = values.get(f"lock.{gpu}", self.most)
        while mhz > self.least and self._busy_watts(mhz) > values.get(f"limit.{gpu}", self.peak):
            mhz -= STEP_MHZ
        return self.idle + values.get(f"busy.{gpu}", 0.0) * (self._busy_watts(mhz) - self.idle)
