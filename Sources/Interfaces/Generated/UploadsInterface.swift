// Made from io.waymark.Uploads.varlink by `make interfaces`: change that file, not this one.

import JSONText
import Location
import NetworkPaths
import Platform
import Varlink

/// The uploaders, which send recordings to their destinations: their state, and the operators' commands to them.
public enum UploadsInterface: VarlinkInterface {
    /// The interface's name.
    public static let name = "io.waymark.Uploads"
    /// The callers allowed for the methods, except those of `operatorMethods`.
    public static let callers = VarlinkCallers.identified
    /// The methods that only operators may call.
    public static let operatorMethods: Set<String> = [
        "Pause",
        "Resume",
        "Flush",
        "RetryRejected",
    ]
    /// The methods that write to the disk before they reply.
    public static let durableMethods: Set<String> = []
    /// The methods that are called with `more`.
    public static let requiringMore: Set<String> = [
        "Attach",
        "Monitor",
    ]
    /// How calls in progress are repeated after a restart; those of other methods are not.
    public static let repetitions: [String: CallRepetition] = [
        "Attach": .unlessSame,
        "Report": .unlessSame,
        "List": .unlessSame,
        "Monitor": .unlessSame,
    ]

    /// The methods by their full names, in the order of the text.
    public enum Method: String, CaseIterable, Sendable {
        case attach = "io.waymark.Uploads.Attach"
        case report = "io.waymark.Uploads.Report"
        case list = "io.waymark.Uploads.List"
        case monitor = "io.waymark.Uploads.Monitor"
        case pause = "io.waymark.Uploads.Pause"
        case resume = "io.waymark.Uploads.Resume"
        case flush = "io.waymark.Uploads.Flush"
        case retryRejected = "io.waymark.Uploads.RetryRejected"
    }

    /// What an uploader does about the regions of its destination, since it started. Never a name or a place of one.
    public struct RegionMessages: VarlinkValue, VarlinkMembers, Equatable {
        /// New words may come.
        public var state: RegionsState
        /// The reason and the next step, a sentence for a person.
        public var message: String?
        /// In the file of the destination.
        public var regions: Int64
        /// Messages that the destination has accepted.
        public var sent: Int64
        /// Waypoints and events that are pending.
        public var pending: Int64
        /// Events of which there is no message.
        public var skipped: Int64
        /// Messages that the destination has refused for good.
        public var refused: Int64

        /// A value of these members.
        public init(
            state: RegionsState,
            message: String? = nil,
            regions: Int64 = 0,
            sent: Int64 = 0,
            pending: Int64 = 0,
            skipped: Int64 = 0,
            refused: Int64 = 0
        ) {
            self.state = state
            self.message = message
            self.regions = regions
            self.sent = sent
            self.pending = pending
            self.skipped = skipped
            self.refused = refused
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            state = try json.value("state")
            message = try json.optional("message")
            regions = try json.optional("regions") ?? 0
            sent = try json.optional("sent") ?? 0
            pending = try json.optional("pending") ?? 0
            skipped = try json.optional("skipped") ?? 0
            refused = try json.optional("refused") ?? 0
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("state", of: state)
            writer.member("message", of: message)
            writer.member("regions", of: regions)
            writer.member("sent", of: sent)
            writer.member("pending", of: pending)
            writer.member("skipped", of: skipped)
            writer.member("refused", of: refused)
        }
    }

    /// `Upload` of `io.waymark.Uploads`.
    public struct Upload: VarlinkValue, VarlinkMembers, Equatable {
        /// The recording's identifier, which is the destination's name.
        public var name: String
        /// `app`.
        public var app: String
        /// `uid`.
        public var uid: UInt32
        /// Whether the uploader runs and is connected.
        public var isRunning: Bool
        /// `isPaused`.
        public var isPaused: Bool
        /// `status`.
        public var status: UploadStatus
        /// Of the recording.
        public var waiting: Int64
        /// s since 1970-01-01T00:00:00Z.
        public var oldestWaiting: Double?
        /// `deadLetters`.
        public var deadLetters: Int64
        /// `dropped`.
        public var dropped: Int64

