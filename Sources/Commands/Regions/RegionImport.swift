import CommandLineKit
import GeoJSON
import Interfaces
import RegionCalls
import Varlink

/// `waymark regions import`: the regions of a file, all or none of them.
///
/// The whole file is checked first. Then the regions are staged, batch by batch, on one connection and take effect
/// together with `Commit`: whatever ends the import before that leaves the monitor unchanged.
struct RegionImport {
    let session: Session
    /// The time limit in seconds for the last call, in which the regions are stored and indexed.
    private static let commitTime = 1_800.0
    /// The time limit in seconds for every other call.
    private static let callTime = 60.0
    /// The regions between two updates of the progress.
    private static let progressStep = 500

    init(_ session: Session) { self.session = session }

    func run() throws(CommandFailure) {
        let path = session.invocation.argument("FILE") ?? "-"
        let monitor = try monitor(path)
        let interruption = try session.interruption()
        let file = try RegionFile(path, interruption)
        let invocation = session.invocation
        let defaults = FeatureRegion.Defaults(
            radius: invocation.number("radius"), width: invocation.number("width"),
            dwell: RegionTime.given("dwell", session), loitering: RegionTime.given("loitering", session))
        let count = try check(file, defaults)
        guard count > 0 else { throw .failed("InvalidFile", "\(file.name) contains no region.") }
        let reply = try send(file, defaults, count, to: monitor, until: interruption)
        session.remarks.endProgress()
        if session.isJSON { return try session.print(json: reply.bytes) }
        let replaced = reply.replaced > 0 ? ", of which \(Measure.grouped(reply.replaced)) were replaced" : ""
        try session.print(
            sentence: "\(Measure.count(reply.added + reply.replaced, "region")) in the monitor \(monitor)\(replaced).")
        session.remarks.hint(RegionAdvice.afterAdding(RegionTarget(name: monitor, monitor: nil)))
    }

    /// The monitor of `--monitor`, else of the name of the file.
    private func monitor(_ path: String) throws(CommandFailure) -> String {
        if let monitor = session.invocation.text("monitor") {
            guard RegionTarget.isMonitorName(monitor) else {
                throw .usage(
                    "The name of a monitor is 1 to 128 letters, digits, dots, hyphens and underscores.",
                    command: "regions import")
            }
            return monitor
        }
        guard let name = Self.monitorName(of: path) else {
            throw .usage("--monitor is needed: the name of the monitor to import into.", command: "regions import")
        }
        return name
    }

    /// The name of a file without its folder and its suffix; nil if that is no name of a monitor.
    static func monitorName(of path: String) -> String? {
        guard path != "-", var name = path.split(separator: "/").last.map(String.init) else { return nil }
        for suffix in [".geojson", ".json"] where name.hasSuffix(suffix) { name.removeLast(suffix.count) }
        return RegionTarget.isMonitorName(name) ? name : nil
    }

    /// Validates every region of the file, and returns their number.
    private func check(_ file: RegionFile, _ defaults: FeatureRegion.Defaults) throws(CommandFailure) -> Int {
        var features: [String: Int] = [:]
        try file.forEach(defaults) { (region, share) throws(CommandFailure) in
            do throws(GeoJSONError) { _ = try region.validated() } catch { throw file.failure(error) }
            if let other = features.updateValue(region.feature, forKey: region.identifier) {
                throw file.failure(
                    GeoJSONError(
                        .identifierRepeated(feature: other), feature: region.feature, part: region.part,
                        identifier: region.identifier))
            }
            if features.count % Self.progressStep == 0 {
                session.remarks.progress(
                    "Checking: \(Measure.count(features.count, "region")), \((share * 100).fixed(0)) %")
            }
        }
        return features.count
    }

    private func send(
        _ file: RegionFile, _ defaults: FeatureRegion.Defaults, _ count: Int, to monitor: String,
        until interruption: Interruption
    ) throws(CommandFailure) -> MethodReply<RegionsInterface.Commit> {
        let client: Client
        do throws(VarlinkError) {
            client = try session.daemon.connect(
                within: .seconds(DaemonLink.answerTime), until: interruption.descriptor)
        } catch {
            throw failure(error, interruption)
        }
        var batch = RegionBatch()
        var sent = 0
        func stage() throws(CommandFailure) {
            let request = RegionsInterface.Add(monitor: monitor, regions: batch.regions, staged: true)
            do throws(VarlinkError) { _ = try client.call(request, timeout: .seconds(Self.callTime)) } catch {
                throw failure(error, interruption)
            }
            sent += batch.regions.count
            batch.removeAll()
            session.remarks.progress("Sending: \(Measure.grouped(sent)) of \(Measure.count(count, "region"))")
        }
        try file.forEach(defaults) { (region, _) throws(CommandFailure) in
            if batch.isFull(for: region) { try stage() }
            batch.add(region)
        }
        if !batch.regions.isEmpty { try stage() }
        session.remarks.progress("Storing \(Measure.count(count, "region"))…")
        return try commit(client, monitor, interruption)
    }

    /// Lets the staged regions take effect. An interruption ends the command at once, although the daemon may have begun.
    private func commit(
        _ client: Client, _ monitor: String, _ interruption: Interruption
    ) throws(CommandFailure) -> MethodReply<RegionsInterface.Commit> {
        let request = RegionsInterface.Commit(monitor: monitor)
        do throws(VarlinkError) {
            let replies = try client.stream(
                RegionsInterface.Commit.name, request.parameters, more: false, timeout: .seconds(Self.callTime))
            guard try client.waitReadable(timeout: .seconds(Self.commitTime)) == .reply else { throw .timedOut }
            guard let reply = try replies.next() else { throw .closed }
            return try MethodReply(reply)
        } catch {
            let failure = failure(error, interruption)
            if failure.isSignal {
                session.remarks.say(
                    "The regions were sent, and the daemon may add them all the same: `waymark regions list` shows"
                        + " whether it has.")
            }
            throw failure
        }
    }

    /// The failure of a call; the end of the command, where a signal ended the wait for the daemon.
    private func failure(_ error: VarlinkError, _ interruption: Interruption) -> CommandFailure {
        if error == .closed, let code = interruption.received() { return .ended(code) }
        return CommandFailure(error, socketPath: session.socketPath)
    }
}
