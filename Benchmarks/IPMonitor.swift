import Platform

/// `ip monitor`, timed by when its pipe becomes readable.
final class IPMonitor: Witness {
    let name = "ip monitor"
    private let process: ChildProcess
    private let arrivals = Arrivals()

    init() throws {
        guard let program = ExecutableSearch.find("ip", alsoIn: ["/usr/sbin", "/sbin"]) else {
            throw OwnNetwork.Unavailable(description: "ip of iproute2 is not installed")
        }
        process = try ChildProcess(ChildProcess.Launch(program, ["monitor"], output: .pipe, isGuarded: true))
        try arrivals.collect(from: process.outputPipe, thread: "ip-monitor")
    }

    func end() throws -> Testimony {
        try process.terminate()
        guard arrivals.waitForEnd() else { throw OwnNetwork.Unavailable(description: "ip monitor does not end") }
        let instants = arrivals.all.map(\.at)
        return Testimony(losses: instants, gains: instants)
    }
}
