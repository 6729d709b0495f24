// Made from io.waymark.Recording.varlink by `make interfaces`: change that file, not this one.

import JSONText
import Location
import NetworkPaths
import Platform
import Varlink

/// Positions that are recorded for an app, also while it does not run: as long as it may have positions, at the
/// accuracy that it may have at the time, durable, and readable at any later time.
///
/// For apps whose manifest has Record=yes and the purpose of the positions. An app has recordings under identifiers of
/// its own choice and has no access to those of others. A recording is also a queue: read after a number, acknowledge
/// up to a number; acknowledged positions are retained no longer than the configuration says.
public enum RecordingInterface: VarlinkInterface {
    /// The interface's name.
    public static let name = "io.waymark.Recording"
    /// The callers allowed for the methods, except those of `operatorMethods`.
    public static let callers = VarlinkCallers.identified
    /// The methods that only operators may call.
    public static let operatorMethods: Set<String> = []
    /// The methods that write to the disk before they reply.
    public static let durableMethods: Set<String> = [
        "Start",
        "Stop",
        "Erase",
        "Acknowledge",
        "Reject",
        "Revive",
    ]
    /// The methods that are called with `more`.
    public static let requiringMore: Set<String> = []
    /// How calls in progress are repeated after a restart; those of other methods are not.
    public static let repetitions: [String: CallRepetition] = [
        "List": .unlessSame,
        "Read": .unlessSame,
        "Acknowledge": .unlessSame,
        "ReadRejected": .unlessSame,
    ]

    /// The methods by their full names, in the order of the text.
    public enum Method: String, CaseIterable, Sendable {
        case start = "io.waymark.Recording.Start"
        case stop = "io.waymark.Recording.Stop"
        case erase = "io.waymark.Recording.Erase"
        case list = "io.waymark.Recording.List"
        case read = "io.waymark.Recording.Read"
        case acknowledge = "io.waymark.Recording.Acknowledge"
        case reject = "io.waymark.Recording.Reject"
        case readRejected = "io.waymark.Recording.ReadRejected"
        case revive = "io.waymark.Recording.Revive"
    }

    /// `Recording` of `io.waymark.Recording`.
    public struct Recording: VarlinkValue, VarlinkMembers, Equatable {
        /// Unique on this machine: the user's, the app's and the recording's own name.
        public var uid: UInt32
        /// `app`.
        public var app: String
        /// `identifier`.
        public var identifier: String
        /// An UUID that no other recording ever had; a recording that was erased and started again has another.
        public var id: RecordingID
        /// `options`.
        public var options: RecordingOptions
        /// Whether recording is on: started and not stopped.
        public var isStarted: Bool
        /// Whether positions are recorded, or why none is at present. New words may come.
        public var state: State
        /// The class of data protection with which positions are stored at present. New words may come.
        public var protection: Protection?
        /// s since 1970-01-01T00:00:00Z.
        public var startedAt: Double
        /// The largest number assigned so far, 0 for none.
        public var last: Int64
        /// Everything up to this number is acknowledged.
        public var acknowledged: Int64
        /// Stored positions that are neither acknowledged nor dead letters.
        public var waiting: Int64
        /// s since 1970-01-01T00:00:00Z: the time of the oldest of these.
        public var oldestWaiting: Double?
        /// Positions that are dead letters.
        public var deadLetters: Int64
        /// Positions dropped before they were acknowledged, because of age or size or a full disk.
        public var dropped: Int64
        /// Of a recording that an uploader sends: the positions that the destination has accepted, and those that its
        /// filter left out, as far as they are acknowledged. See Acknowledge and Revive.
        public var sent: Int64?
        /// `filtered`.
        public var filtered: Int64?

