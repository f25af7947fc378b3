# The verbs of this repository; `make help` lists them. Everything they need is installed by themselves.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

CACHE := $(or $(MLFLEET_HYPERPOD_CACHE),$(HOME)/.cache/mlfleet-hyperpod)
export MLFLEET_HYPERPOD_CACHE := $(CACHE)
VENV := $(CURDIR)/.venv
OLD := $(CURDIR)/.venv-oldest
ON_NEWEST := tests/unit/lab tests/unit/house tests/unit/edges tests/unit/strangers # neither lab nor house knows ansible-core; whole playbooks cost most
ON_OLDEST := $(addprefix tests/unit/edges/test_,inventory_sources.py limits.py parts.py verdict_exit.py verdict_failures.py) tests/unit/strangers \
	$(addprefix tests/unit/docs/test_,internal_filters.py known_variables.py module_options.py) # ansible-core differs
TURNS = $(if $(SLOW_OF),--slow-of=$(SLOW_OF)) # of the slow tests, the 24th part that this commit draws; all without it
# a commit runs an eighth of them on the oldest ansible-core
PARTS := $(filter-out %fixtures %conftest.py %__ %__init__.py,$(wildcard tests/modules/* tests/unit/module_utils/* tests/unit/plugin_utils/*))
IN_TREE := tools/collection-tree $(VENV)
AWX = tools/collection-tree $(1) sh -c 'PYTHONPATH=$$COLLECTION_TREE:tests:tests/awx $(1)/bin/python -m pytest -q -p no:cacheprovider --import-mode=importlib "$$@"' sh
LAB := PYTHONPATH=tests LAB_NAME=$(or $(LAB_NAME),default) $(VENV)/bin/python -m lab

.PHONY: help
help: ## List the verbs
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: setup
setup: ## Install what all other verbs need (system packages where root, virtual environments)
	@tools/system-packages
	@tools/venv oldest $(OLD) & oldest=$$!; \
	tools/venv newest $(VENV); \
	wait $$oldest || { [ $$? = 3 ] && echo "No Python 3.11 found: ansible-core 2.19 is not tested here."; }
	@for venv in $(VENV) $(OLD); do [ ! -e $$venv ] || $$venv/bin/python -m compileall -q plugins tests tools; done # tests can't write here

.PHONY: demo
demo: setup ## Show the main job on the embedded lab, in two to three minutes
	@$(VENV)/bin/python tests/demos/first_day.py

.PHONY: demo-day2
demo-day2: setup ## Show the second day: drain, rotate host keys, offboard, drift; in about four minutes
	@$(VENV)/bin/python tests/demos/second_day.py

.PHONY: demo-health
demo-health: setup ## Show which nodes are fit for training, why not, and the repair of one; in two to three minutes
	@$(VENV)/bin/python tests/demos/health.py

.PHONY: demo-eks
demo-eks: setup kubernetes ## Show nodes that come and go with pods on a cluster with EKS; in three minutes once Kubernetes is built
	@$(VENV)/bin/python tests/demos/scaling.py

.PHONY: demo-topology
demo-topology: setup kubernetes ## Show where nodes are, a job that asks to stay close, and proof that it did; in two minutes once Kubernetes is built
	@$(VENV)/bin/python tests/demos/topology.py

.PHONY: demo-fleet
demo-fleet: setup ## Show AWX as the operator of a cluster: a job heals a replaced node, an approval releases a repair, events start jobs; in about six minutes
	@PYTHONPATH=tests $(VENV)/bin/python -m lab.awx.collection
	@PYTHONPATH=tests $(VENV)/bin/python -m lab.eda.runtime
	@$(VENV)/bin/python tests/demos/fleet.py

.PHONY: demo-training
demo-training: setup pods ## Show a training cluster from its price to its removal, and a real job that finds a fault; in seven minutes once all is built
	@$(VENV)/bin/python tests/demos/training.py

.PHONY: test
test: setup ## Everything that CI runs
	$(MAKE) --no-print-directory --jobs=4 --output-sync=target SLOW_OF=$$(git rev-parse HEAD) \
		unit-newest unit-modules kubernetes unit-lab unit-oldest unit-edges sanity awx lint machine eda monitoring # the longest first
	$(MAKE) --no-print-directory integration

.PHONY: lint
lint: setup ## ruff, mypy, ansible-lint (production profile), changelog and documentation checks
	$(IN_TREE) $(VENV)/bin/python tools/lint.py

.PHONY: docs
docs: setup ## Write the roles' READMEs, the tables of playbooks, and the pages of variables, of the run state and of findings
	$(VENV)/bin/python tools/role_docs.py
	$(VENV)/bin/python tools/variable_docs.py
	$(VENV)/bin/python tools/run_state_docs.py
	$(VENV)/bin/python tools/finding_docs.py
	$(VENV)/bin/python tools/verb_docs.py

.PHONY: unit
unit: unit-modules unit-newest unit-lab unit-edges unit-oldest ## Unit tests, on the newest and on the oldest supported ansible-core

.PHONY: unit-modules
unit-modules: setup # they wait for most of their time
	$(IN_TREE) tools/unit $(VENV) tests/modules -n 3 --dist=loadfile $(TURNS)

.PHONY: unit-newest
unit-newest: setup
	$(IN_TREE) tools/unit $(VENV) $(filter-out $(ON_NEWEST) %.py %__,$(wildcard tests/unit/*)) $(TURNS)

.PHONY: unit-lab
unit-lab: setup
	$(IN_TREE) tools/unit $(VENV) tests/unit/lab tests/unit/house $(TURNS)

.PHONY: unit-edges
unit-edges: setup
	$(IN_TREE) tools/unit $(VENV) tests/unit/edges tests/unit/strangers $(TURNS)

.PHONY: unit-oldest
unit-oldest: setup
	@[ ! -e $(OLD) ] || tools/collection-tree $(OLD) tools/unit $(OLD) $$($(VENV)/bin/python tests/campaign/choice.py $(PARTS)) $(filter-out $(ON_NEWEST) %docs %module_utils %plugin_utils %.py %__,$(wildcard tests/unit/*)) $(ON_OLDEST) $(TURNS)

.PHONY: sanity
sanity: setup ## ansible-test sanity of the archive's content on the newest ansible-core; make oldest: of all files on the oldest, and all Pythons
	tools/sanity $(VENV) --fewer-pythons $(addprefix --exclude ,tests/ tools/ benchmarks/ extensions/molecule/)

.PHONY: oldest
oldest: setup ## Tests of modules and what they use, of the playbook awx, and sanity, all on the oldest ansible-core; make test takes a part
	@[ ! -e $(OLD) ] || tools/collection-tree $(OLD) tools/unit $(OLD) tests/modules tests/unit/module_utils tests/unit/plugin_utils
	@[ ! -e $(OLD) ] || $(call AWX,$(OLD)) tests/awx/test_fleet.py tests/awx/test_rights.py
	@[ ! -e $(OLD) ] || tools/sanity $(OLD)

.PHONY: machine
machine: setup ## Labs come and go without a trace; their balancer and their VPN alone, in namespaces
	$(VENV)/bin/python -m pytest -q -p no:cacheprovider tests/machine

.PHONY: monitoring
monitoring: setup ## Rules, dashboard and metrics in a real Prometheus, which comes from Debian into the cache (110 MB); in 15 seconds
	$(IN_TREE) sh -c 'PYTHONPATH=$$COLLECTION_TREE:tests $(abspath $(VENV))/bin/python -m pytest -q -p no:cacheprovider --import-mode=importlib tests/monitoring'

.PHONY: awx
awx: setup ## The playbook awx with the real collection awx.awx, which comes from PyPI into the cache, against the stand-in of AWX; TESTS=FILE for some
	$(call AWX,$(VENV)) $(or $(TESTS),tests/awx) $(TURNS)

.PHONY: eda
eda: setup ## The rulebook of the playbook events in a real ansible-rulebook with Java, from PyPI and Debian into the cache (290 MB)
	$(IN_TREE) sh -c 'PYTHONPATH=$$COLLECTION_TREE:tests $(abspath $(VENV))/bin/python -m pytest -q -p no:cacheprovider --import-mode=importlib tests/eda $(TURNS)'

.PHONY: kubernetes
kubernetes: setup ## The lab's API server, scheduler and controllers, compiled once from Debian's source into the cache
	@PYTHONPATH=tests $(VENV)/bin/python -m lab.kubernetes.build

.PHONY: models
models: setup ## Models of Karpenter's and KEDA's objects and of Grafana's dashboards from npm and PyPI, for the campaign; 280 MB of cache
	@PYTHONPATH=tests $(VENV)/bin/python -m lab.kubernetes.models

.PHONY: buildah podman
buildah: setup ## Debian's Buildah, for the campaign; 25 MB of cache
podman: setup ## Debian's Podman, for the campaign; 50 MB of cache
buildah podman:
	@PYTHONPATH=tests $(VENV)/bin/python -m lab.aws.registry.programs $@

.PHONY: hyp
hyp: setup ## HyperPod's own command line from PyPI, for the campaign; 600 MB of cache
	@PYTHONPATH=tests $(VENV)/bin/python -m lab.kueue.hyp

.PHONY: pods
pods: setup kubernetes ## Debian and PyTorch for nodes of the lab that run their Pods; 192 MB from an index, 1.4 GB of cache
	@PYTHONPATH=tests $(VENV)/bin/python -m lab.pods.prepare

.PHONY: integration
integration: setup kubernetes ## Integration tests on the lab: whole playbooks, failure tests, the molecule scenario
	$(VENV)/bin/python tests/integration/run.py

.PHONY: browser
browser: setup ## The report on accelerators and the map in headless Chromium, which comes from Debian into the cache (600 MB); part of the campaign
	$(IN_TREE) sh -c 'PYTHONPATH=$$COLLECTION_TREE:tests $(abspath $(VENV))/bin/python -m pytest -q -p no:cacheprovider --import-mode=importlib tests/browser'

.PHONY: campaign
campaign: setup ee oldest kubernetes models hyp buildah podman pods unit-edges unit-modules unit-newest unit-lab awx eda browser ## The long tests, all of them; CAMPAIGN_ROUNDS and CAMPAIGN_SEED steer the soak (not part of make test)
	$(VENV)/bin/python tests/campaign/run.py

.PHONY: mutants
mutants: setup ## Change the code in 30 small ways and say what no unit test notices; SEED draws others (not part of make test)
	$(VENV)/bin/python tools/mutants.py --seed $(or $(SEED),1)

.PHONY: molecule
molecule: setup ## The molecule scenario of role login_nodes, on lab hosts
	$(VENV)/bin/python tests/molecule.py

.PHONY: bench
bench: setup kubernetes ## Benchmarks: ratios against the usual way, API calls and seconds
	$(VENV)/bin/python benchmarks/run.py

.PHONY: shell
shell: setup ## A shell inside the lab (started if needed), with everything set to try things by hand
	@$(LAB) status >/dev/null 2>&1 || $(LAB) up
	@$(LAB) shell

.PHONY: lab-down
lab-down: ## Remove the labs that make shell and the demos left running, or the one of LAB_NAME
	@for name in $(or $(LAB_NAME),default $(notdir $(wildcard .lab/demo*))); do $(LAB) down --name $$name; done

.PHONY: build
build: setup ## Build the collection archive
	$(IN_TREE) $(VENV)/bin/ansible-galaxy collection build --force --output-path $(CURDIR)/.cache

.PHONY: ee
ee: setup build ## The execution environment for AWX, built from the lab's Debian; the campaign runs reconcile in it
	@tools/system-packages buildah
	$(VENV)/bin/python tools/ee.py

.PHONY: lock
lock: ## Write the lock files anew
	tools/lock

.PHONY: clean
clean: ## Remove virtual environments and build output (the cache stays)
	rm -rf $(VENV) $(OLD) $(VENV).lock $(OLD).lock .cache .ansible .pytest_cache .ruff_cache tests/output
