import Platform
import TestSupport
import Testing

@testable import Waker

@Suite struct ServiceStateTests {
    private func state(
        load: String = "loaded", active: String = "inactive", freezer: String = "running", fileState: String = "static"
    ) -> ServiceState {
        ServiceState([
            "LoadState": .string(load), "ActiveState": .string(active), "FreezerState": .string(freezer),
            "UnitFileState": .string(fileState),
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
    func `the setting is that of the unit file, and enabled without one`(
        fileState: String, setting: ServiceState.Setting
    ) {
        #expect(state(fileState: fileState).setting == setting)
    }

    @Test func `a unit that is not loaded has no setting, unless it is masked`() {
        #expect(state(load: "not-found").setting == nil)
        #expect(state(load: "masked").setting == .masked)
    }
}
