# The commands of this repository. Each installs what it lacks, builds what is stale and runs.
.DEFAULT_GOAL := help
.PHONY: help soak setup setup-check setup-bridge setup-slurm setup-soak setup-web build install demo test bench check format fuzz fresh clean

help:  ## show this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 10

setup:
	@tools/setup.sh

setup-check:
	@tools/setup.sh tools/packages.txt tools/packages-check.txt

setup-bridge: setup
	@tools/setup.sh --optional tools/packages-bridge.txt

setup-slurm: setup-bridge
	@tools/setup.sh --optional tools/packages-slurm.txt

setup-web: setup
	@tools/setup.sh --optional tools/packages-web.txt

build: setup-bridge  ## build the programs into build/release, the tests and the benchmarks
	@tools/build.sh release all benches

PREFIX ?= /usr/local
install: setup-bridge  ## build the programs and put them below PREFIX (/usr/local), with examples and units
	@tools/build.sh release programs
	@tools/install.sh build/release "$(PREFIX)"

demo: setup  ## simulate a real Philly sample with German prices and carbon; the report is out/demo/report.html
	@tools/build.sh release penstock
	build/release/penstock simulate data/demo.toml --out out/demo

test: setup-slurm setup-web  ## build everything and run every test, those with a real Slurm where it can be had
	@tools/build.sh release
	@ctest --test-dir build/release --output-on-failure -LE soak -j "$$(nproc)"

bench: setup-slurm  ## measure speed and memory
	@tools/build.sh release all benches
	@bench/run.sh build/release

setup-soak: setup-slurm
	@tools/setup.sh --optional tools/packages-slurmdbd.txt

soak: setup-soak  ## kill daemon, bridge and slurmctld 1000 times while 2500 jobs flow, and the long tests with Slurm
	@tools/build.sh release
	@ctest --test-dir build/release --output-on-failure -L soak
	PENSTOCK_CRASH_JOBS=2500 PENSTOCK_CRASH_KILLS=1000 python3 tests/slurm/crash_test.py build/release
	PENSTOCK_PREDICTION_JOBS=60 python3 tests/slurm/prediction_test.py build/release

check: setup-check  ## what CI demands beyond the tests: format, layers, lint, sanitizers, fuzz
	@tools/check.sh

format: setup-check  ## lay out every C++ file as .clang-format says
	@git ls-files '*.h' '*.cpp' | xargs -r clang-format-19 -i

fuzz: setup-check  ## fuzz every reader, FUZZ_SECONDS each (default 300)
	@FUZZ_SECONDS=$${FUZZ_SECONDS:-300} tools/fuzz.sh

fresh:  ## prove demo and test inside a bare Debian bookworm (needs root and debootstrap)
	@tools/fresh.sh

clean:  ## remove what was built and written
	rm -rf build out
