// Made from io.waymark.Protection.varlink by `make interfaces`: change that file, not this one.

import JSONText
import Location
import NetworkPaths
import Platform
import Varlink

/// Data protection at rest: whether recorded positions are locked, and the secrets that unlock them.
///
/// There is a lock for the machine, and one for each user who has set a passphrase: then what this user's apps record
/// has keys of its own. Every program may watch whether the protected data of its user is available. Everything else is
/// for operators, and for programs that act for their user and are no app. Secrets are never logged and never in a
/// reply, except a new recovery key, once.
///
/// The parameter `user` is the user id whose lock is meant. Without it operators mean the machine's lock, and everybody
/// else their own. Operators may name any user, but need a secret of that user for everything except Status, Lock and
/// Reset. Others may name themselves only. 0 is the machine's lock, because what root's apps record has the machine's
/// keys.
public enum ProtectionInterface: VarlinkInterface {
    /// The interface's name.
    public static let name = "io.waymark.Protection"
    /// The callers allowed for the methods, except those of `operatorMethods`.
    public static let callers = VarlinkCallers.identified
    /// The methods that only operators may call.
    public static let operatorMethods: Set<String> = [
        "AddCredential",
        "RenewMachineSecret",
        "Reset",
    ]
    /// The methods that operators and programs with the rights of their user may call.
    public static let userMethods: Set<String> = [
        "Status",
        "SetPassphrase",
        "ChangePassphrase",
        "AddPassphrase",
        "AddRecovery",
        "Remove",
        "SwitchOff",
        "Lock",
        "Unlock",
    ]
    /// The methods that write to the disk before they reply.
    public static let durableMethods: Set<String> = [
        "SetPassphrase",
        "ChangePassphrase",
        "AddPassphrase",
        "AddRecovery",
        "AddCredential",
        "Remove",
        "SwitchOff",
        "RenewMachineSecret",
        "Unlock",
        "Reset",
        "ReleaseCopyKey",
    ]
    /// The methods that are called with `more`.
    public static let requiringMore: Set<String> = [
        "Monitor",
        "MonitorCopyKey",
    ]
    /// How calls in progress are repeated after a restart; those of other methods are not.
    public static let repetitions: [String: CallRepetition] = ["Monitor": .unlessSame]

    /// The methods by their full names, in the order of the text.
    public enum Method: String, CaseIterable, Sendable {
        case status = "io.waymark.Protection.Status"
        case setPassphrase = "io.waymark.Protection.SetPassphrase"
        case changePassphrase = "io.waymark.Protection.ChangePassphrase"
        case addPassphrase = "io.waymark.Protection.AddPassphrase"
        case addRecovery = "io.waymark.Protection.AddRecovery"
        case addCredential = "io.waymark.Protection.AddCredential"
        case remove = "io.waymark.Protection.Remove"
        case switchOff = "io.waymark.Protection.SwitchOff"
        case renewMachineSecret = "io.waymark.Protection.RenewMachineSecret"
        case lock = "io.waymark.Protection.Lock"
        case unlock = "io.waymark.Protection.Unlock"
        case reset = "io.waymark.Protection.Reset"
        case monitor = "io.waymark.Protection.Monitor"
        case monitorCopyKey = "io.waymark.Protection.MonitorCopyKey"
        case releaseCopyKey = "io.waymark.Protection.ReleaseCopyKey"
    }

    /// One of the secrets that unlock.
    public struct Slot: VarlinkValue, VarlinkMembers, Equatable {
        /// Unique; a removed number may be used again.
        public var number: Int64
        /// What the secret is. New words may come.
        public var kind: SlotKind

        /// A value of these members.
        public init(number: Int64 = 0, kind: SlotKind) {
            self.number = number
            self.kind = kind
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            number = try json.optional("number") ?? 0
            kind = try json.value("kind")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("number", of: number)
            writer.member("kind", of: kind)
        }
    }

