import JSONText
import Location
import Varlink

extension DaemonStatus {
    /// Reads a status; nil where it has no version or no health.
    public init?(_ json: JSON) {
        guard let version = json["version"]?.stringValue, let health = json["health"]?.stringValue else { return nil }
        self.init()
        self.version = version
        self.health = health
        protocolNumber = json["protocol"]?.integerValue.map(Int.init) ?? 1
        processID = json["processID"]?.integerValue.flatMap(Int32.init(exactly:)) ?? 0
        startedAt = json["startedAt"]?.numberValue ?? 0
        summary = json["summary"]?.stringValue ?? ""
        receiver = json["receiver"].map(Receiver.init) ?? Receiver()
        fix = json["fix"].flatMap(Fix.init)
        satellitesUsed = json["satellitesUsed"]?.integerValue.map(Int.init)
        satellitesVisible = json["satellitesVisible"]?.integerValue.map(Int.init)
        rejected = Count.list(json["rejected"])
        accepted = json["accepted"]?.integerValue.map(Int.init) ?? 0
        journal = json["journal"].map(Journal.init) ?? Journal()
        clients = json["clients"].map(Clients.init) ?? Clients()
        authorization = json["authorization"].map(Authorization.init) ?? Authorization()
        recordings = json["recordings"].map(Recordings.init) ?? Recordings()
        uploads = json["uploads"].map(Uploads.init) ?? Uploads()
        network = json["network"].flatMap { $0.isNull ? nil : Network($0) }
        configuration = json["configuration"]?.arrayValue?.compactMap(\.stringValue) ?? []
    }

    /// The status as a reply carries it.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("version", version)
            writer.member("protocol", protocolNumber)
            writer.member("processID", processID)
            writer.member("startedAt", startedAt)
            writer.member("health", health)
            writer.member("summary", summary)
            writer.key("receiver")
            receiver.write(to: &writer)
            if let fix {
                writer.key("fix")
                fix.write(to: &writer)
            }
            writer.member("satellitesUsed", satellitesUsed)
            writer.member("satellitesVisible", satellitesVisible)
            Count.write(rejected, as: "rejected", to: &writer)
            writer.member("accepted", accepted)
            writer.key("journal")
            journal.write(to: &writer)
            writer.key("clients")
            clients.write(to: &writer)
            writer.key("authorization")
            authorization.write(to: &writer)
            writer.key("recordings")
            recordings.write(to: &writer)
            writer.key("uploads")
            uploads.write(to: &writer)
            if let network {
                writer.key("network")
                network.write(to: &writer)
            }
            writer.member("configuration", configuration)
        }
    }
}

extension DaemonStatus.Receiver {
    init(_ json: JSON) {
        self.init()
        gpsd = json["gpsd"]?.stringValue ?? "none"
        state = json["state"]?.stringValue.flatMap(State.init) ?? .unconfigured
        reason = json["reason"]?.stringValue
        version = json["version"]?.stringValue
        devices = json["devices"]?.arrayValue?.compactMap(DaemonStatus.Device.init) ?? []
        reports = DaemonStatus.Count.list(json["reports"])
        connections = json["connections"]?.integerValue.map(Int.init) ?? 0
        malformed = json["malformed"]?.integerValue.map(Int.init) ?? 0
        silence = json["silence"]?.numberValue
        awaitsAnswer = json["awaitsAnswer"]?.boolValue ?? false
        reconnectsAfterSilence = json["reconnectsAfterSilence"]?.integerValue.map(Int.init) ?? 0
        undated = json["undated"]?.stringValue.flatMap(UndatedState.init) ?? .none
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("gpsd", gpsd)
            writer.member("state", state.rawValue)
            writer.member("reason", reason)
            writer.member("version", version)
            writer.array("devices") { writer in devices.forEach { $0.write(to: &writer) } }
            DaemonStatus.Count.write(reports, as: "reports", to: &writer)
            writer.member("connections", connections)
            writer.member("malformed", malformed)
            writer.member("silence", silence)
            writer.member("awaitsAnswer", awaitsAnswer)
            writer.member("reconnectsAfterSilence", reconnectsAfterSilence)
            writer.member("undated", undated.rawValue)
        }
    }
}

extension DaemonStatus.Device {
    init?(_ json: JSON) {
        guard let path = json["path"]?.stringValue else { return nil }
        self.init(
            path: path, driver: json["driver"]?.stringValue, isActive: json["isActive"]?.boolValue ?? false,
            isStale: json["isStale"]?.boolValue ?? false,
            hasReportedPositions: json["hasReportedPositions"]?.boolValue ?? true)
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("path", path)
            writer.member("driver", driver)
            writer.member("isActive", isActive)
            writer.member("isStale", isStale)
            writer.member("hasReportedPositions", hasReportedPositions)
        }
    }
}

