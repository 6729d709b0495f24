import Reachability

extension SimulatedMachine {
    /// One that has run for a minute without anything happening: whatever changes next finds calm.
    static func started(
        _ kernel: SimulatedKernel = .wired(), _ settings: ReachabilitySettings = ReachabilitySettings()
    ) -> SimulatedMachine {
        var machine = SimulatedMachine(kernel, settings)
        machine.start()
        machine.advance(60 * seconds)
        return machine
    }
}