    /// `Report` of `io.waymark.Protection`.
    public struct Report: VarlinkValue, VarlinkMembers, Equatable {
        /// Whose lock it is; absent for the machine's.
        public var user: Int64?
        /// Whether the data can be read. New words may come.
        public var state: State
        /// s until the data is locked, while it is locking.
        public var lockedIn: Double?
        /// `slots`.
        public var slots: [Slot]
        /// Where the machine's secret is. New words may come.
        public var machineSecret: SecretPlace
        /// The path of the machine's secret.
        public var machineSecretPath: String
        /// The path of the former secret, while there is one because the machine's secret was exchanged.
        public var formerSecretPath: String?
        /// Whether something may still be sealed with the former secret; if not, it can be removed.
        public var isFormerSecretNeeded: Bool
        /// What cannot be used, and the next step, a sentence for a person.
        public var problem: String?
        /// Wrong secrets since the last right one.
        public var failures: Int64
        /// s until the next attempt is accepted; 0 for at once.
        public var wait: Double
        /// About how many stored rows are still to be sealed with the class of their recording.
        public var rowsToSeal: Int64
        /// Whether protection is being switched off: it is done when everything has the class none again, which
        /// continues only while the data is unlocked.
        public var isEnding: Bool
        /// Whether rows of a user stay under the machine's lock, or under the user's while protection is being switched
        /// off, until somebody unlocks the machine's data: without its keys they cannot be sealed with other ones.
        public var isWaitingForMachine: Bool

        /// A value of these members.
        public init(
            user: Int64? = nil,
            state: State,
            lockedIn: Double? = nil,
            slots: [Slot] = [],
            machineSecret: SecretPlace,
            machineSecretPath: String,
            formerSecretPath: String? = nil,
            isFormerSecretNeeded: Bool = false,
            problem: String? = nil,
            failures: Int64 = 0,
            wait: Double,
            rowsToSeal: Int64 = 0,
            isEnding: Bool = false,
            isWaitingForMachine: Bool = false
        ) {
            self.user = user
            self.state = state
            self.lockedIn = lockedIn
            self.slots = slots
            self.machineSecret = machineSecret
            self.machineSecretPath = machineSecretPath
            self.formerSecretPath = formerSecretPath
            self.isFormerSecretNeeded = isFormerSecretNeeded
            self.problem = problem
            self.failures = failures
            self.wait = wait
            self.rowsToSeal = rowsToSeal
            self.isEnding = isEnding
            self.isWaitingForMachine = isWaitingForMachine
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            user = try json.optional("user")
            state = try json.value("state")
            lockedIn = try json.optional("lockedIn")
            slots = try json.optional("slots") ?? []
            machineSecret = try json.value("machineSecret")
            machineSecretPath = try json.value("machineSecretPath")
            formerSecretPath = try json.optional("formerSecretPath")
            isFormerSecretNeeded = try json.optional("isFormerSecretNeeded") ?? false
            problem = try json.optional("problem")
            failures = try json.optional("failures") ?? 0
            wait = try json.value("wait")
            rowsToSeal = try json.optional("rowsToSeal") ?? 0
            isEnding = try json.optional("isEnding") ?? false
            isWaitingForMachine = try json.optional("isWaitingForMachine") ?? false
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("user", of: user)
            writer.member("state", of: state)
            writer.member("lockedIn", of: lockedIn)
            writer.member("slots", of: slots)
            writer.member("machineSecret", of: machineSecret)
            writer.member("machineSecretPath", of: machineSecretPath)
            writer.member("formerSecretPath", of: formerSecretPath)
            writer.member("isFormerSecretNeeded", of: isFormerSecretNeeded)
            writer.member("problem", of: problem)
            writer.member("failures", of: failures)
            writer.member("wait", of: wait)
            writer.member("rowsToSeal", of: rowsToSeal)
            writer.member("isEnding", of: isEnding)
            writer.member("isWaitingForMachine", of: isWaitingForMachine)
        }
    }

    /// The present state. The status of the journal is refreshed before.
    public struct Status: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ProtectionInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Protection.Status"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `Status`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `status`.
            public var status: Report

