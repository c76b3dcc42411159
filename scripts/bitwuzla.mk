# Compiles libcadical.a and libbitwuzla.a without their own build systems (those want to download).
# Called by bitwuzla.sh in a folder that holds bitwuzla/, cadical/ and config.h.
FLAGS := -std=c++17 -O3 -DNDEBUG -fPIC -w
BITWUZLA_FLAGS := $(FLAGS) -DBZLA_USE_CADICAL -DBZLA_IS_SAT_SOLVER_CONFIGURED -DMPFR_USE_C99_FEATURE=1 -DHAVE_RUSAGE \
	-I. -Icadical -Ibitwuzla/src -Ibitwuzla/src/lib -Ibitwuzla/include
CADICAL_FLAGS := $(FLAGS) -DNBUILD -DQUIET

# The largest files first, so that no core idles at the end.
BITWUZLA_SOURCES := $(shell find bitwuzla/src -name '*.cpp' -not -path '*/src/main/*' -not -path '*/api/python/*' -size +40k) \
	$(shell find bitwuzla/src -name '*.cpp' -not -path '*/src/main/*' -not -path '*/api/python/*' -not -size +40k)
CADICAL_SOURCES := $(filter-out cadical/cadical.cpp cadical/mobical.cpp,$(wildcard cadical/*.cpp))

.PHONY: all
all: libbitwuzla.a libcadical.a

libbitwuzla.a: $(BITWUZLA_SOURCES:.cpp=.o)
	ar qcs $@ $^

libcadical.a: $(CADICAL_SOURCES:.cpp=.o)
	ar qcs $@ $^

bitwuzla/%.o: bitwuzla/%.cpp
	@echo "  c++ $<"
	g++ $(BITWUZLA_FLAGS) -c $< -o $@

cadical/%.o: cadical/%.cpp
	@echo "  c++ $<"
	g++ $(CADICAL_FLAGS) -c $< -o $@
