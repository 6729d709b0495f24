import Reachability

extension SimulatedMachine {
    /// A machine that has run for a minute without any change: the next change finds calm.
    static func started(
        _ kernel: SimulatedKernel = .wired(), _ settings: ReachabilitySettings = ReachabilitySettings()
    ) -> SimulatedMachine {
        var machine = SimulatedMachine(kernel, settings)
        machine.start()
        machine.advance(60 * seconds)
        return machine
    }
}
