# joinmcast: what people and scripts run. `make help` lists the targets.

SHELL := /bin/bash
GINKGO := go tool ginkgo
OUT := reports/out
FLAGS ?=
# Ginkgo colours a pipe too, unless it is told not to.
COLOUR := $(if $(MAKE_TERMOUT),$(if $(NO_COLOR),--no-color),--no-color)
KERNEL ?= bookworm
RDMA_CORE ?= bookworm
N ?= 10
COUNT ?= 5
SEED ?= 1
TIME ?= 30s
TARGETS ?= sim
SIMULATED := sim sim-promise sim-snooping sim-rocev1 sim-ib sim-iwarp

TWO := say which two reports: make diff A=report.json B=report.json

.DEFAULT_GOAL := conformance
.PHONY: bin rxe hw test-live conformance test lint list explain page screenshots new diff baseline soak matrix walk bench race mutants generate setup help clean

conformance: ## judge the simulated stack as it is promised, and as upstream is on every transport: needs Go and nothing else
	@trap 'exit 2' INT; status=0; for target in $(SIMULATED); do \
		$(GINKGO) --succinct $(COLOUR) $(FLAGS) ./conformance -- -target=$$target || status=1; \
	done; exit $$status

test: ## the project's own tests: need Go and nothing else
	go build ./...
	go vet ./...
	go test ./...

bin: bin/joinmcast-host bin/joinmcast-agent bin/joinmcast-mischief.so ## the programs that live targets run

