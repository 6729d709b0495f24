// Made from io.waymark.Journal.varlink by `make interfaces`: change that file, not this one.

import JSONText
import Location
import NetworkPaths
import Platform
import Varlink

/// The durable journal of events, for operators. An app may read the events about itself; so may an operator's app that
/// is identified by more than Exec=. No event contains a coordinate.
public enum JournalInterface: VarlinkInterface {
    /// The interface's name.
    public static let name = "io.waymark.Journal"
    /// The callers allowed for the methods, except those of `operatorMethods`.
    public static let callers = VarlinkCallers.identified
    /// The methods that only operators may call.
    public static let operatorMethods: Set<String> = [
        "Verify",
        "Note",
    ]
    /// The methods that write to the disk before they reply.
    public static let durableMethods: Set<String> = []
    /// The methods that are called with `more`.
    public static let requiringMore: Set<String> = []
    /// How calls in progress are repeated after a restart; those of other methods are not.
    public static let repetitions: [String: CallRepetition] = [
        "Read": .unlessSame,
        "Verify": .unlessSame,
    ]

    /// The methods by their full names, in the order of the text.
    public enum Method: String, CaseIterable, Sendable {
        case read = "io.waymark.Journal.Read"
        case verify = "io.waymark.Journal.Verify"
        case note = "io.waymark.Journal.Note"
    }

    /// `Event` of `io.waymark.Journal`.
    public struct Event: VarlinkValue, VarlinkMembers, Equatable {
        /// For operators 1, 2, 3 … without gaps. For an app a number among the events about itself: each is one more
        /// than the one before, and the first is the time of the app's first event in seconds.
        public var sequence: Int64
        /// Seconds since 1970-01-01T00:00:00Z, by the system's clock.
        public var time: Double
        /// Seconds since the machine started.
        public var monotonic: Double
        /// The kernel's boot id, boot_id in random(4).
        public var boot: String
        /// The kind of the event. New words may come.
        public var kind: EventKind
        /// The app it is about.
        public var app: String?
        /// The user it is about.
        public var user: Int64?
        /// `details`.
        public var details: JSON

        /// A value of these members.
        public init(
            sequence: Int64 = 0,
            time: Double,
            monotonic: Double,
            boot: String,
            kind: EventKind,
            app: String? = nil,
            user: Int64? = nil,
            details: JSON
        ) {
            self.sequence = sequence
            self.time = time
            self.monotonic = monotonic
            self.boot = boot
            self.kind = kind
            self.app = app
            self.user = user
            self.details = details
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            sequence = try json.optional("sequence") ?? 0
            time = try json.value("time")
            monotonic = try json.value("monotonic")
            boot = try json.value("boot")
            kind = try json.value("kind")
            app = try json.optional("app")
            user = try json.optional("user")
            details = try json.value("details")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("sequence", of: sequence)
            writer.member("time", of: time)
            writer.member("monotonic", of: monotonic)
            writer.member("boot", of: boot)
            writer.member("kind", of: kind)
            writer.member("app", of: app)
            writer.member("user", of: user)
            writer.member("details", of: details)
        }
    }

    /// `Verification` of `io.waymark.Journal`.
    public struct Verification: VarlinkValue, VarlinkMembers, Equatable {
        /// `isSound`.
        public var isSound: Bool
        /// `events`.
        public var events: Int64
        /// `oldest`.
        public var oldest: Int64?
        /// `newest`.
        public var newest: Int64?
        /// Positions and dead letters whose content could not be checked, because they are locked.
        public var unchecked: Int64?
        /// Each fault found, as a sentence.
        public var findings: [String]

