# The commands for people. `make help` lists them.
SWIFT ?= swift
# No lazy binding: the relocated tables are read-only once a program runs.
BUILD := $(SWIFT) build -c release --static-swift-stdlib -Xlinker -z -Xlinker now
.DEFAULT_GOAL := help

.PHONY: help
help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: setup
setup: ## install missing dependencies (as root), or print the command
	@Scripts/setup test

.PHONY: build
build: ## the release binaries, in .build/release
	@Scripts/setup build
	@$(MAKE) --no-print-directory binaries

# For packagers, whose builds have no network.
.PHONY: binaries
binaries:
	WAYMARK_INSTALLED_ONLY=yes $(BUILD)
	@Scripts/link-library release

.PHONY: run
run: build ## show positions moving: from this machine's gpsd, or from a recorded drive
	@Scripts/run || [ $$? = 130 ]

.PHONY: demo-upload
demo-upload: build ## show a recorded drive being uploaded to a server on loopback, with an interruption
	@Scripts/demo-upload || [ $$? = 130 ]

.PHONY: demo-sync
demo-sync: build ## show a record of an app appearing on another machine, offline and back
	@Scripts/demo-sync

.PHONY: test
test: ## build and run all tests
	@Scripts/setup test
	$(SWIFT) build --build-tests
	@Scripts/link-library debug
	SWIFT="$(SWIFT)" Scripts/build-examples
	SWIFT="$(SWIFT)" Scripts/run-tests

.PHONY: check
check: ## format, imports, fixtures, unit files
	@Scripts/check

.PHONY: format
format: ## put the sources into the house format
	$(SWIFT) format --in-place --recursive Package.swift Sources Tests Benchmarks Examples Fuzz

.PHONY: check-hardening
check-hardening: ## the integration tests under the restrictions of the units, SHORT=yes some of them; as root
	@Scripts/setup test
	$(SWIFT) build --build-tests
	SWIFT="$(SWIFT)" Scripts/build-examples
	Scripts/check-hardening $(if $(SHORT),--short)

.PHONY: check-sanitize
check-sanitize: ## the tests under the address and the thread sanitizer
	@Scripts/setup test
	@Scripts/check-sanitize

SHORT ?=

.PHONY: check-system
check-system: ## the package on a Debian booted by a real systemd, as root; SHORT=1 for two minutes of it
	Scripts/check-system $(if $(SHORT),--short)

.PHONY: interfaces
interfaces: ## generate the Swift types of the Varlink interfaces from their texts
	$(SWIFT) build --product interface-generator
	Scripts/make-interfaces

.PHONY: fixtures
fixtures: ## generate the recordings in Tests/Fixtures again, each with its scenario's default options
	$(SWIFT) build --product waymark-simulator
	for name in $$(.build/debug/waymark-simulator list --names); do \
		.build/debug/waymark-simulator make $$name --output Tests/Fixtures/$$name.nmea || exit 1; \
	done

FUZZ_SECONDS ?= 60

.PHONY: fuzz
fuzz: ## feed random input to every parser of untrusted bytes, FUZZ_SECONDS=60 each
	@for target in $$(Fuzz/run targets); do \
		echo "Fuzz/run $$target $(FUZZ_SECONDS)"; Fuzz/run "$$target" $(FUZZ_SECONDS) || exit 1; \
	done

.PHONY: bench
bench: ## compare the daemon with its peers, in a release build; network benchmarks need root
	@Scripts/setup bench
	$(BUILD)
	.build/release/waymark-benchmark idle
	.build/release/waymark-benchmark latency
	.build/release/waymark-benchmark watchers
	.build/release/waymark-benchmark reachability
	.build/release/waymark-benchmark netlink-storm
	.build/release/waymark-benchmark recording
	.build/release/waymark-benchmark netlink-resident
	.build/release/waymark-benchmark upload-flaps
	.build/release/waymark-benchmark upload-drain
	.build/release/waymark-benchmark regions

.PHONY: check-package
check-package: ## build the Debian package, run lintian on it, and test its installation and purge
	@Scripts/setup package
	Scripts/check-package

PREFIX ?= /usr/local
export PREFIX DESTDIR

.PHONY: install
install: build ## install below PREFIX (/usr/local), into DESTDIR where that is set
	packaging/install install

.PHONY: uninstall
uninstall: ## remove what `make install` installed, except settings and recordings
	packaging/install uninstall

.PHONY: deb
deb: ## the Debian packages: waymark, libwaymark1, libwaymark-dev, waymark-hub
	@Scripts/setup deb
	packaging/build-deb
