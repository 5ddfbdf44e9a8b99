#!/usr/bin/env python3
"""A training that can be stopped, moved and resized by Penstock: the contract for elastic jobs, runnable.

It trains nothing, but keeps to the time that a real training of this model would need on the GPUs it was given, so
that everything around it can be tried and measured without a GPU. A real training keeps the four promises marked
below and does its own work in the middle.

    sbatch --gres=gpu:2 --comment "penstock: profile=example gpus=1-4 work=30" elastic.sh
    elastic.sh:   #!/bin/sh
                  exec python3 elastic_trainer.py --model example --models models.toml --work 30

It keeps its batch on however many GPUs it gets. A comment that names no `batch` means what is usual on each GPU asked
for: with `profile=example-sgd` on two GPUs, `--batch 256`.
"""
import argparse
import json
import os
import pathlib
import signal
import sys
import time
import tomllib

STEP = 0.05  # seconds between two looks at signals


def job_name():
    """What Slurm, and so Penstock, calls this job."""
    if "SLURM_ARRAY_JOB_ID" in os.environ:
        return f"{os.environ['SLURM_ARRAY_JOB_ID']}_{os.environ['SLURM_ARRAY_TASK_ID']}"
    return os.environ.get("SLURM_JOB_ID", "local")


def gpus_here():
    """How many GPUs the job has on all its nodes: Slurm gives each node the same number."""
    shown = os.environ.get("CUDA_VISIBLE_DEVICES", "")
    return max(1, len([one for one in shown.split(",") if one])) * int(os.environ.get("SLURM_JOB_NUM_NODES", 1))


def work_per_second(arguments, gpu, gpus):
    """As `docs/models.md` has it, at the highest clock."""
    models, name = arguments.models, arguments.model
    known = [one for one in tomllib.loads(pathlib.Path(models).read_text())["model"]
             if one["name"] == name and gpu in (None, one["gpu"])]
    if not known:
        sys.exit(f"{models}: there is no model '{name}' for {gpu or 'any GPU'}")
    model = known[0]
    if "seconds_per_epoch" in model:
        table = {int(count): seconds for count, seconds in model["seconds_per_epoch"].items()}
        return 1 / table[max(count for count in table if count <= gpus)]
    speed, batch = model["speed"], arguments.batch or model["batch"]["usual"]
    compute = speed["alpha_c"] + speed["beta_c"] * batch / gpus
    sync = 0 if gpus == 1 else speed["alpha_r"] + speed["beta_r"] * max(gpus - 2, 0)
    return batch / (compute ** speed["gamma"] + sync ** speed["gamma"]) ** (1 / speed["gamma"])


class Training:
    def __init__(self, arguments):
        name = job_name()
        self.checkpoint = pathlib.Path(arguments.dir) / f"penstock-{name}.checkpoint"
        self.progress = pathlib.Path(arguments.dir) / f"penstock-{name}.progress"
        self.total, self.stop, self.save_now = arguments.work, False, False
        # Promise 1: what an earlier run has saved is not done again.
        self.done = json.loads(self.checkpoint.read_text())["done"] if self.checkpoint.exists() else 0.0
        self.saved = self.done

    def save(self):
        fresh = self.checkpoint.with_suffix(".new")
        fresh.write_text(json.dumps({"done": self.done}))
        fresh.rename(self.checkpoint)  # whole, or not at all
        self.saved = self.done

    def tell(self):
        # Promise 4: a line now and then, each whole. Penstock reads the last one.
        with open(self.progress, "a", encoding="ascii") as file:
            file.write(json.dumps({"done": self.done, "saved": self.saved}) + "\n")

    def run(self, per_second, report_every):
        begun, at_start, next_report = time.monotonic(), self.done, 0.0
        self.tell()
        while self.done < self.total and not self.stop:
            time.sleep(STEP)
            passed = time.monotonic() - begun
            self.done = min(self.total, at_start + passed * per_second)
            if self.save_now:
                # Promise 2: on SIGUSR1 it saves, says so, and goes on until it is stopped.
                self.save_now = False
                self.save()
                self.tell()
            if passed >= next_report:
                next_report = passed + report_every
                self.tell()
        # Promise 3: on SIGTERM it saves and ends; Slurm starts it again with the GPUs it gets then.
        self.save()
        self.tell()
        return 0 if self.done >= self.total else 143


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--model", default="example")
    parser.add_argument("--models", required=True, help="catalogue of models (TOML), the truth here")
    parser.add_argument("--gpu", help="its GPU type; or --types")
    parser.add_argument("--types", help="JSON file: GPU type by node")
    parser.add_argument("--batch", type=float, metavar="SAMPLES", help="over all GPUs (default: what is usual on one)")
    parser.add_argument("--work", type=float, required=True, help="in the model's unit: samples or epochs")
    parser.add_argument("--dir", default=".", help="for checkpoint and progress: the job's working directory")
    parser.add_argument("--report-every", type=float, default=1.0, metavar="SECONDS")
    arguments = parser.parse_args()
    gpu = arguments.gpu
    if arguments.types:
        gpu = json.loads(pathlib.Path(arguments.types).read_text())[os.environ["SLURMD_NODENAME"]]
    training = Training(arguments)
    signal.signal(signal.SIGUSR1, lambda *_: setattr(training, "save_now", True))
    signal.signal(signal.SIGTERM, lambda *_: setattr(training, "stop", True))
    return training.run(work_per_second(arguments, gpu, gpus_here()), arguments.report_every)


if __name__ == "__main__":
    sys.exit(main())