        /// A value of these members.
        public init(
            name: String,
            app: String,
            uid: UInt32,
            isRunning: Bool = false,
            isPaused: Bool = false,
            status: UploadStatus,
            waiting: Int64 = 0,
            oldestWaiting: Double? = nil,
            deadLetters: Int64 = 0,
            dropped: Int64 = 0
        ) {
            self.name = name
            self.app = app
            self.uid = uid
            self.isRunning = isRunning
            self.isPaused = isPaused
            self.status = status
            self.waiting = waiting
            self.oldestWaiting = oldestWaiting
            self.deadLetters = deadLetters
            self.dropped = dropped
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            name = try json.value("name")
            app = try json.value("app")
            uid = try json.value("uid")
            isRunning = try json.optional("isRunning") ?? false
            isPaused = try json.optional("isPaused") ?? false
            status = try json.value("status")
            waiting = try json.optional("waiting") ?? 0
            oldestWaiting = try json.optional("oldestWaiting")
            deadLetters = try json.optional("deadLetters") ?? 0
            dropped = try json.optional("dropped") ?? 0
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("name", of: name)
            writer.member("app", of: app)
            writer.member("uid", of: uid)
            writer.member("isRunning", of: isRunning)
            writer.member("isPaused", of: isPaused)
            writer.member("status", of: status)
            writer.member("waiting", of: waiting)
            writer.member("oldestWaiting", of: oldestWaiting)
            writer.member("deadLetters", of: deadLetters)
            writer.member("dropped", of: dropped)
        }
    }

    /// For an uploader: its commands, at once and whenever an operator gives one. The first reply has no command. One
    /// call for each recording, which need not exist yet: the uploader reports with Report why it has not started.
    /// Needs `more`.
    public struct Attach: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = UploadsInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Uploads.Attach"
        /// Whether it is called with `more`.
        public static let needsMore = true

        /// The reply of `Attach`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// flush: send what is pending now; retryRejected: try dead letters once more; absent where only isPaused
            /// has changed.
            public var command: String?
            /// `isPaused`.
            public var isPaused: Bool

