import Glibc
import Platform
import TestSupport

/// A client of a minimal relay between the kernel and a client, timed by when its socket becomes readable:
/// the unavoidable cost of two processes.
final class RelayClient: Witness {
    let name = Comparison.relay
    private let process: ChildProcess
    private let socket: OwnedDescriptor
    private let arrivals = Arrivals()

    init(in directory: TemporaryDirectory) throws {
        let program = try PeerProgram.compile("netlink-relay", in: directory)
        let path = directory.file("relay.sock")
        unlink(path)
        process = try ChildProcess(ChildProcess.Launch(program, [path], output: .pipe, isGuarded: true))
        guard try PollDeadline(seconds: 60).poll(process.outputPipe, for: POLLIN) else {
            throw OwnNetwork.Unavailable(description: "netlink-relay does not begin to listen")
        }
        socket = try UnixSocket.connect(path: path)
        try arrivals.collect(from: socket.number, thread: "client")
        guard eventually(within: 10, { arrivals.count > 0 }) else {
            throw OwnNetwork.Unavailable(description: "netlink-relay does not reply")
        }
    }

    func end() throws -> Testimony {
        shutdown(socket.number, Int32(SHUT_RDWR))
        guard arrivals.waitForEnd() else { throw OwnNetwork.Unavailable(description: "the connection does not end") }
        try process.terminate()
        let instants = arrivals.all.map(\.at)
        return Testimony(losses: instants, gains: instants)
    }
}