        /// A value of these members.
        public init(
            isSound: Bool = false,
            events: Int64 = 0,
            oldest: Int64? = nil,
            newest: Int64? = nil,
            unchecked: Int64? = nil,
            findings: [String] = []
        ) {
            self.isSound = isSound
            self.events = events
            self.oldest = oldest
            self.newest = newest
            self.unchecked = unchecked
            self.findings = findings
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            isSound = try json.optional("isSound") ?? false
            events = try json.optional("events") ?? 0
            oldest = try json.optional("oldest")
            newest = try json.optional("newest")
            unchecked = try json.optional("unchecked")
            findings = try json.optional("findings") ?? []
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("isSound", of: isSound)
            writer.member("events", of: events)
            writer.member("oldest", of: oldest)
            writer.member("newest", of: newest)
            writer.member("unchecked", of: unchecked)
            writer.member("findings", of: findings)
        }
    }

    /// Events in order of their sequence: those after a sequence number, from and until a time (s since 1970), of some
    /// kinds, about an app. An app that is no operator gets only the events about itself and of its own user; `app` may
    /// then only be its own name, and the numbers, `after` included, are those of its own events, so that they reveal
    /// nothing of others. A reply has at most `limit` events (default 1,000, at most 1,000). With `newest`, only that
    /// many of the latest.
    ///
    /// Without `more` there is one reply. With `more`, replies follow until every event has been sent, and with
    /// `follow` without end.
    public struct Read: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = JournalInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Journal.Read"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `Read`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `events`.
            public var events: [Event]
            /// Whether every event that exists now has been sent.
            public var isComplete: Bool

