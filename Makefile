# What a person types. `make help` lists it.
SWIFT ?= swift

.PHONY: build
build: ## the release binaries, in .build/release
	$(SWIFT) build -c release --static-swift-stdlib