        /// A value of these members.
        public init(
            uid: UInt32,
            app: String,
            identifier: String,
            id: RecordingID,
            options: RecordingOptions,
            isStarted: Bool = false,
            state: State,
            protection: Protection? = nil,
            startedAt: Double,
            last: Int64 = 0,
            acknowledged: Int64 = 0,
            waiting: Int64 = 0,
            oldestWaiting: Double? = nil,
            deadLetters: Int64 = 0,
            dropped: Int64 = 0,
            sent: Int64? = nil,
            filtered: Int64? = nil
        ) {
            self.uid = uid
            self.app = app
            self.identifier = identifier
            self.id = id
            self.options = options
            self.isStarted = isStarted
            self.state = state
            self.protection = protection
            self.startedAt = startedAt
            self.last = last
            self.acknowledged = acknowledged
            self.waiting = waiting
            self.oldestWaiting = oldestWaiting
            self.deadLetters = deadLetters
            self.dropped = dropped
            self.sent = sent
            self.filtered = filtered
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            uid = try json.value("uid")
            app = try json.value("app")
            identifier = try json.value("identifier")
            id = try json.value("id")
            options = try json.value("options")
            isStarted = try json.optional("isStarted") ?? false
            state = try json.value("state")
            protection = try json.optional("protection")
            startedAt = try json.value("startedAt")
            last = try json.optional("last") ?? 0
            acknowledged = try json.optional("acknowledged") ?? 0
            waiting = try json.optional("waiting") ?? 0
            oldestWaiting = try json.optional("oldestWaiting")
            deadLetters = try json.optional("deadLetters") ?? 0
            dropped = try json.optional("dropped") ?? 0
            sent = try json.optional("sent")
            filtered = try json.optional("filtered")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("uid", of: uid)
            writer.member("app", of: app)
            writer.member("identifier", of: identifier)
            writer.member("id", of: id)
            writer.member("options", of: options)
            writer.member("isStarted", of: isStarted)
            writer.member("state", of: state)
            writer.member("protection", of: protection)
            writer.member("startedAt", of: startedAt)
            writer.member("last", of: last)
            writer.member("acknowledged", of: acknowledged)
            writer.member("waiting", of: waiting)
            writer.member("oldestWaiting", of: oldestWaiting)
            writer.member("deadLetters", of: deadLetters)
            writer.member("dropped", of: dropped)
            writer.member("sent", of: sent)
            writer.member("filtered", of: filtered)
        }
    }

    /// `Point` of `io.waymark.Recording`.
    public struct Point: VarlinkReadable, Equatable {
        /// 1 or more, larger for later positions.
        public var sequence: Int64
        /// `position`.
        public var position: Position

        /// A value of these members.
        public init(sequence: Int64, position: Position) {
            self.sequence = sequence
            self.position = position
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            sequence = try json.value("sequence")
            position = try json.value("position")
        }
    }

    /// `DeadLetter` of `io.waymark.Recording`.
    public struct DeadLetter: VarlinkReadable, Equatable {
        /// `sequence`.
        public var sequence: Int64
        /// `position`.
        public var position: Position
        /// The destination's response: its status, and the beginning of its text.
        public var status: Int64
        /// `message`.
        public var message: String
        /// s since 1970-01-01T00:00:00Z.
        public var rejectedAt: Double

        /// A value of these members.
        public init(sequence: Int64, position: Position, status: Int64, message: String, rejectedAt: Double) {
            self.sequence = sequence
            self.position = position
            self.status = status
            self.message = message
            self.rejectedAt = rejectedAt
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            sequence = try json.value("sequence")
            position = try json.value("position")
            status = try json.value("status")
            message = try json.value("message")
            rejectedAt = try json.value("rejectedAt")
        }
    }

    /// Begins to record under an identifier, or continues, with these options; earlier positions are retained. An
    /// identifier is 1 to 128 letters, digits and . _ -, and does not begin with a dot. Durable before the reply. An
    /// app that may not have positions yet can call it too: it is recorded as soon as it may, and the state says what
    /// is missing.
    public struct Start: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = RecordingInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Recording.Start"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `Start`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `recording`.
            public var recording: Recording

