import Platform
import TestSupport

/// A number of routes to single hosts, for ip(8) to add and remove.
struct RouteBatch {
    let routes: Int
    private let adding, deleting, both: String

    init(routes: Int, in directory: TemporaryDirectory) throws {
        self.routes = routes
        func lines(_ verb: String) -> String {
            var text = ""
            text.reserveCapacity(routes * 44)
            for number in 0..<routes {
                let host = "10.\(number >> 16 & 255).\(number >> 8 & 255).\(number & 255)"
                text += "route \(verb) \(host)/32 dev \(OwnNetwork.interface)\n"
            }
            return text
        }
        let (add, delete) = (lines("add"), lines("delete"))
        adding = try directory.write("add-\(routes)", add)
        deleting = try directory.write("delete-\(routes)", delete)
        both = try directory.write("both-\(routes)", add + delete)
    }

    /// Adds them; returns the seconds it took.
    func make() throws -> Double { try run(adding) }
    /// Removes them; returns the seconds it took.
    func remove() throws -> Double { try run(deleting) }
    /// Begins to make and remove them.
    func start() throws -> ChildProcess {
        try ChildProcess(ChildProcess.Launch(try Self.program(), ["-batch", both], isGuarded: true))
    }

    static func program() throws -> String {
        guard let program = ExecutableSearch.find("ip", alsoIn: ["/usr/sbin", "/sbin"]) else {
            throw OwnNetwork.Unavailable(description: "ip of iproute2 is not installed")
        }
        return program
    }

    private func run(_ file: String) throws -> Double {
        let began = SystemClock().monotonicNanoseconds
        let run = try CompletedProcess.run(try Self.program(), ["-batch", file], seconds: 300)
        guard run.status.isSuccess else {
            throw OwnNetwork.Unavailable(description: "ip \(run.status): \(run.error.prefix(200))")
        }
        return Double(SystemClock().monotonicNanoseconds - began) / 1e9
    }
}
