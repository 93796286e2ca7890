# Shortcuts for CMake and the tools. `make help` lists the targets.

BUILD    ?= build
SECONDS  ?= 60
JOBS     ?= $(shell nproc 2>/dev/null || echo 2)
KNUDSEN  := $(BUILD)/knudsen

.PHONY: help all program demo picture test verify bench lint sanitize fuzz fault docs install package clean packages

help:
	@echo "make demo      build, run a small driven cavity and draw it"
	@echo "make picture   redraw the picture of README.md"
	@echo "make test      build and run every test"
	@echo "make verify    compare all cases with published values (--full: make verify FLAGS=--full)"
	@echo "make program   build the program alone, without the tests"
	@echo "make all       build $(KNUDSEN)"
	@echo "make bench     measure the CPU kernels on this machine"
	@echo "make lint      check clang-format, cppcheck, clang-tidy, names, generated docs"
	@echo "make sanitize  run the tests with the address and undefined-behaviour sanitizers"
	@echo "make fuzz      run the fuzz targets for SECONDS each (60) with the sanitizers"
	@echo "make fault     fault injection: every allocation, file operation and HDF5 call fails once"
	@echo "make docs      write the tables of docs/input.md and python/knudsen/field_table.py"
	@echo "make install   install under PREFIX (default /usr/local)"
	@echo "make package   build build-package/*.deb and *.tar.gz; packaging/README.md"
	@echo "make packages  install the build dependencies (Debian, Ubuntu)"

packages:
	@tools/packages

$(BUILD)/build.ninja: CMakeLists.txt | packages
	@mkdir -p $(BUILD)
	@cmake -S . -B $(BUILD) -G Ninja $(CMAKE_FLAGS) >$(BUILD)/configure.log 2>&1 || \
	    { cat $(BUILD)/configure.log; rm -f $@; exit 1; }

all: packages $(BUILD)/build.ninja
	@cmake --build $(BUILD) -j $(JOBS)

program: packages $(BUILD)/build.ninja
	@cmake --build $(BUILD) -j $(JOBS) --target knudsen-program

demo: program
	@tools/demo $(KNUDSEN)

# A build folder that was configured without MPI is configured again, because tools/packages has installed MPI. The
# number of parallel tests is the number of processors plus one: some tests mostly wait.
test:
	@tools/packages test
	@! grep -qs '^MPI_C_COMPILER:.*NOTFOUND' $(BUILD)/CMakeCache.txt || rm -f $(BUILD)/build.ninja
	@$(MAKE) --no-print-directory all
	@ctest --test-dir $(BUILD) -j $$(($(JOBS) + 1)) --output-on-failure --no-tests=error

picture: program
	@$(KNUDSEN) run cases/micro-cavity/case.yaml --out results/picture --overwrite \
	    --set 'space.cells=[60,60]' --set velocity.nodes=12 --set time.courant=0.9
	@$(KNUDSEN) plot results/picture --kind map -o docs/pictures/cavity.svg

verify: program
	@$(KNUDSEN) verify $(FLAGS)

bench: all
	@$(BUILD)/bench-cpu

lint: all
	@tools/lint $(BUILD)

sanitize:
	@tools/packages test
	@$(MAKE) --no-print-directory all BUILD=build-sanitize \
	    CMAKE_FLAGS="-DKN_SANITIZE=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo $(CMAKE_FLAGS)"
	@ctest --test-dir build-sanitize -j $(JOBS) --output-on-failure --no-tests=error

# Each target runs for SECONDS; the number of parallel targets is that of the processors. The ordinary program writes
# the initial corpus.
fuzz: program
	@tests/fuzz/make-corpus $(KNUDSEN) $(BUILD)/corpus
	@mkdir -p build-fuzz
	@cmake -S . -B build-fuzz -G Ninja -DKN_FUZZ=ON -DKN_SANITIZE=ON -DKN_CUDA=OFF -DKN_MPI=OFF -DKN_ISAS=baseline \
	    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS=-O1 $(CMAKE_FLAGS) >build-fuzz/configure.log 2>&1 || \
	    { cat build-fuzz/configure.log; exit 1; }
	@cmake --build build-fuzz -j $(JOBS) --target fuzz
	@tools/fuzz build-fuzz $(BUILD)/corpus $(SECONDS) $(JOBS)

fault: program
	@cmake --build $(BUILD) -j $(JOBS) --target fault
	@python3 -B tests/fault/sweep.py $(KNUDSEN) $$(find $(BUILD)/tests/fault -name fault.so) --jobs $(JOBS)

docs: all
	@{ sed '/^<!-- The rest/q' docs/input.md; $(KNUDSEN) help --markdown; } >docs/input.md.new
	@mv docs/input.md.new docs/input.md
	@{ sed '/^QUANTITIES/q' python/knudsen/field_table.py; $(KNUDSEN) help --fields; } >python/knudsen/field_table.new
	@mv python/knudsen/field_table.new python/knudsen/field_table.py

install: program
	@cmake --build $(BUILD) -j $(JOBS) --target knudsen manual-page
	@cmake --install $(BUILD) --prefix $(or $(PREFIX),/usr/local)

package:
	@$(MAKE) --no-print-directory all BUILD=build-package \
	    CMAKE_FLAGS="-DCMAKE_INSTALL_PREFIX=/usr -DKN_TESTS=OFF $(CMAKE_FLAGS)"
	@cd build-package && cpack

clean:
	@rm -rf $(BUILD) build-sanitize build-fuzz build-package
