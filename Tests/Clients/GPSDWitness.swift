import GPSD
import Platform
import Replay
import Synchronization
import TestSupport

/// A client of a gpsd that reads all the time, on a thread of its own: it records all reports of gpsd.
public final class GPSDWitness: Sendable {
    private struct State {
        var times: [Double] = []
        var isStopped = false
        var failure: String?
    }

    private let state = Mutex(State())

    /// Connects to HOST:PORT of this machine, watches and waits for the first position.
    public init(_ address: String) throws {
        let port = address.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
        try DetachedThread.start(name: "gpsd-witness") { [self] in
            do { try listen(port) } catch { state.withLock { $0.failure = "\(error)" } }
        }
        guard eventually(within: 60, { !times.isEmpty || failure != nil }), failure == nil else {
            stop()
            throw SystemError("hear gpsd", code: 110, subject: failure ?? address)
        }
    }

    deinit { stop() }

    /// The times of the positions so far, seconds since 1970, in order.
    public var times: [Double] { state.withLock { $0.times } }
    private var failure: String? { state.withLock { $0.failure } }

    /// Waits for this number of further positions.
    public func waitForMore(_ count: Int, within seconds: Double = 60) -> Bool {
        let wanted = times.count + count
        return eventually(within: seconds) { times.count >= wanted }
    }

    /// Ends it.
    public func stop() { state.withLock { $0.isStopped = true } }

    private func listen(_ port: UInt16) throws {
        let client = try LineClient(port: port)
        try client.send(#"?WATCH={"enable":true,"json":true};"#)
        var decoder = ReportDecoder()
        while !state.withLock({ $0.isStopped }) {
            let deadline = PollDeadline(seconds: 0.1)
            guard let line = try client.line(before: deadline) else {
                // Before the deadline this is the end of the connection, which would end each further read at once.
                if deadline.hasPassed { continue }
                return
            }
            guard case .tpv(let tpv) = try decoder.decode(Array(line.utf8).span), tpv.mode >= 2, let time = tpv.time
            else { continue }
            state.withLock { if $0.times.last != time.secondsSinceEpoch { $0.times.append(time.secondsSinceEpoch) } }
        }
    }
}
