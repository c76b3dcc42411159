# Everything a person or a script does with this repository. `make help` lists it.
#
#   setup   what the machine needs (scripts/setup.sh): Debian packages, and Bitwuzla built once into the cache
#   build   release build, laid out under $(STAGE) exactly as `make install` lays it out under $(PREFIX)
#   test    set-up, build, all tests of the workspace
#
# The staged tree is what tests and the demo run, so the installed layout is tested all the time.

PREFIX ?= /usr/local
DESTDIR ?=
TARGET_DIR := $(if $(CARGO_TARGET_DIR),$(CARGO_TARGET_DIR),$(CURDIR)/target)
STAGE := $(TARGET_DIR)/stage
RUST_TARGET := x86_64-unknown-linux-gnu

# The plugin is built for each of these versions, and the rest with the newest; without a choice for all that are
# installed. The tool picks at run time (crates/toolchain/src/llvm.rs).
SUPPORTED := 22 21 20 19
LLVM := $(foreach v,$(SUPPORTED),$(if $(shell command -v llvm-config-$(v) >/dev/null && command -v clang-$(v)),$(v)))
NEWEST = $(firstword $(filter $(LLVM),$(SUPPORTED)))

# The runtime is linked into other people's programs: its own profile (Cargo.toml), its own target folder.
RUNTIME_LIB := $(TARGET_DIR)/$(RUST_TARGET)/runtime/libsymcrete_runtime.a
HEADER := $(firstword $(wildcard include/symcrete.h crates/runtime/include/symcrete.h crates/toolchain/include/symcrete.h))
MODELS := $(wildcard crates/runtime/libc/*.c)
CXX_MODELS := $(wildcard crates/runtime/libcxx/*.cpp)

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup build parts stage install uninstall dist docs demo test test-all bench lint clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install what is missing on this machine; seconds when nothing is
	@scripts/setup.sh $(if $(filter command line environment,$(origin LLVM)),$(LLVM))

build: setup ## release build, ready to run in target/stage/bin; LLVM="19 22" names the versions
	@$(MAKE) --no-print-directory parts
	@$(MAKE) --no-print-directory stage

# Only the last step of a plugin differs between the versions; cargo keeps all of them.
parts:
	@[ -n "$(NEWEST)" ] || { echo "no LLVM of $(SUPPORTED) with its development files: make setup" >&2; exit 3; }
	@mkdir -p $(PIECES)
	@for v in $(LLVM); do \
	echo "cargo build --release -p symcrete-cli -p symcrete-plugin, for LLVM $$v"; \
	cargo build --release -p symcrete-cli -p symcrete-plugin --features symcrete-plugin/llvm-$$v; \
	cp $(TARGET_DIR)/release/libsymcrete_plugin.so $(PIECES)/libsymcrete_plugin-$$v.so; done
	cargo build --profile runtime --target $(RUST_TARGET) -p symcrete-runtime

# Copies only what changed, so that nothing downstream rebuilds for a new time stamp. The C parts of the
# runtime are compiled plainly; the models of libc functions by our own compiler, with the staged plugin, so
# that their branches are ordinary branches.
LIB := $(STAGE)/lib/symcrete
PIECES := $(TARGET_DIR)/pieces
PLUGINS := $(LLVM:%=libsymcrete_plugin-%.so)
PLAIN := clang-$(NEWEST) -O2 -g1 -fPIC -fno-builtin -Wall -Wextra -Werror

stage:
	@mkdir -p $(STAGE)/bin $(LIB) $(STAGE)/include/symcrete $(PIECES)
	@put() { cmp -s "$$1" "$$2" || { rm -f "$$2"; cp "$$1" "$$2"; echo "  stage $${2#$(STAGE)/}"; }; }; \
	put $(TARGET_DIR)/release/symcrete $(STAGE)/bin/symcrete; \
	ln -sf symcrete $(STAGE)/bin/symcrete-cc; \
	ln -sf symcrete $(STAGE)/bin/symcrete-c++; \
	for plugin in $(PLUGINS); do put $(PIECES)/$$plugin $(LIB)/$$plugin; done; \
	for plugin in $(LIB)/libsymcrete_p*.so; do case " $(PLUGINS) " in *" $${plugin##*/} "*) ;; *) rm -f "$$plugin" ;; esac; done; \
	put $(RUNTIME_LIB) $(PIECES)/libruntime.a; \
	put $(HEADER) $(STAGE)/include/symcrete/symcrete.h
	@$(MAKE) --no-print-directory $(addprefix $(LIB)/,begin.o end.o libsymcrete_runtime.a libsymcrete_main.a libsymcrete_replay.a libsymcrete_models.a)

