import Interfaces
import JSONText
import Platform
import Testing
import Varlink

/// The part of the daemon's substitute that monitors regions: one monitor, in memory.
@DaemonActor
final class MonitorDouble {
    /// The regions of the monitor; without any there is no monitor.
    private(set) var regions: [RegionsInterface.Region] = []
    /// The largest number of an event.
    private var last: Int64 = 0
    /// The acknowledgements, in order.
    private(set) var acknowledgements: [Int64] = []
    /// How often events were refused to the app.
    private(set) var refusals = 0
    private var staged: [RegionsInterface.Region] = []
    private var acknowledged: Int64 = 0
    private var streams: [(call: Call, sent: Int64)] = []

    nonisolated init() {}

    /// The machine crosses the border of the first region this often, from the outside at first.
    func cross(_ count: Int64) {
        last += count
        for index in streams.indices { send(index) }
    }

    /// Erases the monitor: the events of the next one are numbered from 1.
    func erase() {
        (regions, staged) = ([], [])
        (last, acknowledged) = (0, 0)
        let open = streams
        streams = []
        for (call, _) in open { fail(call) }
    }

    /// Forgets the connections.
    func stop() {
        streams = []
        staged = []
    }

    func handle(_ call: Call, isPermitted: Bool) throws(InvalidParameter) {
        switch RegionsInterface.Method(rawValue: call.request.method) {
        case .show: show(call)
        case .add:
            let added = try RegionsInterface.Add(varlink: call.parameters).regions
            staged += added
            call.reply(EncodedReply(RegionsInterface.Add.Reply(added: Int64(added.count), replaced: 0)))
        case .commit:
            let count = Int64(staged.count)
            regions += staged
            staged = []
            call.reply(EncodedReply(RegionsInterface.Commit.Reply(added: count, replaced: 0)))
        case .monitor:
            guard !regions.isEmpty else { return fail(call) }
            guard isPermitted else {
                refusals += 1
                return call.fail(ErrorName.accuracyReduced.rawValue, message: "You may not.")
            }
            let after = try RegionsInterface.Monitor(varlink: call.parameters).after
            streams.append((call, after ?? acknowledged))
            send(streams.count - 1)
        case .acknowledge:
            let number = try RegionsInterface.Acknowledge(varlink: call.parameters).upTo
            acknowledged = max(acknowledged, number)
            acknowledgements.append(number)
            call.reply(EncodedReply(RegionsInterface.Acknowledge.Reply(acknowledged: number)))
        case .remove where regions.isEmpty: fail(call)
        default: Issue.record("unexpected call of \(call.request.method)")
        }
    }

    private func fail(_ call: Call) {
        call.fail(
            ErrorName.regionsNoSuchMonitor.rawValue, message: "There is none.",
            parameters: [JSON.Member("monitor", "waypoints-home")])
    }

    private func show(_ call: Call) {
        guard !regions.isEmpty else { return fail(call) }
        call.reply { writer in
            writer.array("regions") { writer in
                for region in regions {
                    writer.object { writer in
                        writer.member("region", of: region)
                        writer.member("shape", "circle")
                        writer.member("state", "unknown")
                    }
                }
            }
            writer.member("isComplete", true)
        }
    }

    private func send(_ index: Int) {
        let (call, sent) = streams[index]
        guard sent < last, let region = regions.first?.identifier else { return }
        for number in (sent + 1)...last {
            let kind = number % 2 == 1 ? "entered" : "left"
            call.reply(continues: true) { writer in
                writer.object("event") { writer in
                    writer.member("sequence", number)
                    writer.member("region", region)
                    writer.member("kind", kind)
                    writer.member("time", 1_780_300_800 + Double(number))
                    writer.member("passedThrough", false)
                    writer.member("isSimulated", false)
                    writer.member("latitude", 47.0)
                    writer.member("longitude", 8.0)
                    writer.member("horizontalAccuracy", 4.5)
                }
            }
        }
        streams[index].sent = last
    }
}