            /// A value of these members.
            public init(status: Report) {
                self.status = status
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                status = try json.value("status")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("status", of: status)
            }
        }

        /// `user`.
        public var user: Int64?

        /// A value of these members.
        public init(user: Int64? = nil) {
            self.user = user
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            user = try json.optional("user")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("user", of: user)
        }
    }

    /// Sets the first passphrase: 1 to 1,024 bytes. That of a user only that user can set. The data is unlocked
    /// afterwards, and positions that are stored already are sealed with the classes of their recordings. If the
    /// passphrase is lost, and there is no recovery key, the data is lost. Durable before the reply.
    public struct SetPassphrase: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ProtectionInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Protection.SetPassphrase"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `SetPassphrase`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `status`.
            public var status: Report

            /// A value of these members.
            public init(status: Report) {
                self.status = status
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                status = try json.value("status")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("status", of: status)
            }
        }

        /// `passphrase`.
        public var passphrase: String
        /// `user`.
        public var user: Int64?

        /// A value of these members.
        public init(passphrase: String, user: Int64? = nil) {
            self.passphrase = passphrase
            self.user = user
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            passphrase = try json.value("passphrase")
            user = try json.optional("user")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("passphrase", of: passphrase)
            writer.member("user", of: user)
        }
    }

    /// Replaces the passphrase, or the recovery key, that is given by a new passphrase. No data is sealed again.
    /// Durable before the reply.
    public struct ChangePassphrase: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ProtectionInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Protection.ChangePassphrase"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `ChangePassphrase`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `status`.
            public var status: Report

            /// A value of these members.
            public init(status: Report) {
                self.status = status
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                status = try json.value("status")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("status", of: status)
            }
        }

        /// `secret`.
        public var secret: String
        /// `isRecovery`.
        public var isRecovery: Bool?
        /// `passphrase`.
        public var passphrase: String
        /// `user`.
        public var user: Int64?

        /// A value of these members.
        public init(secret: String, isRecovery: Bool? = nil, passphrase: String, user: Int64? = nil) {
            self.secret = secret
            self.isRecovery = isRecovery
            self.passphrase = passphrase
            self.user = user
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            secret = try json.value("secret")
            isRecovery = try json.optional("isRecovery")
            passphrase = try json.value("passphrase")
            user = try json.optional("user")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("secret", of: secret)
            writer.member("isRecovery", of: isRecovery)
            writer.member("passphrase", of: passphrase)
            writer.member("user", of: user)
        }
    }

    /// Adds another passphrase that unlocks. Durable before the reply.
    public struct AddPassphrase: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ProtectionInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Protection.AddPassphrase"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `AddPassphrase`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `status`.
            public var status: Report

            /// A value of these members.
            public init(status: Report) {
                self.status = status
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                status = try json.value("status")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("status", of: status)
            }
        }

        /// `secret`.
        public var secret: String
        /// `isRecovery`.
        public var isRecovery: Bool?
        /// `passphrase`.
        public var passphrase: String
        /// `user`.
        public var user: Int64?

        /// A value of these members.
        public init(secret: String, isRecovery: Bool? = nil, passphrase: String, user: Int64? = nil) {
            self.secret = secret
            self.isRecovery = isRecovery
            self.passphrase = passphrase
            self.user = user
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            secret = try json.value("secret")
            isRecovery = try json.optional("isRecovery")
            passphrase = try json.value("passphrase")
            user = try json.optional("user")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("secret", of: secret)
            writer.member("isRecovery", of: isRecovery)
            writer.member("passphrase", of: passphrase)
            writer.member("user", of: user)
        }
    }

    /// Adds a recovery key, and returns its 24 words, which are stored nowhere. Durable before the reply.
    public struct AddRecovery: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ProtectionInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Protection.AddRecovery"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `AddRecovery`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `words`.
            public var words: String
            /// `status`.
            public var status: Report

            /// A value of these members.
            public init(words: String, status: Report) {
                self.words = words
                self.status = status
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                words = try json.value("words")
                status = try json.value("status")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("words", of: words)
                writer.member("status", of: status)
            }
        }

        /// `secret`.
        public var secret: String
        /// `isRecovery`.
        public var isRecovery: Bool?
        /// `user`.
        public var user: Int64?

        /// A value of these members.
        public init(secret: String, isRecovery: Bool? = nil, user: Int64? = nil) {
            self.secret = secret
            self.isRecovery = isRecovery
            self.user = user
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            secret = try json.value("secret")
            isRecovery = try json.optional("isRecovery")
            user = try json.optional("user")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("secret", of: secret)
            writer.member("isRecovery", of: isRecovery)
            writer.member("user", of: user)
        }
    }

    /// For the machine's lock only. Adds the credential waymark.unlock that the service manager passes to the daemon,
    /// which unlocks at each start from then on: for machines without a person. Durable before the reply.
    public struct AddCredential: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ProtectionInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Protection.AddCredential"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `AddCredential`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `status`.
            public var status: Report

            /// A value of these members.
            public init(status: Report) {
                self.status = status
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                status = try json.value("status")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("status", of: status)
            }
        }

        /// `secret`.
        public var secret: String
        /// `isRecovery`.
        public var isRecovery: Bool?

        /// A value of these members.
        public init(secret: String, isRecovery: Bool? = nil) {
            self.secret = secret
            self.isRecovery = isRecovery
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            secret = try json.value("secret")
            isRecovery = try json.optional("isRecovery")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("secret", of: secret)
            writer.member("isRecovery", of: isRecovery)
        }
    }

    /// Removes the secret of a number. The last one cannot be removed. Durable before the reply.
    public struct Remove: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ProtectionInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Protection.Remove"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `Remove`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `status`.
            public var status: Report

            /// A value of these members.
            public init(status: Report) {
                self.status = status
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                status = try json.value("status")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("status", of: status)
            }
        }

        /// `secret`.
        public var secret: String
        /// `isRecovery`.
        public var isRecovery: Bool?
        /// `number`.
        public var number: Int64
        /// `user`.
        public var user: Int64?

        /// A value of these members.
        public init(secret: String, isRecovery: Bool? = nil, number: Int64, user: Int64? = nil) {
            self.secret = secret
            self.isRecovery = isRecovery
            self.number = number
            self.user = user
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            secret = try json.value("secret")
            isRecovery = try json.optional("isRecovery")
            number = try json.value("number", in: 1...Int64.max)
            user = try json.optional("user")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("secret", of: secret)
            writer.member("isRecovery", of: isRecovery)
            writer.member("number", of: number)
            writer.member("user", of: user)
        }
    }

    /// Switches protection off: everything that is sealed is brought back to the class none, that of a user to the
    /// machine's keys if there are some, and then the keys and all secrets are removed. The decision is durable before
    /// the reply, and the data is unlocked; the rest goes on afterwards, and after a crash with the next unlock. Status
    /// shows it.
    public struct SwitchOff: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ProtectionInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Protection.SwitchOff"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `SwitchOff`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `status`.
            public var status: Report

            /// A value of these members.
            public init(status: Report) {
                self.status = status
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                status = try json.value("status")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("status", of: status)
            }
        }

        /// `secret`.
        public var secret: String
        /// `isRecovery`.
        public var isRecovery: Bool?
        /// `user`.
        public var user: Int64?

        /// A value of these members.
        public init(secret: String, isRecovery: Bool? = nil, user: Int64? = nil) {
            self.secret = secret
            self.isRecovery = isRecovery
            self.user = user
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            secret = try json.value("secret")
            isRecovery = try json.optional("isRecovery")
            user = try json.optional("user")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("secret", of: secret)
            writer.member("isRecovery", of: isRecovery)
            writer.member("user", of: user)
        }
    }

    /// Exchanges the machine's secret: everything that was sealed with the former one is sealed with the new one, the
    /// secrets that unlock stay the same, and nothing is locked or unlocked. A secret in the state directory is made
    /// anew; in other places the administrator has provided the new secret and the former one. Durable before the
    /// reply; after a crash it goes on with the next start.
    public struct RenewMachineSecret: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ProtectionInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Protection.RenewMachineSecret"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `RenewMachineSecret`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `status`.
            public var status: Report

            /// A value of these members.
            public init(status: Report) {
                self.status = status
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                status = try json.value("status")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("status", of: status)
            }
        }

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// Locks the data after 10 s, in which apps that need it can finish. If a secret is being tried meanwhile, the data
    /// is locked after that secret has unlocked it.
    public struct Lock: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ProtectionInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Protection.Lock"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `Lock`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `status`.
            public var status: Report

            /// A value of these members.
            public init(status: Report) {
                self.status = status
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                status = try json.value("status")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("status", of: status)
            }
        }

        /// `user`.
        public var user: Int64?

        /// A value of these members.
        public init(user: Int64? = nil) {
            self.user = user
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            user = try json.optional("user")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("user", of: user)
        }
    }

    /// Unlocks the data with a passphrase, or a recovery key.
    public struct Unlock: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ProtectionInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Protection.Unlock"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `Unlock`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `status`.
            public var status: Report

            /// A value of these members.
            public init(status: Report) {
                self.status = status
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                status = try json.value("status")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("status", of: status)
            }
        }

        /// `secret`.
        public var secret: String
        /// `isRecovery`.
        public var isRecovery: Bool?
        /// `user`.
        public var user: Int64?

        /// A value of these members.
        public init(secret: String, isRecovery: Bool? = nil, user: Int64? = nil) {
            self.secret = secret
            self.isRecovery = isRecovery
            self.user = user
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            secret = try json.value("secret")
            isRecovery = try json.optional("isRecovery")
            user = try json.optional("user")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("secret", of: secret)
            writer.member("isRecovery", of: isRecovery)
            writer.member("user", of: user)
        }
    }

    /// Removes the keys of a user without a secret of the user, who has lost them all: positions that are sealed with
    /// these keys are erased, because nobody can open them any more. Not for the machine's lock. Durable before the
    /// reply.
    public struct Reset: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ProtectionInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Protection.Reset"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `Reset`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `status`.
            public var status: Report

            /// A value of these members.
            public init(status: Report) {
                self.status = status
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                status = try json.value("status")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("status", of: status)
            }
        }

        /// `user`.
        public var user: Int64

        /// A value of these members.
        public init(user: Int64) {
            self.user = user
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            user = try json.value("user")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("user", of: user)
        }
    }

    /// Whether the protected data of the caller's user can be read, at once and whenever that changes: under the user's
    /// own lock, or under the machine's if there is none. Needs `more`.
    public struct Monitor: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ProtectionInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Protection.Monitor"
        /// Whether it is called with `more`.
        public static let needsMore = true

        /// The reply of `Monitor`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// Whether everything can be read that the user's apps have recorded.
            public var isProtectedDataAvailable: Bool
            /// s until it becomes unavailable, where that was announced.
            public var becomesUnavailableIn: Double?

            /// A value of these members.
            public init(isProtectedDataAvailable: Bool, becomesUnavailableIn: Double? = nil) {
                self.isProtectedDataAvailable = isProtectedDataAvailable
                self.becomesUnavailableIn = becomesUnavailableIn
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                isProtectedDataAvailable = try json.value("isProtectedDataAvailable")
                becomesUnavailableIn = try json.optional("becomesUnavailableIn")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("isProtectedDataAvailable", of: isProtectedDataAvailable)
                writer.member("becomesUnavailableIn", of: becomesUnavailableIn)
            }
        }

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// How the copy of records that waymark-sync has is to be stored, at once and whenever that may have changed: for
    /// waymark-sync, and refused to every other program. The copy of each user has a key of its own, and so has that of
    /// the machine's account. It is made when a passphrase was set, and can be used from the first unlock after a start
    /// on. Needs `more`.
    public struct MonitorCopyKey: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ProtectionInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Protection.MonitorCopyKey"
        /// Whether it is called with `more`.
        public static let needsMore = true

        /// The reply of `MonitorCopyKey`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// How the copy is to be stored. New words may come.
            public var sealing: CopySealing
            /// The key, in a sealed box for the recipient, in hexadecimal digits.
            public var key: String?
            /// Why there is no key, part of a sentence.
            public var reason: String?

            /// A value of these members.
            public init(sealing: CopySealing, key: String? = nil, reason: String? = nil) {
                self.sealing = sealing
                self.key = key
                self.reason = reason
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                sealing = try json.value("sealing")
                key = try json.optional("key")
                reason = try json.optional("reason")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("sealing", of: sealing)
                writer.member("key", of: key)
                writer.member("reason", of: reason)
            }
        }

        /// An X25519 public key, 32 bytes in hexadecimal digits, for which the key of the copy is sealed.
        public var recipient: String
        /// Whether the copy is sealed already: a key that is missing is not made anew then.
        public var isSealed: Bool

        /// A value of these members.
        public init(recipient: String, isSealed: Bool) {
            self.recipient = recipient
            self.isSealed = isSealed
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            recipient = try json.value("recipient")
            isSealed = try json.value("isSealed")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("recipient", of: recipient)
            writer.member("isSealed", of: isSealed)
        }
    }

    /// The copy is plain, durably, after protection was switched off: its key is removed, and the next MonitorCopyKey
    /// begins anew. For waymark-sync. Durable before the reply.
    public struct ReleaseCopyKey: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ProtectionInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Protection.ReleaseCopyKey"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply has no members: it confirms that the call is done.
        public typealias Reply = EmptyReply

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// What the secret is. New words may come.
    public struct SlotKind: VarlinkWord {
        /// The word in a call or a reply.
        public let rawValue: String
        /// The value for any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// a passphrase of a person.
        public static var passphrase: Self { Self(rawValue: "passphrase") }
        /// a recovery key of 24 words.
        public static var recovery: Self { Self(rawValue: "recovery") }
        /// a credential of the service manager.
        public static var credential: Self { Self(rawValue: "credential") }

        /// The words of this release.
        public static let known: [Self] = [
            .passphrase,
            .recovery,
            .credential,
        ]
    }

    /// Whether the data can be read. New words may come.
    public struct State: VarlinkWord {
        /// The word in a call or a reply.
        public let rawValue: String
        /// The value for any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// No passphrase was set. The machine's data has the class none, that of a user is under the machine's lock.
        public static var open: Self { Self(rawValue: "open") }
        /// Nobody has unlocked the data since the daemon started.
        public static var neverUnlocked: Self { Self(rawValue: "neverUnlocked") }
        /// Locked after it was unlocked.
        public static var locked: Self { Self(rawValue: "locked") }
        /// Everything can be read and written.
        public static var unlocked: Self { Self(rawValue: "unlocked") }
        /// Unlocked for some seconds more.
        public static var locking: Self { Self(rawValue: "locking") }
        /// The file of keys or the machine's secret cannot be used, or the file has not been read yet; the problem says
        /// why.
        public static var unusable: Self { Self(rawValue: "unusable") }

        /// The words of this release.
        public static let known: [Self] = [
            .open,
            .neverUnlocked,
            .locked,
            .unlocked,
            .locking,
            .unusable,
        ]
    }

    /// Where the machine's secret is. New words may come.
    public struct SecretPlace: VarlinkWord {
        /// The word in a call or a reply.
        public let rawValue: String
        /// The value for any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// a credential of the service manager.
        public static var credential: Self { Self(rawValue: "credential") }
        /// a file that the configuration names.
        public static var file: Self { Self(rawValue: "file") }
        /// a file beside the data, which protects no copy of the state directory.
        public static var stateDirectory: Self { Self(rawValue: "stateDirectory") }

        /// The words of this release.
        public static let known: [Self] = [
            .credential,
            .file,
            .stateDirectory,
        ]
    }

    /// How the copy is to be stored. New words may come.
    public struct CopySealing: VarlinkWord {
        /// The word in a call or a reply.
        public let rawValue: String
        /// The value for any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// No passphrase was set.
        public static var plain: Self { Self(rawValue: "plain") }
        /// With the key.
        public static var sealed: Self { Self(rawValue: "sealed") }
        /// Protection was switched off, and the copy that is sealed with the key is to be replaced by a plain one; then
        /// ReleaseCopyKey.
        public static var unsealing: Self { Self(rawValue: "unsealing") }
        /// Nobody has unlocked the data since the daemon started.
        public static var locked: Self { Self(rawValue: "locked") }
        /// The key cannot be used.
        public static var unavailable: Self { Self(rawValue: "unavailable") }

        /// The words of this release.
        public static let known: [Self] = [
            .plain,
            .sealed,
            .unsealing,
            .locked,
            .unavailable,
        ]
    }

    /// The errors of the interface.
    public enum Failure: VarlinkFailure {
        /// The secret is none of this lock.
        case wrongSecret(message: String)
        /// There were too many wrong secrets: the next attempt is accepted after so many seconds.
        case tooManyAttempts(wait: Double, message: String)
        /// No passphrase was set.
        case noPassphrase(message: String)
        /// A passphrase was set already.
        case passphraseExists(message: String)
        /// The new passphrase is empty or too long, the words are no recovery key, or there is no new secret of the
        /// machine.
        case invalidSecret(message: String)
        /// There is no secret of this number, it is the last one, or there are as many as there may be.
        case invalidSlot(message: String)
        /// Another operation on these keys, or an exchange of the machine's secret, is in progress.
        case busy(message: String)
        /// The machine's secret or the file of keys cannot be used or written, or the file of keys has not been read
        /// yet. Or the data of the user is being erased or is suspended, protection is being switched off, or the user
        /// cannot have keys. The message says which.
        case unavailable(message: String)
        /// Not an operator, an app, or the data of another user.
        case notOperator(message: String)
        /// Not waymark-sync.
        case notAllowed(message: String)

        /// Reads an error of this interface; nil for another error, or where a parameter is missing.
        public init?(name: String, parameters json: JSON) {
            do throws(InvalidParameter) {
                switch name {
                case "io.waymark.Protection.WrongSecret":
                    self = try .wrongSecret(message: json.value("message"))
                case "io.waymark.Protection.TooManyAttempts":
                    self = try .tooManyAttempts(wait: json.value("wait"), message: json.value("message"))
                case "io.waymark.Protection.NoPassphrase":
                    self = try .noPassphrase(message: json.value("message"))
                case "io.waymark.Protection.PassphraseExists":
                    self = try .passphraseExists(message: json.value("message"))
                case "io.waymark.Protection.InvalidSecret":
                    self = try .invalidSecret(message: json.value("message"))
                case "io.waymark.Protection.InvalidSlot":
                    self = try .invalidSlot(message: json.value("message"))
                case "io.waymark.Protection.Busy":
                    self = try .busy(message: json.value("message"))
                case "io.waymark.Protection.Unavailable":
                    self = try .unavailable(message: json.value("message"))
                case "io.waymark.Protection.NotOperator":
                    self = try .notOperator(message: json.value("message"))
                case "io.waymark.Protection.NotAllowed":
                    self = try .notAllowed(message: json.value("message"))
                default: return nil
                }
            } catch {
                return nil
            }
        }

        /// The full name.
        public var name: String {
            switch self {
            case .wrongSecret: "io.waymark.Protection.WrongSecret"
            case .tooManyAttempts: "io.waymark.Protection.TooManyAttempts"
            case .noPassphrase: "io.waymark.Protection.NoPassphrase"
            case .passphraseExists: "io.waymark.Protection.PassphraseExists"
            case .invalidSecret: "io.waymark.Protection.InvalidSecret"
            case .invalidSlot: "io.waymark.Protection.InvalidSlot"
            case .busy: "io.waymark.Protection.Busy"
            case .unavailable: "io.waymark.Protection.Unavailable"
            case .notOperator: "io.waymark.Protection.NotOperator"
            case .notAllowed: "io.waymark.Protection.NotAllowed"
            }
        }

        /// The sentence for a person.
        public var message: String {
            switch self {
            case .wrongSecret(let message): message
            case .tooManyAttempts(_, let message): message
            case .noPassphrase(let message): message
            case .passphraseExists(let message): message
            case .invalidSecret(let message): message
            case .invalidSlot(let message): message
            case .busy(let message): message
            case .unavailable(let message): message
            case .notOperator(let message): message
            case .notAllowed(let message): message
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
            case .wrongSecret(let message):
                writer.member("message", of: message)
            case .tooManyAttempts(let wait, let message):
                writer.member("wait", of: wait)
                writer.member("message", of: message)
            case .noPassphrase(let message):
                writer.member("message", of: message)
            case .passphraseExists(let message):
                writer.member("message", of: message)
            case .invalidSecret(let message):
                writer.member("message", of: message)
            case .invalidSlot(let message):
                writer.member("message", of: message)
            case .busy(let message):
                writer.member("message", of: message)
            case .unavailable(let message):
                writer.member("message", of: message)
            case .notOperator(let message):
                writer.member("message", of: message)
            case .notAllowed(let message):
                writer.member("message", of: message)
            }
        }
    }

    /// Implements the methods; a reply may come at once or later. A thrown error ends the call.
    @DaemonActor
    public protocol Handler: AnyObject {
        /// Handles `Status`.
        func status(_ call: MethodCall<Status>) throws(Failure)
        /// Handles `SetPassphrase`.
        func setPassphrase(_ call: MethodCall<SetPassphrase>) throws(Failure)
        /// Handles `ChangePassphrase`.
        func changePassphrase(_ call: MethodCall<ChangePassphrase>) throws(Failure)
        /// Handles `AddPassphrase`.
        func addPassphrase(_ call: MethodCall<AddPassphrase>) throws(Failure)
        /// Handles `AddRecovery`.
        func addRecovery(_ call: MethodCall<AddRecovery>) throws(Failure)
        /// Handles `AddCredential`.
        func addCredential(_ call: MethodCall<AddCredential>) throws(Failure)
        /// Handles `Remove`.
        func remove(_ call: MethodCall<Remove>) throws(Failure)
        /// Handles `SwitchOff`.
        func switchOff(_ call: MethodCall<SwitchOff>) throws(Failure)
        /// Handles `RenewMachineSecret`.
        func renewMachineSecret(_ call: MethodCall<RenewMachineSecret>) throws(Failure)
        /// Handles `Lock`.
        func lock(_ call: MethodCall<Lock>) throws(Failure)
        /// Handles `Unlock`.
        func unlock(_ call: MethodCall<Unlock>) throws(Failure)
        /// Handles `Reset`.
        func reset(_ call: MethodCall<Reset>) throws(Failure)
        /// Handles `Monitor`.
        func monitor(_ call: MethodCall<Monitor>) throws(Failure)
        /// Handles `MonitorCopyKey`.
        func monitorCopyKey(_ call: MethodCall<MonitorCopyKey>) throws(Failure)
        /// Handles `ReleaseCopyKey`.
        func releaseCopyKey(_ call: MethodCall<ReleaseCopyKey>) throws(Failure)
    }

    /// Passes a call to the handler's method of its name.
    @DaemonActor
    public static func perform(_ call: Call, by handler: some Handler) {
        switch call.methodName {
        case "Status":
            call.perform(Status.self) { (call) throws(Failure) in
                try handler.status(call)
            }
        case "SetPassphrase":
            call.perform(SetPassphrase.self) { (call) throws(Failure) in
                try handler.setPassphrase(call)
            }
        case "ChangePassphrase":
            call.perform(ChangePassphrase.self) { (call) throws(Failure) in
                try handler.changePassphrase(call)
            }
        case "AddPassphrase":
            call.perform(AddPassphrase.self) { (call) throws(Failure) in
                try handler.addPassphrase(call)
            }
        case "AddRecovery":
            call.perform(AddRecovery.self) { (call) throws(Failure) in
                try handler.addRecovery(call)
            }
        case "AddCredential":
            call.perform(AddCredential.self) { (call) throws(Failure) in
                try handler.addCredential(call)
            }
        case "Remove":
            call.perform(Remove.self) { (call) throws(Failure) in
                try handler.remove(call)
            }
        case "SwitchOff":
            call.perform(SwitchOff.self) { (call) throws(Failure) in
                try handler.switchOff(call)
            }
        case "RenewMachineSecret":
            call.perform(RenewMachineSecret.self) { (call) throws(Failure) in
                try handler.renewMachineSecret(call)
            }
        case "Lock":
            call.perform(Lock.self) { (call) throws(Failure) in
                try handler.lock(call)
            }
        case "Unlock":
            call.perform(Unlock.self) { (call) throws(Failure) in
                try handler.unlock(call)
            }
        case "Reset":
            call.perform(Reset.self) { (call) throws(Failure) in
                try handler.reset(call)
            }
        case "Monitor":
            call.perform(Monitor.self) { (call) throws(Failure) in
                try handler.monitor(call)
            }
        case "MonitorCopyKey":
            call.perform(MonitorCopyKey.self) { (call) throws(Failure) in
                try handler.monitorCopyKey(call)
            }
        case "ReleaseCopyKey":
            call.perform(ReleaseCopyKey.self) { (call) throws(Failure) in
                try handler.releaseCopyKey(call)
            }
        default: call.fail(ServiceError.methodNotFound(call.request.method))
        }
    }
}