            /// A value of these members.
            public init(events: [Event], isComplete: Bool) {
                self.events = events
                self.isComplete = isComplete
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                events = try json.value("events")
                isComplete = try json.value("isComplete")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("events", of: events)
                writer.member("isComplete", of: isComplete)
            }
        }

        /// `after`.
        public var after: Int64?
        /// `since`.
        public var since: Double?
        /// `until`.
        public var until: Double?
        /// `kinds`.
        public var kinds: [EventKind]?
        /// `app`.
        public var app: String?
        /// `limit`.
        public var limit: Int64?
        /// `newest`.
        public var newest: Int64?
        /// `follow`.
        public var follow: Bool?

        /// A value of these members.
        public init(
            after: Int64? = nil,
            since: Double? = nil,
            until: Double? = nil,
            kinds: [EventKind]? = nil,
            app: String? = nil,
            limit: Int64? = nil,
            newest: Int64? = nil,
            follow: Bool? = nil
        ) {
            self.after = after
            self.since = since
            self.until = until
            self.kinds = kinds
            self.app = app
            self.limit = limit
            self.newest = newest
            self.follow = follow
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            after = try json.optional("after", in: 0...Int64.max)
            since = try json.optional("since", in: -126e9...126e9)
            until = try json.optional("until", in: -126e9...126e9)
            kinds = try json.optional("kinds")
            app = try json.optional("app")
            limit = try json.optional("limit", in: 1...1000)
            newest = try json.optional("newest", in: 1...1000)
            follow = try json.optional("follow")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("after", of: after)
            writer.member("since", of: since)
            writer.member("until", of: until)
            writer.member("kinds", of: kinds)
            writer.member("app", of: app)
            writer.member("limit", of: limit)
            writer.member("newest", of: newest)
            writer.member("follow", of: follow)
        }
    }

    /// Checks the whole database, and that no event is missing.
    public struct Verify: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = JournalInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Journal.Verify"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `Verify`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `verification`.
            public var verification: Verification

            /// A value of these members.
            public init(verification: Verification) {
                self.verification = verification
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                verification = try json.value("verification")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("verification", of: verification)
            }
        }

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// Writes a remark of an operator (at most 1,000 characters) and replies once it is durable.
    public struct Note: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = JournalInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Journal.Note"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `Note`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `sequence`.
            public var sequence: Int64

            /// A value of these members.
            public init(sequence: Int64) {
                self.sequence = sequence
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                sequence = try json.value("sequence")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("sequence", of: sequence)
            }
        }

        /// `text`.
        public var text: String

        /// A value of these members.
        public init(text: String) {
            self.text = text
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            text = try json.value("text")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("text", of: text)
        }
    }

    /// The kind of the event. New words may come.
    public struct EventKind: VarlinkWord {
        /// The word in a call or a reply.
        public let rawValue: String
        /// The value for any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// `serviceStarted`.
        public static var serviceStarted: Self { Self(rawValue: "serviceStarted") }
        /// `serviceStopped`.
        public static var serviceStopped: Self { Self(rawValue: "serviceStopped") }
        /// `configurationReloaded`.
        public static var configurationReloaded: Self { Self(rawValue: "configurationReloaded") }
        /// `receiverConnected`.
        public static var receiverConnected: Self { Self(rawValue: "receiverConnected") }
        /// `receiverLost`.
        public static var receiverLost: Self { Self(rawValue: "receiverLost") }
        /// `receiverStale`.
        public static var receiverStale: Self { Self(rawValue: "receiverStale") }
        /// `fixAcquired`.
        public static var fixAcquired: Self { Self(rawValue: "fixAcquired") }
        /// `fixLost`.
        public static var fixLost: Self { Self(rawValue: "fixLost") }
        /// `clockJumped`.
        public static var clockJumped: Self { Self(rawValue: "clockJumped") }
        /// `machineResumed`.
        public static var machineResumed: Self { Self(rawValue: "machineResumed") }
        /// `journalFull`.
        public static var journalFull: Self { Self(rawValue: "journalFull") }
        /// `journalDamaged`.
        public static var journalDamaged: Self { Self(rawValue: "journalDamaged") }
        /// `eventsDropped`.
        public static var eventsDropped: Self { Self(rawValue: "eventsDropped") }
        /// `note`.
        public static var note: Self { Self(rawValue: "note") }
        /// `stateRestored`.
        public static var stateRestored: Self { Self(rawValue: "stateRestored") }
        /// `stateSetAside`.
        public static var stateSetAside: Self { Self(rawValue: "stateSetAside") }
        /// `authorizationRequested`.
        public static var authorizationRequested: Self { Self(rawValue: "authorizationRequested") }
        /// `authorizationAnswered`.
        public static var authorizationAnswered: Self { Self(rawValue: "authorizationAnswered") }
        /// `authorizationChanged`.
        public static var authorizationChanged: Self { Self(rawValue: "authorizationChanged") }
        /// `authorizationReset`.
        public static var authorizationReset: Self { Self(rawValue: "authorizationReset") }
        /// `servicesOn`.
        public static var servicesOn: Self { Self(rawValue: "servicesOn") }
        /// `servicesOff`.
        public static var servicesOff: Self { Self(rawValue: "servicesOff") }
        /// `restrictionsChanged`.
        public static var restrictionsChanged: Self { Self(rawValue: "restrictionsChanged") }
        /// `appAttached`.
        public static var appAttached: Self { Self(rawValue: "appAttached") }
        /// `appInUse`.
        public static var appInUse: Self { Self(rawValue: "appInUse") }
        /// `appLeftUse`.
        public static var appLeftUse: Self { Self(rawValue: "appLeftUse") }
        /// `appDetached`.
        public static var appDetached: Self { Self(rawValue: "appDetached") }
        /// `holdBegan`.
        public static var holdBegan: Self { Self(rawValue: "holdBegan") }
        /// `holdEnded`.
        public static var holdEnded: Self { Self(rawValue: "holdEnded") }
        /// `manifestsChanged`.
        public static var manifestsChanged: Self { Self(rawValue: "manifestsChanged") }
        /// `reducedKeyRotated`.
        public static var reducedKeyRotated: Self { Self(rawValue: "reducedKeyRotated") }
        /// `userLocked`.
        public static var userLocked: Self { Self(rawValue: "userLocked") }
        /// `userUnlocked`.
        public static var userUnlocked: Self { Self(rawValue: "userUnlocked") }
        /// `agentRegistered`.
        public static var agentRegistered: Self { Self(rawValue: "agentRegistered") }
        /// `agentUnregistered`.
        public static var agentUnregistered: Self { Self(rawValue: "agentUnregistered") }
        /// `accountSuspended`.
        public static var accountSuspended: Self { Self(rawValue: "accountSuspended") }
        /// `accountRestored`.
        public static var accountRestored: Self { Self(rawValue: "accountRestored") }
        /// `accountErased`.
        public static var accountErased: Self { Self(rawValue: "accountErased") }
        /// `positionsSeen`.
        public static var positionsSeen: Self { Self(rawValue: "positionsSeen") }
        /// `networkChanged`.
        public static var networkChanged: Self { Self(rawValue: "networkChanged") }
        /// `targetChanged`.
        public static var targetChanged: Self { Self(rawValue: "targetChanged") }
        /// `recordingStarted`.
        public static var recordingStarted: Self { Self(rawValue: "recordingStarted") }
        /// `recordingStopped`.
        public static var recordingStopped: Self { Self(rawValue: "recordingStopped") }
        /// `recordingErased`.
        public static var recordingErased: Self { Self(rawValue: "recordingErased") }
        /// `regionMonitorAdded`.
        public static var regionMonitorAdded: Self { Self(rawValue: "regionMonitorAdded") }
        /// `regionMonitorRemoved`.
        public static var regionMonitorRemoved: Self { Self(rawValue: "regionMonitorRemoved") }
        /// `regionEventsErased`.
        public static var regionEventsErased: Self { Self(rawValue: "regionEventsErased") }
        /// `recordingPaused`.
        public static var recordingPaused: Self { Self(rawValue: "recordingPaused") }
        /// `recordingResumed`.
        public static var recordingResumed: Self { Self(rawValue: "recordingResumed") }
        /// `positionsDropped`.
        public static var positionsDropped: Self { Self(rawValue: "positionsDropped") }
        /// `uploadStarted`.
        public static var uploadStarted: Self { Self(rawValue: "uploadStarted") }
        /// `uploadPaused`.
        public static var uploadPaused: Self { Self(rawValue: "uploadPaused") }
        /// `uploadResumed`.
        public static var uploadResumed: Self { Self(rawValue: "uploadResumed") }
        /// `uploadSucceeded`.
        public static var uploadSucceeded: Self { Self(rawValue: "uploadSucceeded") }
        /// `uploadFailed`.
        public static var uploadFailed: Self { Self(rawValue: "uploadFailed") }
        /// `uploadRejected`.
        public static var uploadRejected: Self { Self(rawValue: "uploadRejected") }
        /// `appWoken`.
        public static var appWoken: Self { Self(rawValue: "appWoken") }
        /// `wakeDelayed`.
        public static var wakeDelayed: Self { Self(rawValue: "wakeDelayed") }
        /// `wakeFailed`.
        public static var wakeFailed: Self { Self(rawValue: "wakeFailed") }
        /// `wakingPaused`.
        public static var wakingPaused: Self { Self(rawValue: "wakingPaused") }
        /// `appForcedToQuit`.
        public static var appForcedToQuit: Self { Self(rawValue: "appForcedToQuit") }
        /// `wakingAllowed`.
        public static var wakingAllowed: Self { Self(rawValue: "wakingAllowed") }
        /// `identifierDisclosed`.
        public static var identifierDisclosed: Self { Self(rawValue: "identifierDisclosed") }
        /// `identifiersReset`.
        public static var identifiersReset: Self { Self(rawValue: "identifiersReset") }
        /// `trackingAuthorizationChanged`.
        public static var trackingAuthorizationChanged: Self { Self(rawValue: "trackingAuthorizationChanged") }
        /// `dataLocked`.
        public static var dataLocked: Self { Self(rawValue: "dataLocked") }
        /// `dataUnlocked`.
        public static var dataUnlocked: Self { Self(rawValue: "dataUnlocked") }
        /// `dataUnlockRefused`.
        public static var dataUnlockRefused: Self { Self(rawValue: "dataUnlockRefused") }
        /// `protectionChanged`.
        public static var protectionChanged: Self { Self(rawValue: "protectionChanged") }

        /// The words of this release.
        public static let known: [Self] = [
            .serviceStarted,
            .serviceStopped,
            .configurationReloaded,
            .receiverConnected,
            .receiverLost,
            .receiverStale,
            .fixAcquired,
            .fixLost,
            .clockJumped,
            .machineResumed,
            .journalFull,
            .journalDamaged,
            .eventsDropped,
            .note,
            .stateRestored,
            .stateSetAside,
            .authorizationRequested,
            .authorizationAnswered,
            .authorizationChanged,
            .authorizationReset,
            .servicesOn,
            .servicesOff,
            .restrictionsChanged,
            .appAttached,
            .appInUse,
            .appLeftUse,
            .appDetached,
            .holdBegan,
            .holdEnded,
            .manifestsChanged,
            .reducedKeyRotated,
            .userLocked,
            .userUnlocked,
            .agentRegistered,
            .agentUnregistered,
            .accountSuspended,
            .accountRestored,
            .accountErased,
            .positionsSeen,
            .networkChanged,
            .targetChanged,
            .recordingStarted,
            .recordingStopped,
            .recordingErased,
            .regionMonitorAdded,
            .regionMonitorRemoved,
            .regionEventsErased,
            .recordingPaused,
            .recordingResumed,
            .positionsDropped,
            .uploadStarted,
            .uploadPaused,
            .uploadResumed,
            .uploadSucceeded,
            .uploadFailed,
            .uploadRejected,
            .appWoken,
            .wakeDelayed,
            .wakeFailed,
            .wakingPaused,
            .appForcedToQuit,
            .wakingAllowed,
            .identifierDisclosed,
            .identifiersReset,
            .trackingAuthorizationChanged,
            .dataLocked,
            .dataUnlocked,
            .dataUnlockRefused,
            .protectionChanged,
        ]
    }

    /// The errors of the interface.
    public enum Failure: VarlinkFailure {
        /// The caller is no operator and, for Read, no app either.
        case notOperator(message: String)
        /// The journal cannot be read or written at present.
        case journalUnavailable(message: String)

        /// Reads an error of this interface; nil for another error, or where a parameter is missing.
        public init?(name: String, parameters json: JSON) {
            do throws(InvalidParameter) {
                switch name {
                case "io.waymark.Journal.NotOperator":
                    self = try .notOperator(message: json.value("message"))
                case "io.waymark.Journal.JournalUnavailable":
                    self = try .journalUnavailable(message: json.value("message"))
                default: return nil
                }
            } catch {
                return nil
            }
        }

        /// The full name.
        public var name: String {
            switch self {
            case .notOperator: "io.waymark.Journal.NotOperator"
            case .journalUnavailable: "io.waymark.Journal.JournalUnavailable"
            }
        }

        /// The sentence for a person.
        public var message: String {
            switch self {
            case .notOperator(let message): message
            case .journalUnavailable(let message): message
            }
        }

        /// Whether it means that the caller is not allowed.
        public var isRefusal: Bool {
            switch self {
            case .notOperator: true
            default: false
            }
        }

        /// Writes the parameters.
        public func writeMembers(to writer: inout JSONWriter) {
            switch self {
            case .notOperator(let message):
                writer.member("message", of: message)
            case .journalUnavailable(let message):
                writer.member("message", of: message)
            }
        }
    }

    /// Implements the methods; a reply may come at once or later. A thrown error ends the call.
    @DaemonActor
    public protocol Handler: AnyObject {
        /// Handles `Read`.
        func read(_ call: MethodCall<Read>) throws(Failure)
        /// Handles `Verify`.
        func verify(_ call: MethodCall<Verify>) throws(Failure)
        /// Handles `Note`.
        func note(_ call: MethodCall<Note>) throws(Failure)
    }

    /// Passes a call to the handler's method of its name.
    @DaemonActor
    public static func perform(_ call: Call, by handler: some Handler) {
        switch call.methodName {
        case "Read":
            call.perform(Read.self) { (call) throws(Failure) in
                try handler.read(call)
            }
        case "Verify":
            call.perform(Verify.self) { (call) throws(Failure) in
                try handler.verify(call)
            }
        case "Note":
            call.perform(Note.self) { (call) throws(Failure) in
                try handler.note(call)
            }
        default: call.fail(ServiceError.methodNotFound(call.request.method))
        }
    }
}