            /// A value of these members.
            public init(command: String? = nil, isPaused: Bool) {
                self.command = command
                self.isPaused = isPaused
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                command = try json.optional("command")
                isPaused = try json.value("isPaused")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("command", of: command)
                writer.member("isPaused", of: isPaused)
            }
        }

        /// `name`.
        public var name: String

        /// A value of these members.
        public init(name: String) {
            self.name = name
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            name = try json.value("name")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("name", of: name)
        }
    }

    /// For an uploader: reports its state. A change of state is recorded in the journal.
    public struct Report: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = UploadsInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Uploads.Report"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply has no members: it confirms that the call is done.
        public typealias Reply = EmptyReply

        /// `name`.
        public var name: String
        /// `status`.
        public var status: UploadStatus

        /// A value of these members.
        public init(name: String, status: UploadStatus) {
            self.name = name
            self.status = status
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            name = try json.value("name")
            status = try json.value("status")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("name", of: name)
            writer.member("status", of: status)
        }
    }

    /// The state of every uploader; an app's program gets its own.
    public struct List: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = UploadsInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Uploads.List"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `List`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `uploads`.
            public var uploads: [Upload]

            /// A value of these members.
            public init(uploads: [Upload]) {
                self.uploads = uploads
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                uploads = try json.value("uploads")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("uploads", of: uploads)
            }
        }

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// The same at once, and each upload that has changed, at most twice a second. Needs `more`.
    public struct Monitor: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = UploadsInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Uploads.Monitor"
        /// Whether it is called with `more`.
        public static let needsMore = true

        /// The reply of `Monitor`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `uploads`.
            public var uploads: [Upload]

            /// A value of these members.
            public init(uploads: [Upload]) {
                self.uploads = uploads
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                uploads = try json.value("uploads")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("uploads", of: uploads)
            }
        }

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// Stops sending until Resume, across restarts too. For operators; app and uid where more than one has that name.
    public struct Pause: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = UploadsInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Uploads.Pause"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `Pause`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `upload`.
            public var upload: Upload

            /// A value of these members.
            public init(upload: Upload) {
                self.upload = upload
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                upload = try json.value("upload")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("upload", of: upload)
            }
        }

        /// `name`.
        public var name: String
        /// `app`.
        public var app: String?
        /// `uid`.
        public var uid: UInt32?

        /// A value of these members.
        public init(name: String, app: String? = nil, uid: UInt32? = nil) {
            self.name = name
            self.app = app
            self.uid = uid
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            name = try json.value("name")
            app = try json.optional("app")
            uid = try json.optional("uid")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("name", of: name)
            writer.member("app", of: app)
            writer.member("uid", of: uid)
        }
    }

    /// Resumes sending at once.
    public struct Resume: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = UploadsInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Uploads.Resume"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `Resume`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `upload`.
            public var upload: Upload

            /// A value of these members.
            public init(upload: Upload) {
                self.upload = upload
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                upload = try json.value("upload")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("upload", of: upload)
            }
        }

        /// `name`.
        public var name: String
        /// `app`.
        public var app: String?
        /// `uid`.
        public var uid: UInt32?

        /// A value of these members.
        public init(name: String, app: String? = nil, uid: UInt32? = nil) {
            self.name = name
            self.app = app
            self.uid = uid
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            name = try json.value("name")
            app = try json.optional("app")
            uid = try json.optional("uid")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("name", of: name)
            writer.member("app", of: app)
            writer.member("uid", of: uid)
        }
    }

    /// Sends what is pending now, whatever the path costs and however long it was to be deferred.
    public struct Flush: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = UploadsInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Uploads.Flush"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `Flush`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `upload`.
            public var upload: Upload

            /// A value of these members.
            public init(upload: Upload) {
                self.upload = upload
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                upload = try json.value("upload")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("upload", of: upload)
            }
        }

        /// `name`.
        public var name: String
        /// `app`.
        public var app: String?
        /// `uid`.
        public var uid: UInt32?

        /// A value of these members.
        public init(name: String, app: String? = nil, uid: UInt32? = nil) {
            self.name = name
            self.app = app
            self.uid = uid
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            name = try json.value("name")
            app = try json.optional("app")
            uid = try json.optional("uid")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("name", of: name)
            writer.member("app", of: app)
            writer.member("uid", of: uid)
        }
    }

    /// Tries the dead letters once more.
    public struct RetryRejected: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = UploadsInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Uploads.RetryRejected"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `RetryRejected`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `upload`.
            public var upload: Upload

            /// A value of these members.
            public init(upload: Upload) {
                self.upload = upload
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                upload = try json.value("upload")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("upload", of: upload)
            }
        }

        /// `name`.
        public var name: String
        /// `app`.
        public var app: String?
        /// `uid`.
        public var uid: UInt32?

        /// A value of these members.
        public init(name: String, app: String? = nil, uid: UInt32? = nil) {
            self.name = name
            self.app = app
            self.uid = uid
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            name = try json.value("name")
            app = try json.optional("app")
            uid = try json.optional("uid")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("name", of: name)
            writer.member("app", of: app)
            writer.member("uid", of: uid)
        }
    }

    /// New words may come.
    public struct RegionsState: VarlinkWord {
        /// The word in a call or a reply.
        public let rawValue: String
        /// The value for any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Their events are sent.
        public static var monitored: Self { Self(rawValue: "monitored") }
        /// The daemon sends no events at present.
        public static var withheld: Self { Self(rawValue: "withheld") }
        /// The file of the regions cannot be used.
        public static var unusable: Self { Self(rawValue: "unusable") }
        /// The destination refuses a message about a region.
        public static var refused: Self { Self(rawValue: "refused") }

        /// The words of this release.
        public static let known: [Self] = [
            .monitored,
            .withheld,
            .unusable,
            .refused,
        ]
    }

    /// What the uploader does. New words may come.
    public struct State: VarlinkWord {
        /// The word in a call or a reply.
        public let rawValue: String
        /// The value for any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// No position is pending.
        public static var idle: Self { Self(rawValue: "idle") }
        /// The recording cannot be read yet.
        public static var waitingForRecording: Self { Self(rawValue: "waitingForRecording") }
        /// There is no route to the destination.
        public static var waitingForPath: Self { Self(rawValue: "waitingForPath") }
        /// The only route is expensive or constrained.
        public static var deferred: Self { Self(rawValue: "deferred") }
        /// Positions are being sent.
        public static var sending: Self { Self(rawValue: "sending") }
        /// Sending failed, and is attempted again later.
        public static var backingOff: Self { Self(rawValue: "backingOff") }
        /// Sending fails until somebody changes something.
        public static var blocked: Self { Self(rawValue: "blocked") }
        /// An operator has paused it.
        public static var paused: Self { Self(rawValue: "paused") }

        /// The words of this release.
        public static let known: [Self] = [
            .idle,
            .waitingForRecording,
            .waitingForPath,
            .deferred,
            .sending,
            .backingOff,
            .blocked,
            .paused,
        ]
    }

    /// The reason for the state. Of waitingForPath also the reasons of io.waymark.Reachability. New words may come.
    public struct Reason: VarlinkWord {
        /// The word in a call or a reply.
        public let rawValue: String
        /// The value for any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// deferred, because the route costs money.
        public static var expensive: Self { Self(rawValue: "expensive") }
        /// deferred, because as little as possible should be sent over the route.
        public static var constrained: Self { Self(rawValue: "constrained") }
        /// backingOff, because the destination's name cannot be resolved.
        public static var nameLookup: Self { Self(rawValue: "nameLookup") }
        /// backingOff, because the connection was not accepted.
        public static var connect: Self { Self(rawValue: "connect") }
        /// backingOff, because no secure connection can be established.
        public static var tls: Self { Self(rawValue: "tls") }
        /// backingOff, because the connection was closed before a response.
        public static var connectionLost: Self { Self(rawValue: "connectionLost") }
        /// backingOff, because there was no response in time.
        public static var timedOut: Self { Self(rawValue: "timedOut") }
        /// backingOff, because the destination cannot accept positions now.
        public static var status: Self { Self(rawValue: "status") }
        /// backingOff, because another server responds, such as a portal.
        public static var captive: Self { Self(rawValue: "captive") }
        /// backingOff, because the response did not confirm the positions.
        public static var wrongAnswer: Self { Self(rawValue: "wrongAnswer") }
        /// backingOff, because the destination rejects the positions.
        public static var refused: Self { Self(rawValue: "refused") }
        /// BackingOff or blocked, because of the broker.
        public static var broker: Self { Self(rawValue: "broker") }
        /// blocked, because the credential is not accepted.
        public static var unauthorized: Self { Self(rawValue: "unauthorized") }
        /// blocked, because the destination does not know the device.
        public static var unknownDevice: Self { Self(rawValue: "unknownDevice") }
        /// blocked, because the destination has another address.
        public static var moved: Self { Self(rawValue: "moved") }
        /// blocked, because the only pending position is rejected.
        public static var onlyPositionRejected: Self { Self(rawValue: "onlyPositionRejected") }
        /// blocked, because every position is rejected.
        public static var everythingRejected: Self { Self(rawValue: "everythingRejected") }
        /// blocked, because the configuration is incomplete.
        public static var notConfigured: Self { Self(rawValue: "notConfigured") }
        /// waitingForRecording, because the recording is locked.
        public static var protectedDataUnavailable: Self { Self(rawValue: "protectedDataUnavailable") }
        /// sending, but no response for some time.
        public static var noAnswer: Self { Self(rawValue: "noAnswer") }

        /// The words of this release.
        public static let known: [Self] = [
            .expensive,
            .constrained,
            .nameLookup,
            .connect,
            .tls,
            .connectionLost,
            .timedOut,
            .status,
            .captive,
            .wrongAnswer,
            .refused,
            .broker,
            .unauthorized,
            .unknownDevice,
            .moved,
            .onlyPositionRejected,
            .everythingRejected,
            .notConfigured,
            .protectedDataUnavailable,
            .noAnswer,
        ]
    }

    /// The errors of the interface.
    public enum Failure: VarlinkFailure {
        /// Not an operator.
        case notOperator(message: String)
        /// No uploader of this name has ever attached.
        case noSuchUpload(name: String, message: String)
        /// The uploader does not run, so the command has no effect: its service has to be started.
        case notRunning(name: String, message: String)
        /// More than one app or user has an upload of this name: the call needs app or uid.
        case appNeeded(message: String)
        /// The caller is no app: the message says why and what to do.
        case notAllowed(message: String)
        /// The app has as many uploads as it may have.
        case tooManyUploads(message: String)
        /// Another process of the app is attached for this recording.
        case alreadyAttached(name: String, message: String)
        /// The change could not be stored.
        case journalUnavailable(message: String)

        /// Reads an error of this interface; nil for another error, or where a parameter is missing.
        public init?(name: String, parameters json: JSON) {
            do throws(InvalidParameter) {
                switch name {
                case "io.waymark.Uploads.NotOperator":
                    self = try .notOperator(message: json.value("message"))
                case "io.waymark.Uploads.NoSuchUpload":
                    self = try .noSuchUpload(name: json.value("name"), message: json.value("message"))
                case "io.waymark.Uploads.NotRunning":
                    self = try .notRunning(name: json.value("name"), message: json.value("message"))
                case "io.waymark.Uploads.AppNeeded":
                    self = try .appNeeded(message: json.value("message"))
                case "io.waymark.Uploads.NotAllowed":
                    self = try .notAllowed(message: json.value("message"))
                case "io.waymark.Uploads.TooManyUploads":
                    self = try .tooManyUploads(message: json.value("message"))
                case "io.waymark.Uploads.AlreadyAttached":
                    self = try .alreadyAttached(name: json.value("name"), message: json.value("message"))
                case "io.waymark.Uploads.JournalUnavailable":
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
            case .notOperator: "io.waymark.Uploads.NotOperator"
            case .noSuchUpload: "io.waymark.Uploads.NoSuchUpload"
            case .notRunning: "io.waymark.Uploads.NotRunning"
            case .appNeeded: "io.waymark.Uploads.AppNeeded"
            case .notAllowed: "io.waymark.Uploads.NotAllowed"
            case .tooManyUploads: "io.waymark.Uploads.TooManyUploads"
            case .alreadyAttached: "io.waymark.Uploads.AlreadyAttached"
            case .journalUnavailable: "io.waymark.Uploads.JournalUnavailable"
            }
        }

        /// The sentence for a person.
        public var message: String {
            switch self {
            case .notOperator(let message): message
            case .noSuchUpload(_, let message): message
            case .notRunning(_, let message): message
            case .appNeeded(let message): message
            case .notAllowed(let message): message
            case .tooManyUploads(let message): message
            case .alreadyAttached(_, let message): message
            case .journalUnavailable(let message): message
            }
        }

        /// Whether it means that the caller is not allowed.
        public var isRefusal: Bool {
            switch self {
            case .notOperator: true
            case .notAllowed: true
            default: false
            }
        }

        /// Writes the parameters.
        public func writeMembers(to writer: inout JSONWriter) {
            switch self {
            case .notOperator(let message):
                writer.member("message", of: message)
            case .noSuchUpload(let name, let message):
                writer.member("name", of: name)
                writer.member("message", of: message)
            case .notRunning(let name, let message):
                writer.member("name", of: name)
                writer.member("message", of: message)
            case .appNeeded(let message):
                writer.member("message", of: message)
            case .notAllowed(let message):
                writer.member("message", of: message)
            case .tooManyUploads(let message):
                writer.member("message", of: message)
            case .alreadyAttached(let name, let message):
                writer.member("name", of: name)
                writer.member("message", of: message)
            case .journalUnavailable(let message):
                writer.member("message", of: message)
            }
        }
    }

    /// Implements the methods; a reply may come at once or later. A thrown error ends the call.
    @DaemonActor
    public protocol Handler: AnyObject {
        /// Handles `Attach`.
        func attach(_ call: MethodCall<Attach>) throws(Failure)
        /// Handles `Report`.
        func report(_ call: MethodCall<Report>) throws(Failure)
        /// Handles `List`.
        func list(_ call: MethodCall<List>) throws(Failure)
        /// Handles `Monitor`.
        func monitor(_ call: MethodCall<Monitor>) throws(Failure)
        /// Handles `Pause`.
        func pause(_ call: MethodCall<Pause>) throws(Failure)
        /// Handles `Resume`.
        func resume(_ call: MethodCall<Resume>) throws(Failure)
        /// Handles `Flush`.
        func flush(_ call: MethodCall<Flush>) throws(Failure)
        /// Handles `RetryRejected`.
        func retryRejected(_ call: MethodCall<RetryRejected>) throws(Failure)
    }

    /// Passes a call to the handler's method of its name.
    @DaemonActor
    public static func perform(_ call: Call, by handler: some Handler) {
        switch call.methodName {
        case "Attach":
            call.perform(Attach.self) { (call) throws(Failure) in
                try handler.attach(call)
            }
        case "Report":
            call.perform(Report.self) { (call) throws(Failure) in
                try handler.report(call)
            }
        case "List":
            call.perform(List.self) { (call) throws(Failure) in
                try handler.list(call)
            }
        case "Monitor":
            call.perform(Monitor.self) { (call) throws(Failure) in
                try handler.monitor(call)
            }
        case "Pause":
            call.perform(Pause.self) { (call) throws(Failure) in
                try handler.pause(call)
            }
        case "Resume":
            call.perform(Resume.self) { (call) throws(Failure) in
                try handler.resume(call)
            }
        case "Flush":
            call.perform(Flush.self) { (call) throws(Failure) in
                try handler.flush(call)
            }
        case "RetryRejected":
            call.perform(RetryRejected.self) { (call) throws(Failure) in
                try handler.retryRejected(call)
            }
        default: call.fail(ServiceError.methodNotFound(call.request.method))
        }
    }
}