            /// A value of these members.
            public init(recording: Recording) {
                self.recording = recording
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                recording = try json.value("recording")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("recording", of: recording)
            }
        }

        /// `identifier`.
        public var identifier: String
        /// `options`.
        public var options: RecordingOptions?

        /// A value of these members.
        public init(identifier: String, options: RecordingOptions? = nil) {
            self.identifier = identifier
            self.options = options
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            identifier = try json.value("identifier")
            options = try json.optional("options")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("identifier", of: identifier)
            writer.member("options", of: options)
        }
    }

    /// Stops recording. Recorded positions are retained until they are acknowledged.
    public struct Stop: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = RecordingInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Recording.Stop"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `Stop`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `recording`.
            public var recording: Recording

            /// A value of these members.
            public init(recording: Recording) {
                self.recording = recording
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                recording = try json.value("recording")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("recording", of: recording)
            }
        }

        /// `identifier`.
        public var identifier: String

        /// A value of these members.
        public init(identifier: String) {
            self.identifier = identifier
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            identifier = try json.value("identifier")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("identifier", of: identifier)
        }
    }

    /// Ends a recording and erases all of it, dead letters included. Operators may name that of another: app, and uid
    /// where several users have that app.
    public struct Erase: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = RecordingInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Recording.Erase"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `Erase`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `erased`.
            public var erased: Int64

            /// A value of these members.
            public init(erased: Int64) {
                self.erased = erased
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                erased = try json.value("erased")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("erased", of: erased)
            }
        }

        /// `identifier`.
        public var identifier: String
        /// `app`.
        public var app: String?
        /// `uid`.
        public var uid: UInt32?

        /// A value of these members.
        public init(identifier: String, app: String? = nil, uid: UInt32? = nil) {
            self.identifier = identifier
            self.app = app
            self.uid = uid
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            identifier = try json.value("identifier")
            app = try json.optional("app")
            uid = try json.optional("uid")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("identifier", of: identifier)
            writer.member("app", of: app)
            writer.member("uid", of: uid)
        }
    }

    /// The caller's recordings; an operator's program that is no app gets those of everybody. Never a position.
    public struct List: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = RecordingInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Recording.List"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `List`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `recordings`.
            public var recordings: [Recording]

            /// A value of these members.
            public init(recordings: [Recording]) {
                self.recordings = recordings
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                recordings = try json.value("recordings")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("recordings", of: recordings)
            }
        }

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// The positions with the smallest numbers larger than after, at most limit (default 200, at most 1000), without
    /// dead letters. Where there is none and wait is set, the reply comes with the next position recorded; while a
    /// reader waits, positions are made durable at once. last is the largest number in the recording. With `more` and
    /// wait the replies continue, each where the one before ended. An app that is not in use may read what was
    /// recorded. An app that may have no positions at all gets the error of io.waymark.Location that says why; this
    /// applies to ReadRejected and to a waiting reader too, and also while a restriction forbids recording
    /// (Restricted). Positions of full accuracy are withheld while a restriction forbids full accuracy, or while the
    /// app has reduced accuracy and its manifest has RecordedAccuracy=present: a reply ends before the first of them, a
    /// read that begins with one fails with Withheld, and a waiting reader fails when the condition begins. Withheld
    /// positions are not lost. Where the next position is sealed with a class that cannot be read while the data is
    /// locked, the read fails with ProtectedDataUnavailable; with wait it continues by itself when the data is
    /// unlocked. A reader that waits after 9223372036854775807 gets nothing but errors.
    public struct Read: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = RecordingInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Recording.Read"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `Read`.
        public struct Reply: VarlinkReadable, Equatable {
            /// `id`.
            public var id: RecordingID
            /// `points`.
            public var points: [Point]
            /// `last`.
            public var last: Int64
            /// `acknowledged`.
            public var acknowledged: Int64

            /// A value of these members.
            public init(id: RecordingID, points: [Point], last: Int64, acknowledged: Int64) {
                self.id = id
                self.points = points
                self.last = last
                self.acknowledged = acknowledged
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                id = try json.value("id")
                points = try json.value("points")
                last = try json.value("last")
                acknowledged = try json.value("acknowledged")
            }
        }

        /// `identifier`.
        public var identifier: String
        /// `after`.
        public var after: Int64
        /// `limit`.
        public var limit: Int64?
        /// `wait`.
        public var wait: Bool?

        /// A value of these members.
        public init(identifier: String, after: Int64, limit: Int64? = nil, wait: Bool? = nil) {
            self.identifier = identifier
            self.after = after
            self.limit = limit
            self.wait = wait
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            identifier = try json.value("identifier")
            after = try json.value("after", in: 0...Int64.max)
            limit = try json.optional("limit", in: 1...1000)
            wait = try json.optional("wait")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("identifier", of: identifier)
            writer.member("after", of: after)
            writer.member("limit", of: limit)
            writer.member("wait", of: wait)
        }
    }

    /// Confirms that everything up to this number has reached its destination; the cursor never moves back. Durable
    /// before the reply. An uploader also reports how many positions from the present cursor up to this number the
    /// destination has accepted (sent), and how many its filter has left out (filtered). Both are added to the counts
    /// of the recording when the cursor moves, in the same transaction, and together are never more than the cursor
    /// moves.
    public struct Acknowledge: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = RecordingInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Recording.Acknowledge"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `Acknowledge`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `acknowledged`.
            public var acknowledged: Int64

            /// A value of these members.
            public init(acknowledged: Int64) {
                self.acknowledged = acknowledged
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                acknowledged = try json.value("acknowledged")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("acknowledged", of: acknowledged)
            }
        }

        /// `identifier`.
        public var identifier: String
        /// `upTo`.
        public var upTo: Int64
        /// `sent`.
        public var sent: Int64?
        /// `filtered`.
        public var filtered: Int64?

        /// A value of these members.
        public init(identifier: String, upTo: Int64, sent: Int64? = nil, filtered: Int64? = nil) {
            self.identifier = identifier
            self.upTo = upTo
            self.sent = sent
            self.filtered = filtered
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            identifier = try json.value("identifier")
            upTo = try json.value("upTo", in: 0...Int64.max)
            sent = try json.optional("sent", in: 0...Int64.max)
            filtered = try json.optional("filtered", in: 0...Int64.max)
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("identifier", of: identifier)
            writer.member("upTo", of: upTo)
            writer.member("sent", of: sent)
            writer.member("filtered", of: filtered)
        }
    }

    /// Reports that the destination does not accept this position: from now on it is a dead letter, and not read with
    /// the others. Durable before the reply.
    public struct Reject: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = RecordingInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Recording.Reject"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply has no members: it confirms that the call is done.
        public typealias Reply = EmptyReply

        /// `identifier`.
        public var identifier: String
        /// `sequence`.
        public var sequence: Int64
        /// `status`.
        public var status: Int64
        /// `message`.
        public var message: String

        /// A value of these members.
        public init(identifier: String, sequence: Int64, status: Int64, message: String) {
            self.identifier = identifier
            self.sequence = sequence
            self.status = status
            self.message = message
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            identifier = try json.value("identifier")
            sequence = try json.value("sequence", in: 1...Int64.max)
            status = try json.value("status", in: -999_999...999_999)
            message = try json.value("message")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("identifier", of: identifier)
            writer.member("sequence", of: sequence)
            writer.member("status", of: status)
            writer.member("message", of: message)
        }
    }

    /// Dead letters with numbers larger than after, at most limit (default 16, at most 200). They are retained until
    /// they are revived or erased, even when they are acknowledged. An operator's program that is no app may name an
    /// app, and uid where several users have that app, to find out what a destination rejects; the access is counted as
    /// positions that an operator saw.
    public struct ReadRejected: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = RecordingInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Recording.ReadRejected"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `ReadRejected`.
        public struct Reply: VarlinkReadable, Equatable {
            /// `deadLetters`.
            public var deadLetters: [DeadLetter]

            /// A value of these members.
            public init(deadLetters: [DeadLetter]) {
                self.deadLetters = deadLetters
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                deadLetters = try json.value("deadLetters")
            }
        }

        /// `identifier`.
        public var identifier: String
        /// `after`.
        public var after: Int64
        /// `limit`.
        public var limit: Int64?
        /// `app`.
        public var app: String?
        /// `uid`.
        public var uid: UInt32?

        /// A value of these members.
        public init(identifier: String, after: Int64, limit: Int64? = nil, app: String? = nil, uid: UInt32? = nil) {
            self.identifier = identifier
            self.after = after
            self.limit = limit
            self.app = app
            self.uid = uid
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            identifier = try json.value("identifier")
            after = try json.value("after", in: 0...Int64.max)
            limit = try json.optional("limit", in: 1...200)
            app = try json.optional("app")
            uid = try json.optional("uid")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("identifier", of: identifier)
            writer.member("after", of: after)
            writer.member("limit", of: limit)
            writer.member("app", of: app)
            writer.member("uid", of: uid)
        }
    }

    /// Reports that the destination has accepted a dead letter after all: erases it, and counts it as sent. Durable
    /// before the reply.
    public struct Revive: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = RecordingInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Recording.Revive"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply has no members: it confirms that the call is done.
        public typealias Reply = EmptyReply

        /// `identifier`.
        public var identifier: String
        /// `sequence`.
        public var sequence: Int64

        /// A value of these members.
        public init(identifier: String, sequence: Int64) {
            self.identifier = identifier
            self.sequence = sequence
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            identifier = try json.value("identifier")
            sequence = try json.value("sequence", in: 1...Int64.max)
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("identifier", of: identifier)
            writer.member("sequence", of: sequence)
        }
    }

    /// Whether positions are recorded, or why none is at present. New words may come.
    public struct State: VarlinkWord {
        /// The word in a call or a reply.
        public let rawValue: String
        /// The value for any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Every position that is due is recorded.
        public static var recording: Self { Self(rawValue: "recording") }
        /// The app stopped it.
        public static var stopped: Self { Self(rawValue: "stopped") }
        /// The app was denied positions.
        public static var denied: Self { Self(rawValue: "denied") }
        /// Location services are off.
        public static var deniedGlobally: Self { Self(rawValue: "deniedGlobally") }
        /// a restriction of the machine forbids it.
        public static var restricted: Self { Self(rawValue: "restricted") }
        /// Nobody has decided about the app.
        public static var notDetermined: Self { Self(rawValue: "notDetermined") }
        /// The app may have positions only while it is in use.
        public static var notInUse: Self { Self(rawValue: "notInUse") }
        /// Always is provisional, and not confirmed yet.
        public static var alwaysUnconfirmed: Self { Self(rawValue: "alwaysUnconfirmed") }
        /// No manifest matches the app.
        public static var manifestMissing: Self { Self(rawValue: "manifestMissing") }
        /// The manifest has no Record=yes.
        public static var notAllowed: Self { Self(rawValue: "notAllowed") }
        /// There is no position.
        public static var locationUnavailable: Self { Self(rawValue: "locationUnavailable") }
        /// The journal cannot store positions.
        public static var journalUnavailable: Self { Self(rawValue: "journalUnavailable") }
        /// Positions of this class cannot be stored while the data is locked.
        public static var protectedDataUnavailable: Self { Self(rawValue: "protectedDataUnavailable") }

        /// The words of this release.
        public static let known: [Self] = [
            .recording,
            .stopped,
            .denied,
            .deniedGlobally,
            .restricted,
            .notDetermined,
            .notInUse,
            .alwaysUnconfirmed,
            .manifestMissing,
            .notAllowed,
            .locationUnavailable,
            .journalUnavailable,
            .protectedDataUnavailable,
        ]
    }

    /// The class of data protection with which positions are stored at present. New words may come.
    public struct Protection: VarlinkWord {
        /// The word in a call or a reply.
        public let rawValue: String
        /// The value for any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Sealed with the machine's secret alone.
        public static var none: Self { Self(rawValue: "none") }
        /// Written and read from the first unlock after the start on.
        public static var completeUntilFirstUnlock: Self { Self(rawValue: "completeUntilFirstUnlock") }
        /// Written always, read while the data is unlocked.
        public static var completeUnlessOpen: Self { Self(rawValue: "completeUnlessOpen") }
        /// Written and read while the data is unlocked.
        public static var complete: Self { Self(rawValue: "complete") }

        /// The words of this release.
        public static let known: [Self] = [
            .none,
            .completeUntilFirstUnlock,
            .completeUnlessOpen,
            .complete,
        ]
    }

    /// The errors of the interface.
    public enum Failure: VarlinkFailure {
        /// The caller is no app, or an app that may not record: the message says why and what to do.
        case notAllowed(message: String)
        /// The caller has no recording of this identifier.
        case noSuchRecording(identifier: String, message: String)
        /// The recording has no such position.
        case noSuchPosition(sequence: Int64, message: String)
        /// More than one app or user has a recording of this identifier: the call needs app or uid.
        case appNeeded(message: String)
        /// The identifier is not valid.
        case invalidIdentifier(message: String)
        /// The app has as many recordings as it may have.
        case tooManyRecordings(message: String)
        /// The change could not be stored, or the data not be read: the disk is full or broken. Nothing was changed.
        case journalUnavailable(message: String)
        /// The data is sealed with a class of data protection that cannot be read at present. It is retained.
        case protectedDataUnavailable(message: String)
        /// Not an operator.
        case notOperator(message: String)
        /// The next position is more exact than the app may have now. It is retained and cannot be read at present.
        case withheld(message: String)

        /// Reads an error of this interface; nil for another error, or where a parameter is missing.
        public init?(name: String, parameters json: JSON) {
            do throws(InvalidParameter) {
                switch name {
                case "io.waymark.Recording.NotAllowed":
                    self = try .notAllowed(message: json.value("message"))
                case "io.waymark.Recording.NoSuchRecording":
                    self = try .noSuchRecording(identifier: json.value("identifier"), message: json.value("message"))
                case "io.waymark.Recording.NoSuchPosition":
                    self = try .noSuchPosition(sequence: json.value("sequence"), message: json.value("message"))
                case "io.waymark.Recording.AppNeeded":
                    self = try .appNeeded(message: json.value("message"))
                case "io.waymark.Recording.InvalidIdentifier":
                    self = try .invalidIdentifier(message: json.value("message"))
                case "io.waymark.Recording.TooManyRecordings":
                    self = try .tooManyRecordings(message: json.value("message"))
                case "io.waymark.Recording.JournalUnavailable":
                    self = try .journalUnavailable(message: json.value("message"))
                case "io.waymark.Recording.ProtectedDataUnavailable":
                    self = try .protectedDataUnavailable(message: json.value("message"))
                case "io.waymark.Recording.NotOperator":
                    self = try .notOperator(message: json.value("message"))
                case "io.waymark.Recording.Withheld":
                    self = try .withheld(message: json.value("message"))
                default: return nil
                }
            } catch {
                return nil
            }
        }

        /// The full name.
        public var name: String {
            switch self {
            case .notAllowed: "io.waymark.Recording.NotAllowed"
            case .noSuchRecording: "io.waymark.Recording.NoSuchRecording"
            case .noSuchPosition: "io.waymark.Recording.NoSuchPosition"
            case .appNeeded: "io.waymark.Recording.AppNeeded"
            case .invalidIdentifier: "io.waymark.Recording.InvalidIdentifier"
            case .tooManyRecordings: "io.waymark.Recording.TooManyRecordings"
            case .journalUnavailable: "io.waymark.Recording.JournalUnavailable"
            case .protectedDataUnavailable: "io.waymark.Recording.ProtectedDataUnavailable"
            case .notOperator: "io.waymark.Recording.NotOperator"
            case .withheld: "io.waymark.Recording.Withheld"
            }
        }

        /// The sentence for a person.
        public var message: String {
            switch self {
            case .notAllowed(let message): message
            case .noSuchRecording(_, let message): message
            case .noSuchPosition(_, let message): message
            case .appNeeded(let message): message
            case .invalidIdentifier(let message): message
            case .tooManyRecordings(let message): message
            case .journalUnavailable(let message): message
            case .protectedDataUnavailable(let message): message
            case .notOperator(let message): message
            case .withheld(let message): message
            }
        }

        /// Whether it means that the caller is not allowed.
        public var isRefusal: Bool {
            switch self {
            case .notAllowed: true
            case .notOperator: true
            case .withheld: true
            default: false
            }
        }

        /// Writes the parameters.
        public func writeMembers(to writer: inout JSONWriter) {
            switch self {
            case .notAllowed(let message):
                writer.member("message", of: message)
            case .noSuchRecording(let identifier, let message):
                writer.member("identifier", of: identifier)
                writer.member("message", of: message)
            case .noSuchPosition(let sequence, let message):
                writer.member("sequence", of: sequence)
                writer.member("message", of: message)
            case .appNeeded(let message):
                writer.member("message", of: message)
            case .invalidIdentifier(let message):
                writer.member("message", of: message)
            case .tooManyRecordings(let message):
                writer.member("message", of: message)
            case .journalUnavailable(let message):
                writer.member("message", of: message)
            case .protectedDataUnavailable(let message):
                writer.member("message", of: message)
            case .notOperator(let message):
                writer.member("message", of: message)
            case .withheld(let message):
                writer.member("message", of: message)
            }
        }
    }

    /// Implements the methods; a reply may come at once or later. A thrown error ends the call.
    @DaemonActor
    public protocol Handler: AnyObject {
        /// Handles `Start`.
        func start(_ call: MethodCall<Start>) throws(Failure)
        /// Handles `Stop`.
        func stop(_ call: MethodCall<Stop>) throws(Failure)
        /// Handles `Erase`.
        func erase(_ call: MethodCall<Erase>) throws(Failure)
        /// Handles `List`.
        func list(_ call: MethodCall<List>) throws(Failure)
        /// Handles `Read`.
        func read(_ call: MethodCall<Read>) throws(Failure)
        /// Handles `Acknowledge`.
        func acknowledge(_ call: MethodCall<Acknowledge>) throws(Failure)
        /// Handles `Reject`.
        func reject(_ call: MethodCall<Reject>) throws(Failure)
        /// Handles `ReadRejected`.
        func readRejected(_ call: MethodCall<ReadRejected>) throws(Failure)
        /// Handles `Revive`.
        func revive(_ call: MethodCall<Revive>) throws(Failure)
    }

    /// Passes a call to the handler's method of its name.
    @DaemonActor
    public static func perform(_ call: Call, by handler: some Handler) {
        switch call.methodName {
        case "Start":
            call.perform(Start.self) { (call) throws(Failure) in
                try handler.start(call)
            }
        case "Stop":
            call.perform(Stop.self) { (call) throws(Failure) in
                try handler.stop(call)
            }
        case "Erase":
            call.perform(Erase.self) { (call) throws(Failure) in
                try handler.erase(call)
            }
        case "List":
            call.perform(List.self) { (call) throws(Failure) in
                try handler.list(call)
            }
        case "Read":
            call.perform(Read.self) { (call) throws(Failure) in
                try handler.read(call)
            }
        case "Acknowledge":
            call.perform(Acknowledge.self) { (call) throws(Failure) in
                try handler.acknowledge(call)
            }
        case "Reject":
            call.perform(Reject.self) { (call) throws(Failure) in
                try handler.reject(call)
            }
        case "ReadRejected":
            call.perform(ReadRejected.self) { (call) throws(Failure) in
                try handler.readRejected(call)
            }
        case "Revive":
            call.perform(Revive.self) { (call) throws(Failure) in
                try handler.revive(call)
            }
        default: call.fail(ServiceError.methodNotFound(call.request.method))
        }
    }
}
