import CommandLineKit
import Glibc
import Interfaces
import JSONText
import Varlink

/// `waymark regions watch`: the events of one monitor or of all of the caller's, without an acknowledgement.
struct RegionWatch {
    let session: Session
    /// Each monitor needs a connection, of which a user may have 64.
    private static let mostMonitors = 32

    init(_ session: Session) { self.session = session }

    /// A monitor, its stream, and the number of the last event of it that was printed.
    private struct Source {
        let monitor: String
        let stream: PatientStream<RegionsInterface.Monitor>
        var last: Int64 = 0
    }

    func run() throws(CommandFailure) {
        let target = RegionTarget(session)
        let after = session.invocation.integer("after").map(Int64.init)
        if after != nil, target == nil {
            throw .usage("--after needs NAME, because each monitor has numbers of its own.", command: "regions watch")
        }
        let names = if let target { [target.monitor] } else { try RegionListing.own(session).map(\.name) }
        if names.isEmpty {
            throw .failed(
                "NoRegions", "There are no regions to watch. `waymark regions add --help` says how to add one.")
        }
        guard names.count <= Self.mostMonitors else {
            throw .failed(
                "TooManyMonitors",
                "You have \(names.count) monitors, and at most \(Self.mostMonitors) are watched at once: name one of them."
            )
        }
        let interruption = try session.interruption()
        var sources: [Source] = []
        for name in names {
            let stream = try PatientStream(
                session, RegionsInterface.Monitor(monitor: name, after: after),
                comesBack: !session.invocation.has("no-reconnect"), until: interruption)
            sources.append(Source(monitor: name, stream: stream))
        }
        if !session.isJSON {
            let what = names.count > 1 ? Measure.count(names.count, "monitor") : names[0]
            session.remarks.hint("Watching \(what) until Ctrl-C. Nothing is acknowledged.")
        }
        var left = session.invocation.integer("count") ?? .max
        while left > 0 {
            // One stream is waited for directly; several are read as they have something.
            if sources.count > 1 { wait(for: sources, interruption) }
            for index in sources.indices where left > 0 {
                try read(&sources[index], target, waits: sources.count == 1, &left)
            }
        }
    }

    private func read(
        _ source: inout Source, _ target: RegionTarget?, waits: Bool, _ left: inout Int
    ) throws(CommandFailure) {
        let text = RegionEventText(terminal: session.terminal, namesMonitor: target == nil)
        while left > 0, case .reply(let reply) = try source.stream.next(timeout: waits ? nil : .zero) {
            let event = reply.event
            // A daemon that was restarted sends again what is not acknowledged.
            guard event.sequence > source.last else { continue }
            source.last = event.sequence
            source.stream.method = RegionsInterface.Monitor(monitor: source.monitor, after: event.sequence)
            if let region = target?.region, event.region != region { continue }
            left -= 1
            guard session.isJSON else {
                try session.print([text.line(event, of: source.monitor)])
                continue
            }
            var writer = JSONWriter()
            let object = try Self.withoutPlace(reply.bytes(of: "event"))
            writer.object { writer in
                writer.member("monitor", source.monitor)
                writer.member("event", object)
            }
            try session.print(json: writer.bytes)
        }
    }

    /// An event without its position: what is printed here often ends in a log, and says no more than the text.
    private static func withoutPlace(_ bytes: [UInt8]) throws(CommandFailure) -> JSON {
        do throws(JSONError) {
            let members = try JSON.parse(bytes).objectValue ?? []
            return .object(members.filter { !["latitude", "longitude", "horizontalAccuracy"].contains($0.key) })
        } catch {
            throw .failed("ProtocolViolation", "The daemon's reply is not valid: \(error).")
        }
    }

    /// Waits until a stream has something, poll(2). A lost connection is tried again meanwhile.
    private func wait(for sources: [Source], _ interruption: Interruption) {
        let descriptors = sources.map(\.stream.descriptor)
        var requests = ([interruption.descriptor] + descriptors.compactMap(\.self)).map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        _ = poll(&requests, nfds_t(requests.count), descriptors.contains(nil) ? 200 : 1_000)
    }
}
