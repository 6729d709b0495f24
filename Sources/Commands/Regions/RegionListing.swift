import CommandLineKit
import Glibc
import Interfaces
import JSONText
import Varlink

/// `waymark regions list` and `show`.
struct RegionListing {
    let session: Session
    /// The regions of a reply.
    private static let pageSize: Int64 = 500

    init(_ session: Session) { self.session = session }

    /// The monitors that this version understands, and the objects of all monitors.
    static func all(
        _ session: Session
    ) throws(CommandFailure) -> (monitors: [RegionsInterface.MonitorSummary], objects: [JSON]) {
        let reply: Reply
        do throws(VarlinkError) { reply = try session.daemon.reply(to: CallRequest(RegionsInterface.List())) } catch {
            throw CommandFailure(error, socketPath: session.socketPath)
        }
        let list = try reply.list("monitors", of: RegionsInterface.MonitorSummary.self)
        return (list.elements, list.objects)
    }

    /// The caller's own monitors: those of its app, or of its user's programs that are no apps. `all` has also those of
    /// others where the caller is an operator.
    static func own(_ session: Session) throws(CommandFailure) -> [RegionsInterface.MonitorSummary] {
        let app = try session.daemon.call(LocationInterface.GetAuthorization()).authorization.app
        let uid = UInt32(geteuid())
        return try all(session).monitors.filter { $0.app == app && $0.uid == uid }
    }

    func list() throws(CommandFailure) {
        let (monitors, objects) = try Self.all(session)
        if session.isJSON {
            for object in objects { try session.print(json: object.bytes) }
            return
        }
        try session.print(RegionText(terminal: session.terminal).table(monitors))
        if monitors.isEmpty {
            session.remarks.say("There are no regions. `waymark regions add --help` says how to add one.")
        }
    }

    func show() throws(CommandFailure) {
        guard let target = RegionTarget(session) else { return }
        let text = RegionText(terminal: session.terminal, preferences: try Preferences(session))
        var request = RegionsInterface.Show(monitor: target.monitor, limit: Self.pageSize)
        request.identifiers = target.region.map { [$0] }
        request.app = session.invocation.text("app")
        request.uid = try AppOptions.user(session)
        if session.invocation.has("with-places") { request.coordinates = true }
        var count = 0
        while true {
            let reply = try session.daemon.call(request)
            let regions = reply.regions
            count += regions.count
            if session.isJSON {
                for object in reply.message.parameters["regions"]?.arrayValue ?? [] {
                    try session.print(json: object.bytes)
                }
            } else if !regions.isEmpty {
                try session.print(text.table(regions))
            }
            guard !reply.isComplete, target.region == nil, let last = regions.last else { break }
            request.after = last.region.identifier
        }
        if count == 0, let region = target.region {
            throw .failed(
                "NoSuchRegion",
                "There is no region \(region) in the monitor \(target.monitor):"
                    + " `waymark regions show \(target.monitor)` lists those that it has.")
        }
        if count == 0 { session.remarks.say("The monitor \(target.monitor) has no regions.") }
    }
}

/// `waymark regions remove` and `acknowledge`.
struct RegionRemoval {
    let session: Session

    init(_ session: Session) { self.session = session }

    func run() throws(CommandFailure) {
        let isAll = session.invocation.has("all")
        let isNamed = session.invocation.argument("NAME") != nil
        guard isAll != isNamed else {
            throw .usage("Either NAME or --all is needed.", command: "regions remove")
        }
        if let target = RegionTarget(session) { return try remove(target) }
        let monitors = try RegionListing.own(session)
        let count = monitors.reduce(0) { $0 + $1.regions }
        try AppOptions.confirm(
            "Remove all \(Measure.count(monitors.count, "monitor")) with \(Measure.count(count, "region"))?", session)
        var removed: Int64 = 0
        for monitor in monitors {
            removed += try session.daemon.call(RegionsInterface.Remove(monitor: monitor.name), waiting: 120).removed
        }
        try report(removed)
    }

    private func remove(_ target: RegionTarget) throws(CommandFailure) {
        var request = RegionsInterface.Remove(monitor: target.monitor)
        if let region = target.region {
            request.identifiers = [region]
        } else {
            let count = try RegionListing.own(session).first { $0.name == target.monitor }?.regions ?? 0
            if count > 1 {
                try AppOptions.confirm(
                    "Remove the monitor \(target.monitor) with \(Measure.count(count, "region"))?", session)
            }
        }
        let removed = try session.daemon.call(request, waiting: 120).removed
        if removed == 0, let region = target.region {
            throw .failed("NoSuchRegion", "There is no region \(region) in the monitor \(target.monitor).")
        }
        try report(removed)
    }

    private func report(_ removed: Int64) throws(CommandFailure) {
        if session.isJSON {
            var writer = JSONWriter()
            writer.object { $0.member("removed", removed) }
            return try session.print(json: writer.bytes)
        }
        try session.print(sentence: "\(Measure.count(removed, "region")) removed.")
    }

    func acknowledge() throws(CommandFailure) {
        let invocation = session.invocation
        let number = invocation.argument("N").flatMap { Int64($0) } ?? 0
        let request = RegionsInterface.Acknowledge(monitor: invocation.argument("MONITOR") ?? "", upTo: number)
        let reply = try session.daemon.call(request)
        try session.print(sentence: "Every event up to \(Measure.grouped(reply.acknowledged)) is acknowledged.")
    }
}