bin/joinmcast-host: $(wildcard hw/host/*.go hw/wire/*.go spec/*.go) go.mod
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o $@ ./hw/host

bin/joinmcast-agent: $(wildcard hw/agent/*.[ch])
	@mkdir -p bin
	cc -std=gnu11 -O2 -g -Wall -Wextra -Werror -o $@ hw/agent/*.c \
		-Wl,-Bstatic -ljansson -Wl,-Bdynamic -lrdmacm -libverbs -lpthread

bin/joinmcast-mischief.so: hw/agent/mischief/mischief.c
	@mkdir -p bin
	cc -std=gnu11 -O2 -g -Wall -Wextra -Werror -shared -fPIC -o $@ $<

rxe: bin ## judge a real Soft-RoCE in guests: make rxe [KERNEL=bookworm] [RDMA_CORE=bookworm], each a suite or a path
	@$(GINKGO) --succinct $(COLOUR) $(FLAGS) ./conformance -- -target=rxe -kernel=$(KERNEL) -rdma-core=$(RDMA_CORE)

hw: bin ## judge an RDMA device of this machine: make hw [DEVICE=mlx5_0] [TARGET=file.yaml]
	@$(GINKGO) --succinct $(COLOUR) $(FLAGS) ./conformance -- -target=$(or $(TARGET),hw-local) -device=$(DEVICE)

test-live: bin ## the tests that need guests, or a browser
	go test -tags live -count=1 -timeout=60m ./hw/... ./fixtures/selftest/... ./conformance/walk/... ./reports/index/...

bench: ## what the simulated stack costs, against its bounds: make bench [COUNT=5] [INTO=README.md]
	@mkdir -p $(OUT)
	go test -run '^$$' -bench . -benchtime 2s -count $(COUNT) -timeout 30m ./sim/bench | tee $(OUT)/bench.txt
	@go run ./conformance/joinmcast bench $(if $(INTO),-into $(INTO)) $(OUT)/bench.txt

race: ## the simulated stack and the suite on it under the race detector
	go test -race ./sim/... ./conformance/...

mutants: ## the suite on every wrong stack: each must be caught by the requirement meant for it, and each MUST catch one
	@go build -o bin/joinmcast ./conformance/joinmcast
	@go test -c -o bin/conformance.test ./conformance
	@bin/joinmcast mutants

# Packages whose own tests must notice every change of an operator.
MUTATED ?= spec/verdict spec/catalogue reports/diff
.PHONY: mutate
mutate: .tools/bin/gremlins ## change each operator of the code that judges: a test must notice it, or .tools/survivors.yaml say why none does
	@for package in $(MUTATED); do \
		mkdir -p $(OUT)/mutate/$$package; \
		GOFLAGS='-vet=off -ldflags=-w' .tools/bin/gremlins unleash --silent --invert-logical --timeout-coefficient 30 \
			--output $(OUT)/mutate/$$package/gremlins.json ./$$package || exit 1; \
	done
	@go run ./conformance/joinmcast survivors .tools/survivors.yaml $(OUT)/mutate $(MUTATED)

.tools/bin/gremlins: .tools/go.mod .tools/go.sum
	go build -C .tools -o bin/gremlins github.com/go-gremlins/gremlins/cmd/gremlins

.PHONY: fuzz
fuzz: ## every fuzzer in turn, on top of the inputs that make test plays: make fuzz [TIME=30s]
	@set -e; grep -roE --include='*_test.go' '^func Fuzz[A-Za-z]+' . | sort | sed -E 's|/[^/]*:func | |' | \
	while read -r package fuzzer; do \
		echo "$$package $$fuzzer"; \
		go test -run '^$$' -fuzz "^$$fuzzer\$$" -fuzztime $(TIME) -fuzzminimizetime 5s -parallel 1 $$package; \
	done

lint: .tools/bin/golangci-lint ## the linters
	.tools/bin/golangci-lint run --build-tags live ./...

.tools/bin/golangci-lint: .tools/go.mod .tools/go.sum
	go build -C .tools -o bin/golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint

list: ## every requirement of the law, a line each
	@go run ./conformance/joinmcast list

explain: ## one requirement: make explain ID=JM-EVT-03
	@go run ./conformance/joinmcast explain $(or $(ID),$(error say which requirement: make explain ID=JM-EVT-03))

new: ## begin a requirement, in the law and with a spec: make new ID=JM-LV-34
	@go run ./conformance/joinmcast new $(or $(ID),$(error say which id it is to have: make new ID=JM-LV-34))

diff: ## what changed from one report to another: make diff A=report.json B=report.json [FORMAT=text] [O=FILE]
	@go build -o bin/joinmcast ./conformance/joinmcast
	@bin/joinmcast diff -format $(or $(FORMAT),text) -o "$(O)" $(or $(A),$(error $(TWO))) $(or $(B),$(error $(TWO)))

baseline: ## keep a run's report as the baseline of its target: make baseline REPORT=reports/out/rxe-bookworm-bookworm/report.json
	@go run ./conformance/joinmcast baseline $(or $(REPORT),$(error say which: make baseline REPORT=report.json))

page: ## index.html beside a report.json: make page REPORT=reports/out/sim/report.json [BASELINE=report.json]
	@go run ./conformance/joinmcast page $(if $(BASELINE),-baseline $(BASELINE)) \
		$(or $(REPORT),$(error say which: make page REPORT=report.json))

screenshots: ## what pages look like: light, dark, on a phone, on paper; needs what `make setup` installs
	go test -tags live -count=1 -run NothingIsWider ./reports/index -screenshots=$(CURDIR)/$(OUT)/screenshots

soak: $(if $(filter rxe%,$(TARGETS)),bin) ## many runs with different seeds must agree: make soak [N=10] [TARGETS="sim rxe"] [FILTER=JM-LV-01]
	@go build -o bin/joinmcast ./conformance/joinmcast
	@go test -c -o bin/conformance.test ./conformance
	@bin/joinmcast soak -n $(N) -kernel $(KERNEL) -rdma-core $(RDMA_CORE) -label-filter '$(FILTER)' $(TARGETS)

matrix: bin ## every kernel with every rdma-core, in one table: make matrix [KERNELS=] [RDMA_CORES=] [MATRIX=quick] [BASE=] [INTO=README.md]
	@go build -o bin/joinmcast ./conformance/joinmcast
	@go test -c -o bin/conformance.test ./conformance
	@bin/joinmcast matrix $(if $(KERNELS),-kernels '$(KERNELS)') $(if $(RDMA_CORES),-rdma-cores '$(RDMA_CORES)') \
		$(if $(filter quick,$(MATRIX)),-quick) $(if $(BASE),-base '$(BASE)') $(if $(INTO),-into $(INTO))

walk: $(if $(QUIRKS)$(MUTANTS)$(FIT),,bin) ## random walks must not tell the simulated stack from a live one: make walk [SEED=1] [N=10] [KERNEL=bookworm], or QUIRKS=1, MUTANTS=1 or FIT=1
	@go build -o bin/joinmcast ./conformance/joinmcast
	@bin/joinmcast walk -seed $(SEED) -n $(N) $(if $(QUIRKS),-quirks,$(if $(MUTANTS),-mutants,$(if $(FIT),-fit,-kernel $(KERNEL) -rdma-core $(RDMA_CORE))))

generate: ## the mocks, and the law as a page: spec/SPEC.md
	go generate ./...

setup: ## once, as root, on Debian: what the live targets and their tests need
	apt-get update
	apt-get install -y --no-install-recommends qemu-system-x86 gcc libc6-dev libjansson-dev librdmacm-dev libibverbs-dev \
		tshark chromium

clean: ## remove what was built and reported
	rm -rf bin $(OUT) .tools/bin

help: ## this list
	@grep -hE '^[a-z][a-z-]*:.*## ' Makefile | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 16
