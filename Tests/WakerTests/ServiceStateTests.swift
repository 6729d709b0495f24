import Platform
import TestSupport
import Testing

@testable import Waker

@Suite struct ServiceStateTests {
    private func state(
        load: String = "loaded", active: String = "inactive", freezer: String = "running", file: String = "static"
    ) -> ServiceState {
        ServiceState([
            "LoadState": .string(load), "ActiveState": .string(active), "FreezerState": .string(freezer),
            "UnitFileState": .string(file), "InactiveExitTimestampMonotonic": .uint64(5),
        ])
    }

    @Test(
        arguments: [
            ("inactive", ServiceState.Step.start), ("failed", .start), ("deactivating", .start),
            ("active", .report(.alreadyRunning)), ("activating", .report(.alreadyRunning)),
            ("reloading", .report(.alreadyRunning)),
        ])
    func `a service is started unless it runs`(active: String, step: ServiceState.Step) {
        #expect(state(active: active).step(wasStopped: false) == step)
    }

    @Test func `a frozen service is thawed`() {
        #expect(state(active: "active", freezer: "frozen").step(wasStopped: false) == .thaw)
    }

    @Test(arguments: ["inactive", "failed", "deactivating"])
    func `a service that a person has stopped is not started`(active: String) {
        #expect(state(active: active).step(wasStopped: true) == .report(.stopped))
    }

    @Test(
        arguments: [
            ("masked", ServiceState.Step.report(.masked)), ("not-found", .report(.noService)),
            ("bad-setting", .report(.noService)), ("error", .report(.noService)), ("", .report(.noService)),
        ])
    func `what is not loaded is not started`(load: String, step: ServiceState.Step) {
        #expect(state(load: load).step(wasStopped: false) == step)
    }

    @Test(
        arguments: [
            ("static", ServiceState.Setting.enabled), ("enabled", .enabled), ("enabled-runtime", .enabled),
            ("disabled", .disabled), ("masked", .masked), ("masked-runtime", .masked), ("", .enabled),
        ])
    func `the setting of its file is what a person decided`(file: String, setting: ServiceState.Setting) {
        #expect(state(file: file).setting == setting)
    }
}