RUNTIME_C := $(filter-out %/begin.c %/end.c %/main.c %/native.c,$(filter-out crates/runtime/c/replay%,$(wildcard crates/runtime/c/*.c)))
REPLAY_C := $(wildcard crates/runtime/c/replay*.c)
$(PIECES)/%.o: crates/runtime/c/%.c $(wildcard crates/runtime/c/*.h crates/runtime/libc/*.h crates/runtime/include/*.h)
	$(PLAIN) -Icrates/runtime/include -c $< -o $@
$(LIB)/begin.o $(LIB)/end.o: $(LIB)/%.o: $(PIECES)/%.o
	@cp $< $@
$(LIB)/libsymcrete_runtime.a: $(PIECES)/libruntime.a $(RUNTIME_C:crates/runtime/c/%.c=$(PIECES)/%.o)
	@cp $(PIECES)/libruntime.a $@ && llvm-ar-$(NEWEST) rs $@ $(filter %.o,$^)
$(LIB)/libsymcrete_main.a: $(PIECES)/main.o Makefile
	@rm -f $@ && llvm-ar-$(NEWEST) rcs $@ $(filter %.o,$^)
$(LIB)/libsymcrete_replay.a: $(REPLAY_C:crates/runtime/c/%.c=$(PIECES)/%.o) $(PIECES)/requests.o $(PIECES)/clocks.o $(PIECES)/listening.o
	@rm -f $@ && llvm-ar-$(NEWEST) rcs $@ $(filter %.o,$^)
$(PIECES)/model-%.o: crates/runtime/libc/%.c $(wildcard crates/runtime/libc/*.h) $(STAGE)/bin/symcrete $(LIB)/libsymcrete_plugin-$(NEWEST).so
	@echo "  symcrete cc $<"
	@SYMCRETE_MODEL=1 SYMCRETE_CLANG=clang-$(NEWEST) $(STAGE)/bin/symcrete cc -O2 -fPIC -fno-builtin -fexceptions -c $< -o $@
$(PIECES)/model-cxx-%.o: crates/runtime/libcxx/%.cpp $(wildcard crates/runtime/libcxx/*.h crates/runtime/libcxx/bits/*.h) $(STAGE)/bin/symcrete $(LIB)/libsymcrete_plugin-$(NEWEST).so
	@echo "  symcrete c++ $<"
	@SYMCRETE_MODEL=1 SYMCRETE_CLANG=clang-$(NEWEST) $(STAGE)/bin/symcrete c++ -std=c++17 -O2 -fPIC -Icrates/runtime/libcxx -c $< -o $@
$(LIB)/libsymcrete_models.a: $(MODELS:crates/runtime/libc/%.c=$(PIECES)/model-%.o) $(CXX_MODELS:crates/runtime/libcxx/%.cpp=$(PIECES)/model-cxx-%.o) $(PIECES)/native.o
	@rm -f $@ && llvm-ar-$(NEWEST) rcs $@ $(filter %.o,$^)

install: build ## copy the tool to $(DESTDIR)$(PREFIX); it needs nothing of this checkout afterwards
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/symcrete $(DESTDIR)$(PREFIX)/include/symcrete
	install -m 755 $(STAGE)/bin/symcrete $(DESTDIR)$(PREFIX)/bin/symcrete
	ln -sf symcrete $(DESTDIR)$(PREFIX)/bin/symcrete-cc
	ln -sf symcrete $(DESTDIR)$(PREFIX)/bin/symcrete-c++
	cp -r $(STAGE)/lib/symcrete/. $(DESTDIR)$(PREFIX)/lib/symcrete/
	cp -r $(STAGE)/include/symcrete/. $(DESTDIR)$(PREFIX)/include/symcrete/
	install -d $(DESTDIR)$(PREFIX)/share/symcrete
	install -m 644 examples/projects/symcrete.cmake examples/projects/symcrete.meson $(DESTDIR)$(PREFIX)/share/symcrete/
	install -d $(addprefix $(DESTDIR)$(PREFIX)/share/,man/man1 bash-completion/completions zsh/site-functions fish/vendor_completions.d)
	$(STAGE)/bin/symcrete generate man $(DESTDIR)$(PREFIX)/share/man/man1
	$(STAGE)/bin/symcrete generate completions $(STAGE)/completions
	install -m 644 $(STAGE)/completions/symcrete.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/symcrete
	install -m 644 $(STAGE)/completions/_symcrete $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_symcrete
	install -m 644 $(STAGE)/completions/symcrete.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/symcrete.fish

uninstall: ## take away what install put there
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/bin/,symcrete symcrete-cc symcrete-c++)
	rm -rf $(addprefix $(DESTDIR)$(PREFIX)/,lib/symcrete include/symcrete share/symcrete)
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/share/,man/man1/symcrete.1 man/man1/symcrete-*.1 bash-completion/completions/symcrete zsh/site-functions/_symcrete fish/vendor_completions.d/symcrete.fish)

# What `make install` installs, in one folder that may be unpacked anywhere: the tool finds its parts beside itself.
VERSION := $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
DIST := symcrete-$(VERSION)-x86_64-linux

dist: build ## an archive for machines that have only clang and lld
	rm -rf $(TARGET_DIR)/dist/$(DIST)
	$(MAKE) --no-print-directory install PREFIX= DESTDIR=$(TARGET_DIR)/dist/$(DIST)
	cp README.md LICENSE-MIT LICENSE-APACHE $(TARGET_DIR)/dist/$(DIST)/
	strip --strip-debug $(TARGET_DIR)/dist/$(DIST)/bin/symcrete
	tar -C $(TARGET_DIR)/dist -czf $(TARGET_DIR)/dist/$(DIST).tar.gz $(DIST)
	@ls -sh $(TARGET_DIR)/dist/$(DIST).tar.gz

# mdBook comes from the registry, once, into the cache.
CACHE := $(or $(SYMCRETE_CACHE),$(HOME)/.cache/symcrete)
docs: ## the documents as a book, in target/book
	@[ -x $(CACHE)/mdbook/bin/mdbook ] || cargo install mdbook --locked --no-default-features --features search --root $(CACHE)/mdbook
	$(CACHE)/mdbook/bin/mdbook build docs --dest-dir $(TARGET_DIR)/book
	cargo test -p symcrete-testkit --test links

demo: build ## set up everything and run the main job on the example
	rm -rf symcrete-out/settings
	$(STAGE)/bin/symcrete run examples/settings.c --stdin 24 --max-cpu 20s || [ $$? = 1 ]

# Tests that need the built tool find it through SYMCRETE_STAGE.
# nextest runs tests in parallel processes; plain cargo test is what a fresh machine has.
TEST_RUNNER := $(if $(shell cargo nextest --version 2>/dev/null),cargo nextest run --no-fail-fast --retries 2,cargo test --no-fail-fast)

test: build ## set up, build, run all tests
	SYMCRETE_STAGE=$(STAGE) $(TEST_RUNNER) --workspace

test-all: build ## every case under every strategy and layer setting (long)
	SYMCRETE_STAGE=$(STAGE) SYMCRETE_TEST=all $(TEST_RUNNER) --workspace

bench: build ## measure every bar and print one table (half an hour; bench/README.md)
	SYMCRETE_STAGE=$(STAGE) bench/all.sh

lint: ## formatting and clippy
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings

clean: ## remove what build and test made (the cache with Bitwuzla stays)
	cargo clean
