import Authorization
import Containers
import JSONText
import Location

// The record as text, for the journal's database.

extension WakeRecord {
    /// The record as text.
    public var text: String {
        var writer = JSONWriter()
        writer.object { writer in
            if let hold { writer.object("hold") { hold.writeMembers(to: &$0) } }
            writer.member("fullAt", budget.fullAt)
            writer.member("failures", Int64(failures))
            if let attempt { writer.member("attempt", attempt.cause.rawValue) }
            writer.member("lastOrder", lastOrder)
            writer.member("wokenAt", wokenAt?.microseconds)
            writer.member("wokenFor", wokenFor?.rawValue)
            if let launch { writer.object("launch") { launch.writeMembers(to: &$0) } }
            writer.member("unitFile", unitFile?.rawValue)
            writer.array("subscriptions") { writer in
                for (subscription, isUnreachable) in subscriptions.sorted(by: { $0.key.order < $1.key.order }) {
                    writer.object { writer in
                        subscription.writeMembers(to: &writer)
                        writer.member("isUnreachable", isUnreachable)
                    }
                }
            }
            writer.member("last", queue.last)
            writer.member("acknowledged", queue.acknowledged)
            writer.member("lost", queue.lost)
            writer.array("events") { writer in
                for event in queue.events {
                    writer.object { writer in
                        writer.member("sequence", event.sequence)
                        event.subscription.writeMembers(to: &writer)
                        event.writeFired(to: &writer)
                        writer.member("time", event.time.microseconds)
                    }
                }
            }
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The record of a text made by `text`; nil for any other text.
    public init?(text: String) {
        let json: JSON
        do throws(JSONError) { json = try JSON.parse(Array(text.utf8)) } catch { return nil }
        self.init()
        guard let fullAt = json["fullAt"]?.integerValue, let last = json["last"]?.integerValue,
            let acknowledged = json["acknowledged"]?.integerValue, let order = json["lastOrder"]?.integerValue,
            (0...last).contains(acknowledged), order >= 0
        else { return nil }
        budget = WakeBudget(fullAt: fullAt)
        lastOrder = order
        failures = Int(clamping: max(0, json["failures"]?.integerValue ?? 0))
        hold = json["hold"].flatMap(Hold.init(json:))
        attempt = json["attempt"].flatMap(WakeCause.init(json:)).map { Attempt(order: order, cause: $0) }
        wokenAt = json["wokenAt"]?.integerValue.map(UTCTime.init(microseconds:))
        wokenFor = json["wokenFor"].flatMap(WakeCause.init(json:))
        launch = json["launch"].map(Launch.init(json:))
        unitFile = json["unitFile"]?.stringValue.flatMap(UnitFile.init(rawValue:))
        for member in json["subscriptions"]?.arrayValue ?? [] {
            guard let subscription = WakeSubscription(json: member) else { return nil }
            subscriptions[subscription] = member["isUnreachable"]?.boolValue ?? false
        }
        queue.last = last
        queue.acknowledged = acknowledged
        queue.lost = max(0, json["lost"]?.integerValue ?? 0)
        for member in json["events"]?.arrayValue ?? [] {
            guard let sequence = member["sequence"]?.integerValue, let subscription = WakeSubscription(json: member),
                let time = member["time"]?.integerValue, sequence > queue.events.last?.sequence ?? acknowledged,
                sequence <= last, queue.events.count < WakeQueue.most
            else { return nil }
            queue.events.append(
                WakeEvent(
                    sequence: sequence, subscription: subscription, fired: WakeEvent.fired(json: member),
                    time: UTCTime(microseconds: time)))
        }
    }
}

extension WakeCause {
    fileprivate init?(json: JSON) {
        guard let text = json.stringValue else { return nil }
        self.init(rawValue: text)
    }
}

extension WakeRecord.Hold {
    fileprivate func writeMembers(to writer: inout JSONWriter) {
        switch self {
        case .forcedQuit(let how, let time):
            writer.member("forcedQuit", how.rawValue)
            writer.member("at", time.microseconds)
        case .paused(let why, let time):
            writer.member("paused", why.rawValue)
            writer.member("at", time.microseconds)
        }
    }

    /// A hold that is not understood, of a later release, remains one.
    fileprivate init(json: JSON) {
        let time = UTCTime(microseconds: json["at"]?.integerValue ?? 0)
        if let why = json["paused"]?.stringValue {
            self = .paused(WakeRecord.Failure(rawValue: why) ?? .ended, at: time)
        } else {
            let how = json["forcedQuit"]?.stringValue.flatMap(WakeRecord.ForcedQuit.init(rawValue:))
            self = .forcedQuit(how ?? .decision, at: time)
        }
    }
}

extension WakeRecord.Launch {
    fileprivate func writeMembers(to writer: inout JSONWriter) {
        writer.member("cause", cause?.rawValue)
        if isAfterForcedQuit { writer.member("isAfterForcedQuit", true) }
        if let process {
            writer.member("processID", Int64(process.processID))
            writer.member("startTime", String(process.startTime))
        }
    }

    fileprivate init(json: JSON) {
        cause = json["cause"].flatMap(WakeCause.init(json:))
        isAfterForcedQuit = json["isAfterForcedQuit"]?.boolValue ?? false
        if let number = json["processID"]?.integerValue.flatMap({ Int32(exactly: $0) }),
            let start = json["startTime"]?.stringValue.flatMap({ UInt64($0) })
        {
            process = Continuation.Mark(processID: number, startTime: start)
        }
    }
}

extension WakeEvent {
    fileprivate func writeFired(to writer: inout JSONWriter) {
        guard !fired.isEmpty else { return }
        writer.array("fired") { writer in
            for subscription in fired {
                writer.object { writer in
                    writer.member("database", subscription.database.rawValue)
                    writer.member("name", subscription.name)
                }
            }
        }
    }

    /// Without those that are not understood, of a later release.
    fileprivate static func fired(json: JSON) -> [FiredSubscription] {
        let fired = (json["fired"]?.arrayValue ?? []).compactMap { member -> FiredSubscription? in
            guard let database = member["database"]?.stringValue.flatMap(DatabaseScope.init(rawValue:)),
                let name = member["name"]?.stringValue
            else { return nil }
            return FiredSubscription(database, name)
        }
        return FiredSubscription.joined([], fired)
    }
}

extension WakeSubscription {
    /// The order in which subscriptions are stored and listed.
    public var order: String {
        switch self {
        case .visits, .significantChange, .path: cause.rawValue
        case .target(let target): "\(cause.rawValue) \(target.host) \(target.port.map { String($0) } ?? "")"
        case .push(let container): "\(cause.rawValue) \(container.name) \(container.environment.rawValue)"
        }
    }

    fileprivate func writeMembers(to writer: inout JSONWriter) {
        writer.member("kind", cause.rawValue)
        switch self {
        case .visits, .significantChange, .path: break
        case .target(let target):
            writer.member("host", target.host)
            writer.member("port", target.port.map { Int64($0) })
        case .push(let container):
            writer.member("container", container.name)
            writer.member("environment", container.environment.rawValue)
        }
    }

    fileprivate init?(json: JSON) {
        switch json["kind"].flatMap(WakeCause.init(json:)) {
        case .visits?: self = .visits
        case .significantChange?: self = .significantChange
        case .path?: self = .path
        case .target?:
            guard let host = json["host"]?.stringValue else { return nil }
            self = .target(WakeTarget(host: host, port: json["port"]?.integerValue.flatMap { UInt16(exactly: $0) }))
        case .push?:
            guard let name = json["container"]?.stringValue,
                let environment = json["environment"]?.stringValue.flatMap(ContainerEnvironment.init(rawValue:))
            else { return nil }
            self = .push(SyncedContainer(name, environment))
        case .regions?, nil: return nil
        }
    }
}