extension DaemonStatus.Fix {
    init?(_ json: JSON) {
        guard let age = json["age"]?.numberValue, let accuracy = json["horizontalAccuracy"]?.numberValue else {
            return nil
        }
        self.init(
            age: age, horizontalAccuracy: accuracy, hasAltitude: json["hasAltitude"]?.boolValue ?? false,
            isSimulated: json["isSimulated"]?.boolValue ?? false, quality: json["quality"]?.stringValue,
            receiver: json["receiver"]?.stringValue ?? "")
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("age", age)
            writer.member("horizontalAccuracy", horizontalAccuracy)
            writer.member("hasAltitude", hasAltitude)
            writer.member("isSimulated", isSimulated)
            writer.member("quality", quality)
            writer.member("receiver", receiver)
        }
    }
}

extension DaemonStatus.Journal {
    init(_ json: JSON) {
        self.init()
        state = json["state"]?.stringValue.flatMap(State.init) ?? .opening
        reason = json["reason"]?.stringValue
        path = json["path"]?.stringValue ?? ""
        events = json["events"]?.integerValue ?? 0
        size = json["size"]?.integerValue ?? 0
        oldest = json["oldest"]?.integerValue
        newest = json["newest"]?.integerValue
        dropped = json["dropped"]?.integerValue ?? 0
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("state", state.rawValue)
            writer.member("reason", reason)
            writer.member("path", path)
            writer.member("events", events)
            writer.member("size", size)
            writer.member("oldest", oldest)
            writer.member("newest", newest)
            writer.member("dropped", dropped)
        }
    }
}

extension DaemonStatus.Clients {
    init(_ json: JSON) {
        self.init()
        connections = json["connections"]?.integerValue.map(Int.init) ?? 0
        streams = json["streams"]?.integerValue.map(Int.init) ?? 0
        refused = json["refused"]?.integerValue.map(Int.init) ?? 0
        lagging = json["lagging"]?.integerValue.map(Int.init) ?? 0
        dropped = json["dropped"]?.integerValue.map(Int.init) ?? 0
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("connections", connections)
            writer.member("streams", streams)
            writer.member("refused", refused)
            writer.member("lagging", lagging)
            writer.member("dropped", dropped)
        }
    }
}

extension DaemonStatus.Authorization {
    init(_ json: JSON) {
        self.init()
        areServicesEnabled = json["servicesEnabled"]?.boolValue ?? true
        apps = json["apps"]?.integerValue.map(Int.init) ?? 0
        inUse = json["inUse"]?.integerValue.map(Int.init) ?? 0
        requests = json["requests"]?.integerValue.map(Int.init) ?? 0
        agents = json["agents"]?.integerValue.map(Int.init) ?? 0
        problems = json["problems"]?.integerValue.map(Int.init) ?? 0
        loss = json["loss"]?.stringValue
        problem = json["problem"]?.stringValue
        suspendedUsers =
            json["suspendedUsers"]?.arrayValue?.compactMap { $0.integerValue.flatMap(UInt32.init(exactly:)) } ?? []
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("servicesEnabled", areServicesEnabled)
            writer.member("apps", apps)
            writer.member("inUse", inUse)
            writer.member("requests", requests)
            writer.member("agents", agents)
            writer.member("problems", problems)
            writer.member("loss", loss)
            writer.member("problem", problem)
            writer.array("suspendedUsers") { writer in suspendedUsers.forEach { writer.integer(Int64($0)) } }
        }
    }
}

extension DaemonStatus.Recordings {
    init(_ json: JSON) {
        self.init()
        count = json["count"]?.integerValue.map(Int.init) ?? 0
        started = json["started"]?.integerValue.map(Int.init) ?? 0
        recording = json["recording"]?.integerValue.map(Int.init) ?? 0
        waiting = json["waiting"]?.integerValue ?? 0
        oldestWaiting = json["oldestWaiting"]?.numberValue
        deadLetters = json["deadLetters"]?.integerValue ?? 0
        dropped = json["dropped"]?.integerValue ?? 0
        problem = json["problem"]?.stringValue
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("count", count)
            writer.member("started", started)
            writer.member("recording", recording)
            writer.member("waiting", waiting)
            writer.member("oldestWaiting", oldestWaiting)
            writer.member("deadLetters", deadLetters)
            writer.member("dropped", dropped)
            writer.member("problem", problem)
        }
    }
}

extension DaemonStatus.Count {
    static func list(_ json: JSON?) -> [DaemonStatus.Count] {
        (json?.objectValue ?? []).compactMap { member in
            member.value.integerValue.map { DaemonStatus.Count(member.key, Int($0)) }
        }
    }

    static func write(_ counts: [DaemonStatus.Count], as key: String, to writer: inout JSONWriter) {
        writer.object(key) { writer in counts.forEach { writer.member($0.name, $0.count) } }
    }
}

extension DaemonStatus.Uploads {
    init(_ json: JSON) {
        self.init()
        count = json["count"]?.integerValue.map(Int.init) ?? 0
        running = json["running"]?.integerValue.map(Int.init) ?? 0
        paused = json["paused"]?.integerValue.map(Int.init) ?? 0
        failing = json["failing"]?.integerValue.map(Int.init) ?? 0
        abandoned = json["abandoned"]?.integerValue ?? 0
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("count", count)
            writer.member("running", running)
            writer.member("paused", paused)
            writer.member("failing", failing)
            writer.member("abandoned", abandoned)
        }
    }
}
