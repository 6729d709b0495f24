// Made from io.waymark.Sync.varlink by `make interfaces`: change that file, not this one.

import JSONText
import Location
import NetworkPaths
import Platform
import Varlink

/// Records of apps, which are the same on all machines of an account. Served by waymark-sync at a socket of its own:
/// sync.sock in the folder `waymark` of XDG_RUNTIME_DIR for a person, and /run/waymark-sync/sync.sock for the account
/// of the machine.
///
/// Every call reads and writes the copy on this machine, which works offline. A change is durable before the reply, and
/// is sent to the hub a second later. Records and requests are JSON objects, as Documentation/sync.md describes them.
///
/// An app uses the containers that Containers= of its manifest names; without `container` it is the first of them, and
/// `environment` is that of the manifest. A program that is no app, such as a shell, acts for the person: it names the
/// container, and its environment is production by default.
///
/// The value of an encrypted field is an object {"encrypted":VALUE}, which this machine seals before it is stored: the
/// hub never has it. One that this machine cannot open is read as {"sealed":KIND,"bytes":BYTES}, and may be saved again
/// as it is.
///
/// `owner` is the account that shares a zone; without it the zone is one of this account. `zone` is _defaultZone by
/// default.
public enum SyncInterface: VarlinkInterface {
    /// The interface's name.
    public static let name = "io.waymark.Sync"
    /// The callers allowed for the methods, except those of `operatorMethods`.
    public static let callers = VarlinkCallers.identified
    /// The methods that only operators may call.
    public static let operatorMethods: Set<String> = []
    /// The methods that write to the disk before they reply.
    public static let durableMethods: Set<String> = [
        "Join",
        "Leave",
        "GetAccountIdentifier",
        "ModifyZones",
        "ModifyRecords",
        "AddAsset",
        "TrustMachine",
        "ResetKeys",
        "DiscardChanges",
        "AcknowledgeAlert",
        "AllowAlerts",
        "AddPublicAsset",
    ]
    /// The methods that are called with `more`.
    public static let requiringMore: Set<String> = []
    /// How calls in progress are repeated after a restart; those of other methods are not.
    public static let repetitions: [String: CallRepetition] = [:]

    /// The methods by their full names, in the order of the text.
    public enum Method: String, CaseIterable, Sendable {
        case join = "io.waymark.Sync.Join"
        case leave = "io.waymark.Sync.Leave"
        case getStatus = "io.waymark.Sync.GetStatus"
        case getAccount = "io.waymark.Sync.GetAccount"
        case getAccountIdentifier = "io.waymark.Sync.GetAccountIdentifier"
        case listIdentifierReaders = "io.waymark.Sync.ListIdentifierReaders"
        case modifyZones = "io.waymark.Sync.ModifyZones"
        case listZones = "io.waymark.Sync.ListZones"
        case modifyRecords = "io.waymark.Sync.ModifyRecords"
        case getRecords = "io.waymark.Sync.GetRecords"
        case listRecords = "io.waymark.Sync.ListRecords"
        case addAsset = "io.waymark.Sync.AddAsset"
        case readAsset = "io.waymark.Sync.ReadAsset"
        case getChanges = "io.waymark.Sync.GetChanges"
        case getKeys = "io.waymark.Sync.GetKeys"
        case trustMachine = "io.waymark.Sync.TrustMachine"
        case examineReset = "io.waymark.Sync.ExamineReset"
        case resetKeys = "io.waymark.Sync.ResetKeys"
        case listRefusedChanges = "io.waymark.Sync.ListRefusedChanges"
        case discardChanges = "io.waymark.Sync.DiscardChanges"
        case synchronize = "io.waymark.Sync.Synchronize"
        case modifySharing = "io.waymark.Sync.ModifySharing"
        case listParticipants = "io.waymark.Sync.ListParticipants"
        case listSharedZones = "io.waymark.Sync.ListSharedZones"
        case acceptZone = "io.waymark.Sync.AcceptZone"
        case saveSubscription = "io.waymark.Sync.SaveSubscription"
        case deleteSubscription = "io.waymark.Sync.DeleteSubscription"
        case getAlerts = "io.waymark.Sync.GetAlerts"
        case acknowledgeAlert = "io.waymark.Sync.AcknowledgeAlert"
        case listAlertApps = "io.waymark.Sync.ListAlertApps"
        case allowAlerts = "io.waymark.Sync.AllowAlerts"
        case getTeam = "io.waymark.Sync.GetTeam"
        case setTeamMember = "io.waymark.Sync.SetTeamMember"
        case removeTeamMember = "io.waymark.Sync.RemoveTeamMember"
        case getSchema = "io.waymark.Sync.GetSchema"
        case replaceSchema = "io.waymark.Sync.ReplaceSchema"
        case compareSchemas = "io.waymark.Sync.CompareSchemas"
        case deploySchema = "io.waymark.Sync.DeploySchema"
        case getPublicRecords = "io.waymark.Sync.GetPublicRecords"
        case queryPublicRecords = "io.waymark.Sync.QueryPublicRecords"
        case modifyPublicRecords = "io.waymark.Sync.ModifyPublicRecords"
        case addPublicAsset = "io.waymark.Sync.AddPublicAsset"
        case readPublicAsset = "io.waymark.Sync.ReadPublicAsset"
        case listSubscriptions = "io.waymark.Sync.ListSubscriptions"
    }

    /// A zone of the copy.
    public struct Zone: VarlinkValue, VarlinkMembers, Equatable {
        /// `owner`.
        public var owner: String?
        /// `name`.
        public var name: String
        /// Whether the hub does not know yet that the zone was made.
        public var pending: Bool

        /// A value of these members.
        public init(owner: String? = nil, name: String, pending: Bool = false) {
            self.owner = owner
            self.name = name
            self.pending = pending
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            owner = try json.optional("owner")
            name = try json.value("name")
            pending = try json.optional("pending") ?? false
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("owner", of: owner)
            writer.member("name", of: name)
            writer.member("pending", of: pending)
        }
    }

    /// A change that the hub has refused. It is not sent again, and the copy has the hub's record, until the app saves
    /// or deletes the record again, or discards the change.
    public struct RefusedChange: VarlinkValue, VarlinkMembers, Equatable {
        /// `owner`.
        public var owner: String?
        /// `zone`.
        public var zone: String
        /// `name`.
        public var name: String
        /// What the app wanted: `save` with a record and a policy, or `delete`.
        public var change: JSON
        /// Why, as the hub answers for a record: `error`, and for serverRecordChanged `server` and `ancestor`.
        public var outcome: JSON

        /// A value of these members.
        public init(owner: String? = nil, zone: String, name: String, change: JSON, outcome: JSON) {
            self.owner = owner
            self.zone = zone
            self.name = name
            self.change = change
            self.outcome = outcome
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            owner = try json.optional("owner")
            zone = try json.value("zone")
            name = try json.value("name")
            change = try json.value("change")
            outcome = try json.value("outcome")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("owner", of: owner)
            writer.member("zone", of: zone)
            writer.member("name", of: name)
            writer.member("change", of: change)
            writer.member("outcome", of: outcome)
        }
    }

    /// What has changed in the copy: a record, or a zone where there is no `name`. A zone is listed when it was made or
    /// deleted: an app removes its own copy of it then, because the records that the zone has now are listed after it.
    /// A record is listed again when its change has reached the hub, and has another change tag since.
    public struct Change: VarlinkValue, VarlinkMembers, Equatable {
        /// `owner`.
        public var owner: String?
        /// `zone`.
        public var zone: String
        /// `name`.
        public var name: String?
        /// The record; absent where it was deleted.
        public var record: JSON?
        /// Why a zone was deleted: deleted, purged, encryptedDataReset or withdrawn. Its records were removed from the
        /// copy, except for encryptedDataReset: then the zone and its records are there, and are sent to the hub again,
        /// and an app that has the values of encrypted fields saves them again.
        public var deleted: String?
        /// Whether it was changed by a program on this machine.
        public var local: Bool
        /// Whether it has a change that is not sent yet.
        public var pending: Bool
        /// The number of the change: the revision of the copy after it.
        public var revision: Int64

        /// A value of these members.
        public init(
            owner: String? = nil,
            zone: String,
            name: String? = nil,
            record: JSON? = nil,
            deleted: String? = nil,
            local: Bool = false,
            pending: Bool = false,
            revision: Int64 = 0
        ) {
            self.owner = owner
            self.zone = zone
            self.name = name
            self.record = record
            self.deleted = deleted
            self.local = local
            self.pending = pending
            self.revision = revision
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            owner = try json.optional("owner")
            zone = try json.value("zone")
            name = try json.optional("name")
            record = try json.optional("record")
            deleted = try json.optional("deleted")
            local = try json.optional("local") ?? false
            pending = try json.optional("pending") ?? false
            revision = try json.optional("revision") ?? 0
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("owner", of: owner)
            writer.member("zone", of: zone)
            writer.member("name", of: name)
            writer.member("record", of: record)
            writer.member("deleted", of: deleted)
            writer.member("local", of: local)
            writer.member("pending", of: pending)
            writer.member("revision", of: revision)
        }
    }

    /// Whether this machine has joined no account, has joined one, or is not accepted by the hub any more.
    public enum AccountState: String, VarlinkValue, CaseIterable {
        case noAccount, active, removed
    }

    /// How the copy is stored: plain, or sealed with a key of the daemon, because the machine has a passphrase. A
    /// closed copy is neither read nor written: the key is not there, or the copy is just being sealed or opened.
    public enum CopyForm: String, VarlinkValue, CaseIterable {
        case plain, sealed, closed
    }

    /// A container of the copy.
    public struct Container: VarlinkValue, VarlinkMembers, Equatable {
        /// `name`.
        public var name: String
        /// `environment`.
        public var environment: String
        /// `zones`.
        public var zones: Int64
        /// `records`.
        public var records: Int64
        /// Changes that are not sent yet.
        public var pending: Int64
        /// Changes that the hub has refused.
        public var refused: Int64

        /// A value of these members.
        public init(
            name: String,
            environment: String,
            zones: Int64 = 0,
            records: Int64 = 0,
            pending: Int64 = 0,
            refused: Int64 = 0
        ) {
            self.name = name
            self.environment = environment
            self.zones = zones
            self.records = records
            self.pending = pending
            self.refused = refused
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            name = try json.value("name")
            environment = try json.value("environment")
            zones = try json.optional("zones") ?? 0
            records = try json.optional("records") ?? 0
            pending = try json.optional("pending") ?? 0
            refused = try json.optional("refused") ?? 0
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("name", of: name)
            writer.member("environment", of: environment)
            writer.member("zones", of: zones)
            writer.member("records", of: records)
            writer.member("pending", of: pending)
            writer.member("refused", of: refused)
        }
    }

    /// An app that has received the identifier of the account for a container.
    public struct IdentifierReader: VarlinkValue, VarlinkMembers, Equatable {
        /// `app`.
        public var app: String
        /// `container`.
        public var container: String
        /// When first and last, to the hour: microseconds since 1970-01-01T00:00:00Z.
        public var first: Int64
        /// `last`.
        public var last: Int64

        /// A value of these members.
        public init(app: String, container: String, first: Int64 = 0, last: Int64 = 0) {
            self.app = app
            self.container = container
            self.first = first
            self.last = last
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            app = try json.value("app")
            container = try json.value("container")
            first = try json.optional("first") ?? 0
            last = try json.optional("last") ?? 0
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("app", of: app)
            writer.member("container", of: container)
            writer.member("first", of: first)
            writer.member("last", of: last)
        }
    }

    /// Whether this machine has the account's key of encrypted fields: no app has used such a field here, the hub has
    /// to be asked first, a trusted machine has to trust this one, or it is trusted.
    public enum KeyState: String, VarlinkValue, CaseIterable {
        case unused, unknown, untrusted, trusted
    }

    /// A machine of the account that has published its key, and whether it is trusted with the account's key. Of others
    /// than this machine, `trusted` is known to a trusted machine only.
    public struct KeyMachine: VarlinkValue, VarlinkMembers, Equatable {
        /// `name`.
        public var name: String
        /// `trusted`.
        public var trusted: Bool
        /// `own`.
        public var own: Bool

        /// A value of these members.
        public init(name: String, trusted: Bool = false, own: Bool = false) {
            self.name = name
            self.trusted = trusted
            self.own = own
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            name = try json.value("name")
            trusted = try json.optional("trusted") ?? false
            own = try json.optional("own") ?? false
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("name", of: name)
            writer.member("trusted", of: trusted)
            writer.member("own", of: own)
        }
    }

    /// A text of an alert in the languages that the app's manifest has, by locale. `%@` stands for the next of the
    /// arguments, `%2$@` for the second one, and `%%` for a percent sign; a text without translations may be one for
    /// everybody, which has no arguments.
    public struct AlertText: VarlinkValue, VarlinkMembers, Equatable {
        /// `text`.
        public var text: String
        /// `translations`.
        public var translations: VarlinkMap<String>
        /// `arguments`.
        public var arguments: [String]

        /// A value of these members.
        public init(text: String, translations: VarlinkMap<String> = [:], arguments: [String] = []) {
            self.text = text
            self.translations = translations
            self.arguments = arguments
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            text = try json.value("text")
            translations = try json.optional("translations") ?? [:]
            arguments = try json.optional("arguments") ?? []
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("text", of: text)
            writer.member("translations", of: translations)
            writer.member("arguments", of: arguments)
        }
    }

    /// Changes from other machines that a subscription with an alert covers, and that nobody has been shown yet.
    public struct Alert: VarlinkValue, VarlinkMembers, Equatable {
        /// Identifies the alert until it is acknowledged.
        public var number: Int64
        /// The app, and its name by locale.
        public var app: String
        /// `name`.
        public var name: String
        /// `names`.
        public var names: VarlinkMap<String>
        /// `container`.
        public var container: String
        /// `environment`.
        public var environment: String
        /// `database`.
        public var database: String
        /// `subscription`.
        public var subscription: String
        /// The texts of the latest change. An absent body stands for a general sentence.
        public var title: AlertText?
        /// `body`.
        public var body: AlertText?
        /// How many changes there are.
        public var count: Int64
        /// When the latest was made: microseconds since 1970-01-01T00:00:00Z.
        public var time: Int64

        /// A value of these members.
        public init(
            number: Int64 = 0,
            app: String,
            name: String,
            names: VarlinkMap<String> = [:],
            container: String,
            environment: String,
            database: String,
            subscription: String,
            title: AlertText? = nil,
            body: AlertText? = nil,
            count: Int64 = 0,
            time: Int64 = 0
        ) {
            self.number = number
            self.app = app
            self.name = name
            self.names = names
            self.container = container
            self.environment = environment
            self.database = database
            self.subscription = subscription
            self.title = title
            self.body = body
            self.count = count
            self.time = time
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            number = try json.optional("number") ?? 0
            app = try json.value("app")
            name = try json.value("name")
            names = try json.optional("names") ?? [:]
            container = try json.value("container")
            environment = try json.value("environment")
            database = try json.value("database")
            subscription = try json.value("subscription")
            title = try json.optional("title")
            body = try json.optional("body")
            count = try json.optional("count") ?? 0
            time = try json.optional("time") ?? 0
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("number", of: number)
            writer.member("app", of: app)
            writer.member("name", of: name)
            writer.member("names", of: names)
            writer.member("container", of: container)
            writer.member("environment", of: environment)
            writer.member("database", of: database)
            writer.member("subscription", of: subscription)
            writer.member("title", of: title)
            writer.member("body", of: body)
            writer.member("count", of: count)
            writer.member("time", of: time)
        }
    }

    /// An app of this machine that uses containers, and whether the person is shown its alerts.
    public struct AlertApp: VarlinkValue, VarlinkMembers, Equatable {
        /// `app`.
        public var app: String
        /// `name`.
        public var name: String
        /// `names`.
        public var names: VarlinkMap<String>
        /// `containers`.
        public var containers: [String]
        /// `allowed`.
        public var allowed: Bool

        /// A value of these members.
        public init(
            app: String,
            name: String,
            names: VarlinkMap<String> = [:],
            containers: [String] = [],
            allowed: Bool = false
        ) {
            self.app = app
            self.name = name
            self.names = names
            self.containers = containers
            self.allowed = allowed
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            app = try json.value("app")
            name = try json.value("name")
            names = try json.optional("names") ?? [:]
            containers = try json.optional("containers") ?? []
            allowed = try json.optional("allowed") ?? false
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("app", of: app)
            writer.member("name", of: name)
            writer.member("names", of: names)
            writer.member("containers", of: containers)
            writer.member("allowed", of: allowed)
        }
    }

    /// An account in the team of a container: what it may do (manageTeam, editDevelopment, editProduction). The agent
    /// owns the container, and may do everything.
    public struct TeamMember: VarlinkValue, VarlinkMembers, Equatable {
        /// `account`.
        public var account: String
        /// `rights`.
        public var rights: [String]
        /// `agent`.
        public var agent: Bool

        /// A value of these members.
        public init(account: String, rights: [String] = [], agent: Bool = false) {
            self.account = account
            self.rights = rights
            self.agent = agent
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            account = try json.value("account")
            rights = try json.optional("rights") ?? []
            agent = try json.optional("agent") ?? false
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("account", of: account)
            writer.member("rights", of: rights)
            writer.member("agent", of: agent)
        }
    }

    /// What a schema lacks, or what has changed, in words; whether it only adds something.
    public struct SchemaDifference: VarlinkValue, VarlinkMembers, Equatable {
        /// `text`.
        public var text: String
        /// `addition`.
        public var addition: Bool

        /// A value of these members.
        public init(text: String, addition: Bool = false) {
            self.text = text
            self.addition = addition
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            text = try json.value("text")
            addition = try json.optional("addition") ?? false
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("text", of: text)
            writer.member("addition", of: addition)
        }
    }

    /// Joins the account of an invitation: `code` is that of `waymark-hub invite`, accepted once. For programs that act
    /// for the person. Durable before the reply.
    public struct Join: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.Join"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `Join`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `account`.
            public var account: String
            /// `device`.
            public var device: String

            /// A value of these members.
            public init(account: String, device: String) {
                self.account = account
                self.device = device
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                account = try json.value("account")
                device = try json.value("device")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("account", of: account)
                writer.member("device", of: device)
            }
        }

        /// `hub`.
        public var hub: String
        /// `code`.
        public var code: String

        /// A value of these members.
        public init(hub: String, code: String) {
            self.hub = hub
            self.code = code
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            hub = try json.value("hub")
            code = try json.value("code")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("hub", of: hub)
            writer.member("code", of: code)
        }
    }

    /// Leaves the account, and removes the copy and what was not sent. `unsent` is the number of changes that may be
    /// lost: with another number of them the call fails. The hub is notified if it can be reached; the reply does not
    /// wait for that. For programs that act for the person.
    public struct Leave: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.Leave"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply has no members: it confirms that the call is done.
        public typealias Reply = EmptyReply

        /// `unsent`.
        public var unsent: Int64

        /// A value of these members.
        public init(unsent: Int64) {
            self.unsent = unsent
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            unsent = try json.value("unsent")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("unsent", of: unsent)
        }
    }

    /// The account, and what happens at present. For programs that act for the person.
    public struct GetStatus: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.GetStatus"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `GetStatus`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `version`.
            public var version: String
            /// `state`.
            public var state: AccountState
            /// `hub`.
            public var hub: String?
            /// `account`.
            public var account: String?
            /// `device`.
            public var device: String?
            /// What happens: idle, sending, fetching, waiting.
            public var activity: String
            /// Whether a request waits for pushes of the hub.
            public var connected: Bool
            /// When the hub last answered: microseconds since 1970-01-01T00:00:00Z.
            public var lastContact: Int64?
            /// Why the hub could not be used at the last attempt, a sentence; absent where it could.
            public var problem: String?
            /// When the next attempt is made: microseconds since 1970-01-01T00:00:00Z.
            public var nextAttempt: Int64?
            /// `copyForm`.
            public var copyForm: CopyForm
            /// Why the copy is closed, or may have to be sealed and is not, a sentence.
            public var copyProblem: String?
            /// None while the copy is closed.
            public var containers: [Container]

            /// A value of these members.
            public init(
                version: String,
                state: AccountState,
                hub: String? = nil,
                account: String? = nil,
                device: String? = nil,
                activity: String,
                connected: Bool,
                lastContact: Int64? = nil,
                problem: String? = nil,
                nextAttempt: Int64? = nil,
                copyForm: CopyForm,
                copyProblem: String? = nil,
                containers: [Container]
            ) {
                self.version = version
                self.state = state
                self.hub = hub
                self.account = account
                self.device = device
                self.activity = activity
                self.connected = connected
                self.lastContact = lastContact
                self.problem = problem
                self.nextAttempt = nextAttempt
                self.copyForm = copyForm
                self.copyProblem = copyProblem
                self.containers = containers
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                version = try json.value("version")
                state = try json.value("state")
                hub = try json.optional("hub")
                account = try json.optional("account")
                device = try json.optional("device")
                activity = try json.value("activity")
                connected = try json.value("connected")
                lastContact = try json.optional("lastContact")
                problem = try json.optional("problem")
                nextAttempt = try json.optional("nextAttempt")
                copyForm = try json.value("copyForm")
                copyProblem = try json.optional("copyProblem")
                containers = try json.value("containers")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("version", of: version)
                writer.member("state", of: state)
                writer.member("hub", of: hub)
                writer.member("account", of: account)
                writer.member("device", of: device)
                writer.member("activity", of: activity)
                writer.member("connected", of: connected)
                writer.member("lastContact", of: lastContact)
                writer.member("problem", of: problem)
                writer.member("nextAttempt", of: nextAttempt)
                writer.member("copyForm", of: copyForm)
                writer.member("copyProblem", of: copyProblem)
                writer.member("containers", of: containers)
            }
        }

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// Whether there is an account, for an app. The reply to each change of it with `more`; while the copy is closed,
    /// the first reply follows when it is opened.
    public struct GetAccount: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.GetAccount"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `GetAccount`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `state`.
            public var state: AccountState
            /// `account`.
            public var account: String?
            /// `device`.
            public var device: String?
            /// Identifies the copy. It is chosen at random when an account is joined, also if it is the same account as
            /// before.
            public var copy: String?

            /// A value of these members.
            public init(state: AccountState, account: String? = nil, device: String? = nil, copy: String? = nil) {
                self.state = state
                self.account = account
                self.device = device
                self.copy = copy
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                state = try json.value("state")
                account = try json.optional("account")
                device = try json.optional("device")
                copy = try json.optional("copy")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("state", of: state)
                writer.member("account", of: account)
                writer.member("device", of: device)
                writer.member("copy", of: copy)
            }
        }

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// The identifier of the account for a container, a UUID: the same on all machines of the account and in both
    /// environments, and another one for each container, so that apps of different containers cannot compare theirs.
    /// That the app has received it is durable before the reply. Without an account the call fails with NoAccount.
    public struct GetAccountIdentifier: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.GetAccountIdentifier"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `GetAccountIdentifier`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
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

        /// `container`.
        public var container: String?

        /// A value of these members.
        public init(container: String? = nil) {
            self.container = container
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            container = try json.optional("container")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("container", of: container)
        }
    }

    /// The apps that have received an identifier of the present account on this machine. For programs that act for the
    /// person.
    public struct ListIdentifierReaders: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.ListIdentifierReaders"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `ListIdentifierReaders`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `readers`.
            public var readers: [IdentifierReader]

            /// A value of these members.
            public init(readers: [IdentifierReader]) {
                self.readers = readers
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                readers = try json.value("readers")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("readers", of: readers)
            }
        }

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// Makes and deletes zones of the account. One that exists stays as it is. The records of a deleted zone are
    /// removed from the copy, with their changes.
    public struct ModifyZones: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.ModifyZones"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply has no members: it confirms that the call is done.
        public typealias Reply = EmptyReply

        /// `container`.
        public var container: String?
        /// `environment`.
        public var environment: String?
        /// `save`.
        public var save: [String]?
        /// `delete`.
        public var delete: [String]?

        /// A value of these members.
        public init(
            container: String? = nil,
            environment: String? = nil,
            save: [String]? = nil,
            delete: [String]? = nil
        ) {
            self.container = container
            self.environment = environment
            self.save = save
            self.delete = delete
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            container = try json.optional("container")
            environment = try json.optional("environment")
            save = try json.optional("save")
            delete = try json.optional("delete")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("container", of: container)
            writer.member("environment", of: environment)
            writer.member("save", of: save)
            writer.member("delete", of: delete)
        }
    }

    /// The zones of the copy: those of this account, and those that are shared with it.
    public struct ListZones: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.ListZones"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `ListZones`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `zones`.
            public var zones: [Zone]

            /// A value of these members.
            public init(zones: [Zone]) {
                self.zones = zones
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                zones = try json.value("zones")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("zones", of: zones)
            }
        }

        /// `container`.
        public var container: String?
        /// `environment`.
        public var environment: String?

        /// A value of these members.
        public init(container: String? = nil, environment: String? = nil) {
            self.container = container
            self.environment = environment
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            container = try json.optional("container")
            environment = try json.optional("environment")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("container", of: container)
            writer.member("environment", of: environment)
        }
    }

    /// Saves and deletes records of a zone, all of them or none. `request` is the body of a request to modify records.
    /// A record without `changeTag` is based on the version in the copy. The reply has the revision of the copy after
    /// the change. With `unchangedSince`, nothing is changed if one of the records has been changed in the copy after
    /// this revision, by anybody: the call fails with RecordsChanged, so that what a program has compared before is
    /// still so.
    public struct ModifyRecords: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.ModifyRecords"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `ModifyRecords`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `revision`.
            public var revision: Int64

            /// A value of these members.
            public init(revision: Int64) {
                self.revision = revision
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                revision = try json.value("revision")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("revision", of: revision)
            }
        }

        /// `container`.
        public var container: String?
        /// `environment`.
        public var environment: String?
        /// `owner`.
        public var owner: String?
        /// `zone`.
        public var zone: String?
        /// `request`.
        public var request: JSON
        /// `unchangedSince`.
        public var unchangedSince: Int64?

        /// A value of these members.
        public init(
            container: String? = nil,
            environment: String? = nil,
            owner: String? = nil,
            zone: String? = nil,
            request: JSON,
            unchangedSince: Int64? = nil
        ) {
            self.container = container
            self.environment = environment
            self.owner = owner
            self.zone = zone
            self.request = request
            self.unchangedSince = unchangedSince
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            container = try json.optional("container")
            environment = try json.optional("environment")
            owner = try json.optional("owner")
            zone = try json.optional("zone")
            request = try json.value("request")
            unchangedSince = try json.optional("unchangedSince")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("container", of: container)
            writer.member("environment", of: environment)
            writer.member("owner", of: owner)
            writer.member("zone", of: zone)
            writer.member("request", of: request)
            writer.member("unchangedSince", of: unchangedSince)
        }
    }

    /// Records by their names, in the order of the names; those that do not exist are missing. `pending` in a record
    /// says that it has a change which is not sent yet; a record that the hub does not have yet has no system fields.
    /// `revision` is that of the copy then.
    public struct GetRecords: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.GetRecords"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `GetRecords`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `records`.
            public var records: [JSON]
            /// `revision`.
            public var revision: Int64?

            /// A value of these members.
            public init(records: [JSON], revision: Int64? = nil) {
                self.records = records
                self.revision = revision
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                records = try json.value("records")
                revision = try json.optional("revision")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("records", of: records)
                writer.member("revision", of: revision)
            }
        }

        /// `container`.
        public var container: String?
        /// `environment`.
        public var environment: String?
        /// `owner`.
        public var owner: String?
        /// `zone`.
        public var zone: String?
        /// `names`.
        public var names: [String]

        /// A value of these members.
        public init(
            container: String? = nil,
            environment: String? = nil,
            owner: String? = nil,
            zone: String? = nil,
            names: [String]
        ) {
            self.container = container
            self.environment = environment
            self.owner = owner
            self.zone = zone
            self.names = names
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            container = try json.optional("container")
            environment = try json.optional("environment")
            owner = try json.optional("owner")
            zone = try json.optional("zone")
            names = try json.value("names")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("container", of: container)
            writer.member("environment", of: environment)
            writer.member("owner", of: owner)
            writer.member("zone", of: zone)
            writer.member("names", of: names)
        }
    }

    /// A page of the records of a zone, in the order of their names, after the one named `after`. `query` has a type
    /// and a filter; with it a page has the records that match, and can be empty and be continued with `next` all the
    /// same. If it has an order (`sort`), the records of at most 10,000 are sorted, and `after` is the `next` of the
    /// page before.
    public struct ListRecords: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.ListRecords"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `ListRecords`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `records`.
            public var records: [JSON]
            /// `next`.
            public var next: String?

            /// A value of these members.
            public init(records: [JSON], next: String? = nil) {
                self.records = records
                self.next = next
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                records = try json.value("records")
                next = try json.optional("next")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("records", of: records)
                writer.member("next", of: next)
            }
        }

        /// `container`.
        public var container: String?
        /// `environment`.
        public var environment: String?
        /// `owner`.
        public var owner: String?
        /// `zone`.
        public var zone: String?
        /// `query`.
        public var query: JSON?
        /// `after`.
        public var after: String?
        /// `limit`.
        public var limit: Int64?

        /// A value of these members.
        public init(
            container: String? = nil,
            environment: String? = nil,
            owner: String? = nil,
            zone: String? = nil,
            query: JSON? = nil,
            after: String? = nil,
            limit: Int64? = nil
        ) {
            self.container = container
            self.environment = environment
            self.owner = owner
            self.zone = zone
            self.query = query
            self.after = after
            self.limit = limit
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            container = try json.optional("container")
            environment = try json.optional("environment")
            owner = try json.optional("owner")
            zone = try json.optional("zone")
            query = try json.optional("query")
            after = try json.optional("after")
            limit = try json.optional("limit")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("container", of: container)
            writer.member("environment", of: environment)
            writer.member("owner", of: owner)
            writer.member("zone", of: zone)
            writer.member("query", of: query)
            writer.member("after", of: after)
            writer.member("limit", of: limit)
        }
    }

    /// Adds a part of an asset to the copy, so that records of the zone can be saved that have it. `digest` is the
    /// SHA-256 digest of the whole asset as 64 hexadecimal digits in lower case, and `size` its size in bytes. `bytes`
    /// are up to 262144 bytes in base64, which begin at `offset`. The reply says how many bytes the copy has: the next
    /// part begins there. A part that begins elsewhere is not added, so that a program which was interrupted asks with
    /// an empty part where to go on. With the last byte the digest is compared; if it differs, the call fails with
    /// InvalidArgument, and the asset begins anew. Bytes that no record has are removed after a day.
    public struct AddAsset: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.AddAsset"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `AddAsset`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `stored`.
            public var stored: Int64
            /// `complete`.
            public var complete: Bool

            /// A value of these members.
            public init(stored: Int64, complete: Bool) {
                self.stored = stored
                self.complete = complete
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                stored = try json.value("stored")
                complete = try json.value("complete")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("stored", of: stored)
                writer.member("complete", of: complete)
            }
        }

        /// `container`.
        public var container: String?
        /// `environment`.
        public var environment: String?
        /// `owner`.
        public var owner: String?
        /// `zone`.
        public var zone: String?
        /// `digest`.
        public var digest: String
        /// `size`.
        public var size: Int64
        /// `offset`.
        public var offset: Int64
        /// `bytes`.
        public var bytes: String

        /// A value of these members.
        public init(
            container: String? = nil,
            environment: String? = nil,
            owner: String? = nil,
            zone: String? = nil,
            digest: String,
            size: Int64,
            offset: Int64,
            bytes: String
        ) {
            self.container = container
            self.environment = environment
            self.owner = owner
            self.zone = zone
            self.digest = digest
            self.size = size
            self.offset = offset
            self.bytes = bytes
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            container = try json.optional("container")
            environment = try json.optional("environment")
            owner = try json.optional("owner")
            zone = try json.optional("zone")
            digest = try json.value("digest")
            size = try json.value("size")
            offset = try json.value("offset")
            bytes = try json.value("bytes")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("container", of: container)
            writer.member("environment", of: environment)
            writer.member("owner", of: owner)
            writer.member("zone", of: zone)
            writer.member("digest", of: digest)
            writer.member("size", of: size)
            writer.member("offset", of: offset)
            writer.member("bytes", of: bytes)
        }
    }

    /// Up to 262144 bytes in base64 of an asset that a record has, from `offset` on: none at its end. What the copy
    /// does not have is downloaded from the hub first, all of it, and compared with the digest; that needs the hub.
    /// `size` is that of the whole asset.
    public struct ReadAsset: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.ReadAsset"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `ReadAsset`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `bytes`.
            public var bytes: String
            /// `size`.
            public var size: Int64

            /// A value of these members.
            public init(bytes: String, size: Int64) {
                self.bytes = bytes
                self.size = size
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                bytes = try json.value("bytes")
                size = try json.value("size")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("bytes", of: bytes)
                writer.member("size", of: size)
            }
        }

        /// `container`.
        public var container: String?
        /// `environment`.
        public var environment: String?
        /// `owner`.
        public var owner: String?
        /// `zone`.
        public var zone: String?
        /// `name`.
        public var name: String
        /// `digest`.
        public var digest: String
        /// `offset`.
        public var offset: Int64

        /// A value of these members.
        public init(
            container: String? = nil,
            environment: String? = nil,
            owner: String? = nil,
            zone: String? = nil,
            name: String,
            digest: String,
            offset: Int64
        ) {
            self.container = container
            self.environment = environment
            self.owner = owner
            self.zone = zone
            self.name = name
            self.digest = digest
            self.offset = offset
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            container = try json.optional("container")
            environment = try json.optional("environment")
            owner = try json.optional("owner")
            zone = try json.optional("zone")
            name = try json.value("name")
            digest = try json.value("digest")
            offset = try json.value("offset")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("container", of: container)
            writer.member("environment", of: environment)
            writer.member("owner", of: owner)
            writer.member("zone", of: zone)
            writer.member("name", of: name)
            writer.member("digest", of: digest)
            writer.member("offset", of: offset)
        }
    }

    /// What has changed in the copy of a container after a revision, 0 for everything. Each record and zone is listed
    /// once, with its latest change. `reset` says that deletions after the revision are not known any more: the app
    /// removes its own copy and begins with 0. `copy` identifies the copy in which the revision was read: with that of
    /// another copy the reply is `reset` as well, because its revisions number other changes. With `more` there is a
    /// reply for each page, and further ones when something changes: the call does not end. While the copy is closed,
    /// the first reply follows when it is opened.
    public struct GetChanges: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.GetChanges"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `GetChanges`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `changes`.
            public var changes: [Change]
            /// `revision`.
            public var revision: Int64
            /// `moreComing`.
            public var moreComing: Bool
            /// `reset`.
            public var reset: Bool
            /// `copy`.
            public var copy: String?

            /// A value of these members.
            public init(changes: [Change], revision: Int64, moreComing: Bool, reset: Bool, copy: String? = nil) {
                self.changes = changes
                self.revision = revision
                self.moreComing = moreComing
                self.reset = reset
                self.copy = copy
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                changes = try json.value("changes")
                revision = try json.value("revision")
                moreComing = try json.value("moreComing")
                reset = try json.value("reset")
                copy = try json.optional("copy")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("changes", of: changes)
                writer.member("revision", of: revision)
                writer.member("moreComing", of: moreComing)
                writer.member("reset", of: reset)
                writer.member("copy", of: copy)
            }
        }

        /// `container`.
        public var container: String?
        /// `environment`.
        public var environment: String?
        /// `since`.
        public var since: Int64
        /// `limit`.
        public var limit: Int64?
        /// `copy`.
        public var copy: String?

        /// A value of these members.
        public init(
            container: String? = nil,
            environment: String? = nil,
            since: Int64,
            limit: Int64? = nil,
            copy: String? = nil
        ) {
            self.container = container
            self.environment = environment
            self.since = since
            self.limit = limit
            self.copy = copy
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            container = try json.optional("container")
            environment = try json.optional("environment")
            since = try json.value("since")
            limit = try json.optional("limit")
            copy = try json.optional("copy")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("container", of: container)
            writer.member("environment", of: environment)
            writer.member("since", of: since)
            writer.member("limit", of: limit)
            writer.member("copy", of: copy)
        }
    }

    /// The machines of the account that use encrypted fields. `generation` is the number of the account's present key,
    /// which is the same on all trusted machines. `code` is what a person types on a trusted machine (TrustMachine) so
    /// that it trusts this one: it is a secret that the hub must not get. For programs that act for the person.
    public struct GetKeys: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.GetKeys"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `GetKeys`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `state`.
            public var state: KeyState
            /// `generation`.
            public var generation: Int64?
            /// `code`.
            public var code: String?
            /// What is wrong with the keys that the hub has, a sentence; absent where nothing is.
            public var problem: String?
            /// `machines`.
            public var machines: [KeyMachine]

            /// A value of these members.
            public init(
                state: KeyState,
                generation: Int64? = nil,
                code: String? = nil,
                problem: String? = nil,
                machines: [KeyMachine]
            ) {
                self.state = state
                self.generation = generation
                self.code = code
                self.problem = problem
                self.machines = machines
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                state = try json.value("state")
                generation = try json.optional("generation")
                code = try json.optional("code")
                problem = try json.optional("problem")
                machines = try json.value("machines")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("state", of: state)
                writer.member("generation", of: generation)
                writer.member("code", of: code)
                writer.member("problem", of: problem)
                writer.member("machines", of: machines)
            }
        }

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// Trusts the machine that shows a code with the account's key. The reply comes when the hub has the change. It
    /// needs the hub. For programs that act for the person.
    public struct TrustMachine: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.TrustMachine"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `TrustMachine`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
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

        /// `code`.
        public var code: String

        /// A value of these members.
        public init(code: String) {
            self.code = code
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            code = try json.value("code")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("code", of: code)
        }
    }

    /// What ResetKeys would do now: how many zones it would reset, and the assets of these zones whose bytes are not on
    /// this machine: how many, and how many bytes. A machine that the hub has removed from the account is refused. For
    /// programs that act for the person.
    public struct ExamineReset: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.ExamineReset"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `ExamineReset`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `zones`.
            public var zones: Int64
            /// `assets`.
            public var assets: Int64
            /// `assetBytes`.
            public var assetBytes: Int64

            /// A value of these members.
            public init(zones: Int64, assets: Int64, assetBytes: Int64) {
                self.zones = zones
                self.assets = assets
                self.assetBytes = assetBytes
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                zones = try json.value("zones")
                assets = try json.value("assets")
                assetBytes = try json.value("assetBytes")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("zones", of: zones)
                writer.member("assets", of: assets)
                writer.member("assetBytes", of: assetBytes)
            }
        }

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// Begins with a new key where no machine has the present one any more. Zones of this account with encrypted values
    /// that this machine cannot read are deleted with the reason `encryptedDataReset`, and made again without these
    /// values. The other machines have to be trusted again. The hub removes the bytes of assets with a zone, so that
    /// those which this machine does not have are downloaded first: the reply comes afterwards, and nothing is reset if
    /// that fails. With `loseAssets` nothing is downloaded, and the hub is not needed. `zones` is how many zones were
    /// reset, and `lostAssets` how many assets of theirs this machine does not have, with `lostBytes` in all. A machine
    /// that the hub has removed from the account is refused. For programs that act for the person.
    public struct ResetKeys: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.ResetKeys"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `ResetKeys`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `zones`.
            public var zones: Int64
            /// `lostAssets`.
            public var lostAssets: Int64
            /// `lostBytes`.
            public var lostBytes: Int64

            /// A value of these members.
            public init(zones: Int64, lostAssets: Int64, lostBytes: Int64) {
                self.zones = zones
                self.lostAssets = lostAssets
                self.lostBytes = lostBytes
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                zones = try json.value("zones")
                lostAssets = try json.value("lostAssets")
                lostBytes = try json.value("lostBytes")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("zones", of: zones)
                writer.member("lostAssets", of: lostAssets)
                writer.member("lostBytes", of: lostBytes)
            }
        }

        /// `loseAssets`.
        public var loseAssets: Bool?

        /// A value of these members.
        public init(loseAssets: Bool? = nil) {
            self.loseAssets = loseAssets
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            loseAssets = try json.optional("loseAssets")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("loseAssets", of: loseAssets)
        }
    }

    /// The changes of a container that the hub has refused, in the order in which they were made: all of them, or with
    /// `limit` a page of at most so many, which begins after the `next` of the page before. The last page has no
    /// `next`.
    public struct ListRefusedChanges: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.ListRefusedChanges"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `ListRefusedChanges`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `refused`.
            public var refused: [RefusedChange]
            /// `next`.
            public var next: Int64?

            /// A value of these members.
            public init(refused: [RefusedChange], next: Int64? = nil) {
                self.refused = refused
                self.next = next
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                refused = try json.value("refused")
                next = try json.optional("next")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("refused", of: refused)
                writer.member("next", of: next)
            }
        }

        /// `container`.
        public var container: String?
        /// `environment`.
        public var environment: String?
        /// `after`.
        public var after: Int64?
        /// `limit`.
        public var limit: Int64?

        /// A value of these members.
        public init(container: String? = nil, environment: String? = nil, after: Int64? = nil, limit: Int64? = nil) {
            self.container = container
            self.environment = environment
            self.after = after
            self.limit = limit
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            container = try json.optional("container")
            environment = try json.optional("environment")
            after = try json.optional("after")
            limit = try json.optional("limit")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("container", of: container)
            writer.member("environment", of: environment)
            writer.member("after", of: after)
            writer.member("limit", of: limit)
        }
    }

    /// Discards changes that are not sent yet, or that the hub has refused: the copy has the hub's records again. With
    /// `refused` only those that the hub has refused, and not one that a program has made of the same record since.
    public struct DiscardChanges: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.DiscardChanges"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply has no members: it confirms that the call is done.
        public typealias Reply = EmptyReply

        /// `container`.
        public var container: String?
        /// `environment`.
        public var environment: String?
        /// `owner`.
        public var owner: String?
        /// `zone`.
        public var zone: String?
        /// `names`.
        public var names: [String]
        /// `refused`.
        public var refused: Bool?

        /// A value of these members.
        public init(
            container: String? = nil,
            environment: String? = nil,
            owner: String? = nil,
            zone: String? = nil,
            names: [String],
            refused: Bool? = nil
        ) {
            self.container = container
            self.environment = environment
            self.owner = owner
            self.zone = zone
            self.names = names
            self.refused = refused
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            container = try json.optional("container")
            environment = try json.optional("environment")
            owner = try json.optional("owner")
            zone = try json.optional("zone")
            names = try json.value("names")
            refused = try json.optional("refused")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("container", of: container)
            writer.member("environment", of: environment)
            writer.member("owner", of: owner)
            writer.member("zone", of: zone)
            writer.member("names", of: names)
            writer.member("refused", of: refused)
        }
    }

    /// Sends and fetches everything at once. The reply comes when there is nothing left to send or fetch.
    public struct Synchronize: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.Synchronize"
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

    /// Invites an account to a zone of this account, or withdraws the zone from it; with `record` that record and all
    /// that are below it. The hub has to have the record already. It needs the hub.
    public struct ModifySharing: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.ModifySharing"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply has no members: it confirms that the call is done.
        public typealias Reply = EmptyReply

        /// `container`.
        public var container: String?
        /// `environment`.
        public var environment: String?
        /// `zone`.
        public var zone: String
        /// `invite`.
        public var invite: String?
        /// `withdraw`.
        public var withdraw: String?
        /// `permission`.
        public var permission: String?
        /// `record`.
        public var record: String?

        /// A value of these members.
        public init(
            container: String? = nil,
            environment: String? = nil,
            zone: String,
            invite: String? = nil,
            withdraw: String? = nil,
            permission: String? = nil,
            record: String? = nil
        ) {
            self.container = container
            self.environment = environment
            self.zone = zone
            self.invite = invite
            self.withdraw = withdraw
            self.permission = permission
            self.record = record
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            container = try json.optional("container")
            environment = try json.optional("environment")
            zone = try json.value("zone")
            invite = try json.optional("invite")
            withdraw = try json.optional("withdraw")
            permission = try json.optional("permission")
            record = try json.optional("record")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("container", of: container)
            writer.member("environment", of: environment)
            writer.member("zone", of: zone)
            writer.member("invite", of: invite)
            writer.member("withdraw", of: withdraw)
            writer.member("permission", of: permission)
            writer.member("record", of: record)
        }
    }

    /// The accounts that a zone of this account is shared with, or with `record` that record, as the hub has them. It
    /// needs the hub.
    public struct ListParticipants: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.ListParticipants"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `ListParticipants`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `participants`.
            public var participants: [Participant]

            /// A value of these members.
            public init(participants: [Participant]) {
                self.participants = participants
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                participants = try json.value("participants")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("participants", of: participants)
            }
        }

        /// `container`.
        public var container: String?
        /// `environment`.
        public var environment: String?
        /// `zone`.
        public var zone: String
        /// `record`.
        public var record: String?

        /// A value of these members.
        public init(container: String? = nil, environment: String? = nil, zone: String, record: String? = nil) {
            self.container = container
            self.environment = environment
            self.zone = zone
            self.record = record
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            container = try json.optional("container")
            environment = try json.optional("environment")
            zone = try json.value("zone")
            record = try json.optional("record")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("container", of: container)
            writer.member("environment", of: environment)
            writer.member("zone", of: zone)
            writer.member("record", of: record)
        }
    }

    /// An account that was invited to a zone, or to a record: what it may do (`read` or `write`), and whether it has
    /// accepted.
    public struct Participant: VarlinkValue, VarlinkMembers, Equatable {
        /// `account`.
        public var account: String
        /// `permission`.
        public var permission: String
        /// `accepted`.
        public var accepted: Bool

        /// A value of these members.
        public init(account: String, permission: String, accepted: Bool = false) {
            self.account = account
            self.permission = permission
            self.accepted = accepted
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            account = try json.value("account")
            permission = try json.value("permission")
            accepted = try json.optional("accepted") ?? false
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("account", of: account)
            writer.member("permission", of: permission)
            writer.member("accepted", of: accepted)
        }
    }

    /// The zones that others share with this account, or invite it to, as the hub has them. It needs the hub.
    public struct ListSharedZones: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.ListSharedZones"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `ListSharedZones`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `zones`.
            public var zones: [SharedZone]

            /// A value of these members.
            public init(zones: [SharedZone]) {
                self.zones = zones
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                zones = try json.value("zones")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("zones", of: zones)
            }
        }

        /// `container`.
        public var container: String?
        /// `environment`.
        public var environment: String?

        /// A value of these members.
        public init(container: String? = nil, environment: String? = nil) {
            self.container = container
            self.environment = environment
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            container = try json.optional("container")
            environment = try json.optional("environment")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("container", of: container)
            writer.member("environment", of: environment)
        }
    }

    /// A zone of another account; with `record`, only that record of it and all that are below it are shared.
    public struct SharedZone: VarlinkValue, VarlinkMembers, Equatable {
        /// `owner`.
        public var owner: String
        /// `name`.
        public var name: String
        /// `permission`.
        public var permission: String
        /// `accepted`.
        public var accepted: Bool
        /// `record`.
        public var record: String?

        /// A value of these members.
        public init(owner: String, name: String, permission: String, accepted: Bool = false, record: String? = nil) {
            self.owner = owner
            self.name = name
            self.permission = permission
            self.accepted = accepted
            self.record = record
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            owner = try json.value("owner")
            name = try json.value("name")
            permission = try json.value("permission")
            accepted = try json.optional("accepted") ?? false
            record = try json.optional("record")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("owner", of: owner)
            writer.member("name", of: name)
            writer.member("permission", of: permission)
            writer.member("accepted", of: accepted)
            writer.member("record", of: record)
        }
    }

    /// Accepts a zone that is shared with this account, or a record of it, or leaves it. It needs the hub.
    public struct AcceptZone: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.AcceptZone"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply has no members: it confirms that the call is done.
        public typealias Reply = EmptyReply

        /// `container`.
        public var container: String?
        /// `environment`.
        public var environment: String?
        /// `owner`.
        public var owner: String
        /// `zone`.
        public var zone: String
        /// `accept`.
        public var accept: Bool
        /// `record`.
        public var record: String?

        /// A value of these members.
        public init(
            container: String? = nil,
            environment: String? = nil,
            owner: String,
            zone: String,
            accept: Bool,
            record: String? = nil
        ) {
            self.container = container
            self.environment = environment
            self.owner = owner
            self.zone = zone
            self.accept = accept
            self.record = record
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            container = try json.optional("container")
            environment = try json.optional("environment")
            owner = try json.value("owner")
            zone = try json.value("zone")
            accept = try json.value("accept")
            record = try json.optional("record")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("container", of: container)
            writer.member("environment", of: environment)
            writer.member("owner", of: owner)
            writer.member("zone", of: zone)
            writer.member("accept", of: accept)
            writer.member("record", of: record)
        }
    }

    /// Stores a subscription of the account to the changes of records that a query finds, instead of the one with its
    /// name. It has `query`, `on`, and perhaps `zone`, `once` and `alert`, as the hub reads it. `database` is private
    /// (the default), shared or public. The other devices of the account get pushes of such changes, which start an app
    /// with `For=push`. It needs the hub.
    public struct SaveSubscription: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.SaveSubscription"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply has no members: it confirms that the call is done.
        public typealias Reply = EmptyReply

        /// `container`.
        public var container: String?
        /// `environment`.
        public var environment: String?
        /// `database`.
        public var database: String?
        /// `name`.
        public var name: String
        /// `subscription`.
        public var subscription: JSON

        /// A value of these members.
        public init(
            container: String? = nil,
            environment: String? = nil,
            database: String? = nil,
            name: String,
            subscription: JSON
        ) {
            self.container = container
            self.environment = environment
            self.database = database
            self.name = name
            self.subscription = subscription
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            container = try json.optional("container")
            environment = try json.optional("environment")
            database = try json.optional("database")
            name = try json.value("name")
            subscription = try json.value("subscription")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("container", of: container)
            writer.member("environment", of: environment)
            writer.member("database", of: database)
            writer.member("name", of: name)
            writer.member("subscription", of: subscription)
        }
    }

    /// Removes a subscription, if there is one. It needs the hub.
    public struct DeleteSubscription: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.DeleteSubscription"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply has no members: it confirms that the call is done.
        public typealias Reply = EmptyReply

        /// `container`.
        public var container: String?
        /// `environment`.
        public var environment: String?
        /// `database`.
        public var database: String?
        /// `name`.
        public var name: String

        /// A value of these members.
        public init(container: String? = nil, environment: String? = nil, database: String? = nil, name: String) {
            self.container = container
            self.environment = environment
            self.database = database
            self.name = name
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            container = try json.optional("container")
            environment = try json.optional("environment")
            database = try json.optional("database")
            name = try json.value("name")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("container", of: container)
            writer.member("environment", of: environment)
            writer.member("database", of: database)
            writer.member("name", of: name)
        }
    }

    /// Alerts that nobody has been shown yet, the earliest first: one for each subscription. An alert of an app that is
    /// not installed, or whose alerts the person does not want, is not listed. While there are some, a file `alerts` is
    /// in the folder of this socket, whose time changes with further ones. For programs that act for the person.
    public struct GetAlerts: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.GetAlerts"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `GetAlerts`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `alerts`.
            public var alerts: [Alert]

            /// A value of these members.
            public init(alerts: [Alert]) {
                self.alerts = alerts
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                alerts = try json.value("alerts")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("alerts", of: alerts)
            }
        }

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// Notes that the person was shown an alert with so many changes. Those that came since remain, as an alert of the
    /// same number. For programs that act for the person.
    public struct AcknowledgeAlert: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.AcknowledgeAlert"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply has no members: it confirms that the call is done.
        public typealias Reply = EmptyReply

        /// `number`.
        public var number: Int64
        /// `count`.
        public var count: Int64

        /// A value of these members.
        public init(number: Int64, count: Int64) {
            self.number = number
            self.count = count
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            number = try json.value("number")
            count = try json.value("count")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("number", of: number)
            writer.member("count", of: count)
        }
    }

    /// The apps of this machine that use containers. For programs that act for the person.
    public struct ListAlertApps: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.ListAlertApps"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `ListAlertApps`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `apps`.
            public var apps: [AlertApp]

            /// A value of these members.
            public init(apps: [AlertApp]) {
                self.apps = apps
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                apps = try json.value("apps")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("apps", of: apps)
            }
        }

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// Whether the person is shown the alerts of an app. Leaving the account does not change it. For programs that act
    /// for the person.
    public struct AllowAlerts: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.AllowAlerts"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply has no members: it confirms that the call is done.
        public typealias Reply = EmptyReply

        /// `app`.
        public var app: String
        /// `allowed`.
        public var allowed: Bool

        /// A value of these members.
        public init(app: String, allowed: Bool) {
            self.app = app
            self.allowed = allowed
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            app = try json.value("app")
            allowed = try json.value("allowed")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("app", of: app)
            writer.member("allowed", of: allowed)
        }
    }

    /// The team of a container, the agent first; empty if it has none. It needs the hub, and an account of the team.
    /// For programs that act for the person.
    public struct GetTeam: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.GetTeam"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `GetTeam`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `members`.
            public var members: [TeamMember]

            /// A value of these members.
            public init(members: [TeamMember]) {
                self.members = members
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                members = try json.value("members")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("members", of: members)
            }
        }

        /// `container`.
        public var container: String

        /// A value of these members.
        public init(container: String) {
            self.container = container
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            container = try json.value("container")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("container", of: container)
        }
    }

    /// Adds an account to the team of a container with these rights, or replaces its rights; with `agent` it becomes
    /// the agent instead. It needs the hub, and the right manageTeam. For programs that act for the person.
    public struct SetTeamMember: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.SetTeamMember"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `SetTeamMember`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `members`.
            public var members: [TeamMember]

            /// A value of these members.
            public init(members: [TeamMember]) {
                self.members = members
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                members = try json.value("members")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("members", of: members)
            }
        }

        /// `container`.
        public var container: String
        /// `account`.
        public var account: String
        /// `rights`.
        public var rights: [String]
        /// `agent`.
        public var agent: Bool

        /// A value of these members.
        public init(container: String, account: String, rights: [String], agent: Bool) {
            self.container = container
            self.account = account
            self.rights = rights
            self.agent = agent
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            container = try json.value("container")
            account = try json.value("account")
            rights = try json.value("rights")
            agent = try json.value("agent")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("container", of: container)
            writer.member("account", of: account)
            writer.member("rights", of: rights)
            writer.member("agent", of: agent)
        }
    }

    /// Removes an account from the team of a container. It needs the hub, and the right manageTeam for another account
    /// than one's own. For programs that act for the person.
    public struct RemoveTeamMember: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.RemoveTeamMember"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `RemoveTeamMember`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `members`.
            public var members: [TeamMember]

            /// A value of these members.
            public init(members: [TeamMember]) {
                self.members = members
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                members = try json.value("members")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("members", of: members)
            }
        }

        /// `container`.
        public var container: String
        /// `account`.
        public var account: String

        /// A value of these members.
        public init(container: String, account: String) {
            self.container = container
            self.account = account
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            container = try json.value("container")
            account = try json.value("account")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("container", of: container)
            writer.member("account", of: account)
        }
    }

    /// The schema of a container, as Documentation/hub.md describes it. It needs the hub, an account of the team, and
    /// for production the right editProduction. For programs that act for the person.
    public struct GetSchema: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.GetSchema"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `GetSchema`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `schema`.
            public var schema: JSON

            /// A value of these members.
            public init(schema: JSON) {
                self.schema = schema
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                schema = try json.value("schema")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("schema", of: schema)
            }
        }

        /// `container`.
        public var container: String
        /// `environment`.
        public var environment: String

        /// A value of these members.
        public init(container: String, environment: String) {
            self.container = container
            self.environment = environment
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            container = try json.value("container")
            environment = try json.value("environment")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("container", of: container)
            writer.member("environment", of: environment)
        }
    }

    /// Replaces the schema of development. It needs the hub, and the right editDevelopment. For programs that act for
    /// the person.
    public struct ReplaceSchema: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.ReplaceSchema"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `ReplaceSchema`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `differences`.
            public var differences: [SchemaDifference]

            /// A value of these members.
            public init(differences: [SchemaDifference]) {
                self.differences = differences
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                differences = try json.value("differences")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("differences", of: differences)
            }
        }

        /// `container`.
        public var container: String
        /// `schema`.
        public var schema: JSON

        /// A value of these members.
        public init(container: String, schema: JSON) {
            self.container = container
            self.schema = schema
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            container = try json.value("container")
            schema = try json.value("schema")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("container", of: container)
            writer.member("schema", of: schema)
        }
    }

    /// What a deployment would change. It needs the hub, and the right editProduction. For programs that act for the
    /// person.
    public struct CompareSchemas: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.CompareSchemas"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `CompareSchemas`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `differences`.
            public var differences: [SchemaDifference]

            /// A value of these members.
            public init(differences: [SchemaDifference]) {
                self.differences = differences
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                differences = try json.value("differences")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("differences", of: differences)
            }
        }

        /// `container`.
        public var container: String

        /// A value of these members.
        public init(container: String) {
            self.container = container
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            container = try json.value("container")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("container", of: container)
        }
    }

    /// Adds to production what development has and it lacks; with `changeRoles` also other roles of types that it has.
    /// It needs the hub, and the right editProduction. For programs that act for the person.
    public struct DeploySchema: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.DeploySchema"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `DeploySchema`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `differences`.
            public var differences: [SchemaDifference]

            /// A value of these members.
            public init(differences: [SchemaDifference]) {
                self.differences = differences
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                differences = try json.value("differences")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("differences", of: differences)
            }
        }

        /// `container`.
        public var container: String
        /// `changeRoles`.
        public var changeRoles: Bool

        /// A value of these members.
        public init(container: String, changeRoles: Bool) {
            self.container = container
            self.changeRoles = changeRoles
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            container = try json.value("container")
            changeRoles = try json.value("changeRoles")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("container", of: container)
            writer.member("changeRoles", of: changeRoles)
        }
    }

    /// Records of the public database by their names, as the hub has them: those that do not exist, or that the account
    /// may not read, are missing. The copy has none of them. It needs the hub.
    public struct GetPublicRecords: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.GetPublicRecords"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `GetPublicRecords`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `records`.
            public var records: [JSON]

            /// A value of these members.
            public init(records: [JSON]) {
                self.records = records
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                records = try json.value("records")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("records", of: records)
            }
        }

        /// `container`.
        public var container: String?
        /// `environment`.
        public var environment: String?
        /// `names`.
        public var names: [String]

        /// A value of these members.
        public init(container: String? = nil, environment: String? = nil, names: [String]) {
            self.container = container
            self.environment = environment
            self.names = names
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            container = try json.optional("container")
            environment = try json.optional("environment")
            names = try json.value("names")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("container", of: container)
            writer.member("environment", of: environment)
            writer.member("names", of: names)
        }
    }

    /// A page of the records of the public database that a query finds, as the hub has them. `query` is that of the
    /// hub, with the indexes that it needs there. A page can be empty and be continued with `cursor` all the same. It
    /// needs the hub.
    public struct QueryPublicRecords: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.QueryPublicRecords"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `QueryPublicRecords`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `records`.
            public var records: [JSON]
            /// `cursor`.
            public var cursor: String?

            /// A value of these members.
            public init(records: [JSON], cursor: String? = nil) {
                self.records = records
                self.cursor = cursor
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                records = try json.value("records")
                cursor = try json.optional("cursor")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("records", of: records)
                writer.member("cursor", of: cursor)
            }
        }

        /// `container`.
        public var container: String?
        /// `environment`.
        public var environment: String?
        /// `query`.
        public var query: JSON
        /// `cursor`.
        public var cursor: String?
        /// `limit`.
        public var limit: Int64?

        /// A value of these members.
        public init(
            container: String? = nil,
            environment: String? = nil,
            query: JSON,
            cursor: String? = nil,
            limit: Int64? = nil
        ) {
            self.container = container
            self.environment = environment
            self.query = query
            self.cursor = cursor
            self.limit = limit
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            container = try json.optional("container")
            environment = try json.optional("environment")
            query = try json.value("query")
            cursor = try json.optional("cursor")
            limit = try json.optional("limit")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("container", of: container)
            writer.member("environment", of: environment)
            writer.member("query", of: query)
            writer.member("cursor", of: cursor)
            writer.member("limit", of: limit)
        }
    }

    /// Saves and deletes records of the public database at the hub, each on its own. `request` is the body of a request
    /// to modify records, and `outcomes` is what has become of each: the saves in their order, then the deletions. It
    /// needs the hub. If the call fails with NetworkUnavailable, whether anything was changed is not known.
    public struct ModifyPublicRecords: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.ModifyPublicRecords"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `ModifyPublicRecords`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `outcomes`.
            public var outcomes: [JSON]

            /// A value of these members.
            public init(outcomes: [JSON]) {
                self.outcomes = outcomes
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                outcomes = try json.value("outcomes")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("outcomes", of: outcomes)
            }
        }

        /// `container`.
        public var container: String?
        /// `environment`.
        public var environment: String?
        /// `request`.
        public var request: JSON

        /// A value of these members.
        public init(container: String? = nil, environment: String? = nil, request: JSON) {
            self.container = container
            self.environment = environment
            self.request = request
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            container = try json.optional("container")
            environment = try json.optional("environment")
            request = try json.value("request")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("container", of: container)
            writer.member("environment", of: environment)
            writer.member("request", of: request)
        }
    }

    /// Uploads a part of an asset to the public database at the hub, so that records can be saved there that have it.
    /// The parameters and the reply are those of AddAsset; the copy has none of the bytes. Bytes that no record has are
    /// removed after a week. It needs the hub.
    public struct AddPublicAsset: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.AddPublicAsset"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `AddPublicAsset`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `stored`.
            public var stored: Int64
            /// `complete`.
            public var complete: Bool

            /// A value of these members.
            public init(stored: Int64, complete: Bool) {
                self.stored = stored
                self.complete = complete
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                stored = try json.value("stored")
                complete = try json.value("complete")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("stored", of: stored)
                writer.member("complete", of: complete)
            }
        }

        /// `container`.
        public var container: String?
        /// `environment`.
        public var environment: String?
        /// `digest`.
        public var digest: String
        /// `size`.
        public var size: Int64
        /// `offset`.
        public var offset: Int64
        /// `bytes`.
        public var bytes: String

        /// A value of these members.
        public init(
            container: String? = nil,
            environment: String? = nil,
            digest: String,
            size: Int64,
            offset: Int64,
            bytes: String
        ) {
            self.container = container
            self.environment = environment
            self.digest = digest
            self.size = size
            self.offset = offset
            self.bytes = bytes
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            container = try json.optional("container")
            environment = try json.optional("environment")
            digest = try json.value("digest")
            size = try json.value("size")
            offset = try json.value("offset")
            bytes = try json.value("bytes")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("container", of: container)
            writer.member("environment", of: environment)
            writer.member("digest", of: digest)
            writer.member("size", of: size)
            writer.member("offset", of: offset)
            writer.member("bytes", of: bytes)
        }
    }

    /// Up to 262144 bytes in base64 of an asset that a record of the public database has, from `offset` on: none at its
    /// end. Each call is a request to the hub, so that who reads all parts compares the digest. `size` is that of the
    /// whole asset.
    public struct ReadPublicAsset: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.ReadPublicAsset"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `ReadPublicAsset`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `bytes`.
            public var bytes: String
            /// `size`.
            public var size: Int64

            /// A value of these members.
            public init(bytes: String, size: Int64) {
                self.bytes = bytes
                self.size = size
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                bytes = try json.value("bytes")
                size = try json.value("size")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("bytes", of: bytes)
                writer.member("size", of: size)
            }
        }

        /// `container`.
        public var container: String?
        /// `environment`.
        public var environment: String?
        /// `name`.
        public var name: String
        /// `digest`.
        public var digest: String
        /// `offset`.
        public var offset: Int64

        /// A value of these members.
        public init(container: String? = nil, environment: String? = nil, name: String, digest: String, offset: Int64) {
            self.container = container
            self.environment = environment
            self.name = name
            self.digest = digest
            self.offset = offset
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            container = try json.optional("container")
            environment = try json.optional("environment")
            name = try json.value("name")
            digest = try json.value("digest")
            offset = try json.value("offset")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("container", of: container)
            writer.member("environment", of: environment)
            writer.member("name", of: name)
            writer.member("digest", of: digest)
            writer.member("offset", of: offset)
        }
    }

    /// The subscriptions of the account in a database, as the hub has them, each with its `name`; without the one that
    /// waymark-sync has itself. It needs the hub.
    public struct ListSubscriptions: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = SyncInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Sync.ListSubscriptions"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `ListSubscriptions`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `subscriptions`.
            public var subscriptions: [JSON]

            /// A value of these members.
            public init(subscriptions: [JSON]) {
                self.subscriptions = subscriptions
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                subscriptions = try json.value("subscriptions")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("subscriptions", of: subscriptions)
            }
        }

        /// `container`.
        public var container: String?
        /// `environment`.
        public var environment: String?
        /// `database`.
        public var database: String?

        /// A value of these members.
        public init(container: String? = nil, environment: String? = nil, database: String? = nil) {
            self.container = container
            self.environment = environment
            self.database = database
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            container = try json.optional("container")
            environment = try json.optional("environment")
            database = try json.optional("database")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("container", of: container)
            writer.member("environment", of: environment)
            writer.member("database", of: database)
        }
    }

    /// The errors of the interface.
    public enum Failure: VarlinkFailure {
        /// The caller may not do this. The message says why, and what to do.
        case notAllowed(message: String)
        /// An argument is no valid name, number or request.
        case invalidArgument(argument: String, message: String)
        /// This machine has joined no account. `waymark join` joins one.
        case noAccount(message: String)
        /// This machine has joined an account already.
        case alreadyJoined(message: String)
        /// There is no such zone in the copy. An app makes its zones with ModifyZones.
        case zoneNotFound(message: String)
        /// The record does not exist or does not have this asset, neither the copy nor the hub has its bytes, or a
        /// record is saved with an asset whose bytes were not added. The message says which.
        case assetNotFound(message: String)
        /// A limit is exceeded.
        case limitExceeded(limit: String, most: Int64, message: String)
        /// A record has been changed in the copy since the revision that the call names. Read it again, and compare.
        case recordsChanged(message: String)
        /// The hub or waymark-sync has refused the request. The message says why.
        case refused(message: String)
        /// The hub cannot be reached at present.
        case networkUnavailable(message: String)
        /// There are changes that are not sent yet: their number.
        case unsentChanges(count: Int64, message: String)
        /// The copy is sealed, and its key is not there: nobody has unlocked the data since the machine was started,
        /// the daemon that has the key does not run, or the copy is just being sealed or opened. The message says what
        /// to do.
        case protectedDataUnavailable(message: String)
        /// The value of an encrypted field cannot be saved: this machine is not trusted with the account's key, or the
        /// zone is not one of this account. The message says what to do.
        case encryptedDataUnavailable(message: String)
        /// The copy cannot be read or written: the disk is full or broken.
        case notStored(message: String)

        /// Reads an error of this interface; nil for another error, or where a parameter is missing.
        public init?(name: String, parameters json: JSON) {
            do throws(InvalidParameter) {
                switch name {
                case "io.waymark.Sync.NotAllowed":
                    self = try .notAllowed(message: json.value("message"))
                case "io.waymark.Sync.InvalidArgument":
                    self = try .invalidArgument(argument: json.value("argument"), message: json.value("message"))
                case "io.waymark.Sync.NoAccount":
                    self = try .noAccount(message: json.value("message"))
                case "io.waymark.Sync.AlreadyJoined":
                    self = try .alreadyJoined(message: json.value("message"))
                case "io.waymark.Sync.ZoneNotFound":
                    self = try .zoneNotFound(message: json.value("message"))
                case "io.waymark.Sync.AssetNotFound":
                    self = try .assetNotFound(message: json.value("message"))
                case "io.waymark.Sync.LimitExceeded":
                    self = try .limitExceeded(
                        limit: json.value("limit"), most: json.value("most"), message: json.value("message"))
                case "io.waymark.Sync.RecordsChanged":
                    self = try .recordsChanged(message: json.value("message"))
                case "io.waymark.Sync.Refused":
                    self = try .refused(message: json.value("message"))
                case "io.waymark.Sync.NetworkUnavailable":
                    self = try .networkUnavailable(message: json.value("message"))
                case "io.waymark.Sync.UnsentChanges":
                    self = try .unsentChanges(count: json.value("count"), message: json.value("message"))
                case "io.waymark.Sync.ProtectedDataUnavailable":
                    self = try .protectedDataUnavailable(message: json.value("message"))
                case "io.waymark.Sync.EncryptedDataUnavailable":
                    self = try .encryptedDataUnavailable(message: json.value("message"))
                case "io.waymark.Sync.NotStored":
                    self = try .notStored(message: json.value("message"))
                default: return nil
                }
            } catch {
                return nil
            }
        }

        /// The full name.
        public var name: String {
            switch self {
            case .notAllowed: "io.waymark.Sync.NotAllowed"
            case .invalidArgument: "io.waymark.Sync.InvalidArgument"
            case .noAccount: "io.waymark.Sync.NoAccount"
            case .alreadyJoined: "io.waymark.Sync.AlreadyJoined"
            case .zoneNotFound: "io.waymark.Sync.ZoneNotFound"
            case .assetNotFound: "io.waymark.Sync.AssetNotFound"
            case .limitExceeded: "io.waymark.Sync.LimitExceeded"
            case .recordsChanged: "io.waymark.Sync.RecordsChanged"
            case .refused: "io.waymark.Sync.Refused"
            case .networkUnavailable: "io.waymark.Sync.NetworkUnavailable"
            case .unsentChanges: "io.waymark.Sync.UnsentChanges"
            case .protectedDataUnavailable: "io.waymark.Sync.ProtectedDataUnavailable"
            case .encryptedDataUnavailable: "io.waymark.Sync.EncryptedDataUnavailable"
            case .notStored: "io.waymark.Sync.NotStored"
            }
        }

        /// The sentence for a person.
        public var message: String {
            switch self {
            case .notAllowed(let message): message
            case .invalidArgument(_, let message): message
            case .noAccount(let message): message
            case .alreadyJoined(let message): message
            case .zoneNotFound(let message): message
            case .assetNotFound(let message): message
            case .limitExceeded(_, _, let message): message
            case .recordsChanged(let message): message
            case .refused(let message): message
            case .networkUnavailable(let message): message
            case .unsentChanges(_, let message): message
            case .protectedDataUnavailable(let message): message
            case .encryptedDataUnavailable(let message): message
            case .notStored(let message): message
            }
        }

        /// Whether it means that the caller is not allowed.
        public var isRefusal: Bool {
            switch self {
            case .notAllowed: true
            default: false
            }
        }

        /// Writes the parameters.
        public func writeMembers(to writer: inout JSONWriter) {
            switch self {
            case .notAllowed(let message):
                writer.member("message", of: message)
            case .invalidArgument(let argument, let message):
                writer.member("argument", of: argument)
                writer.member("message", of: message)
            case .noAccount(let message):
                writer.member("message", of: message)
            case .alreadyJoined(let message):
                writer.member("message", of: message)
            case .zoneNotFound(let message):
                writer.member("message", of: message)
            case .assetNotFound(let message):
                writer.member("message", of: message)
            case .limitExceeded(let limit, let most, let message):
                writer.member("limit", of: limit)
                writer.member("most", of: most)
                writer.member("message", of: message)
            case .recordsChanged(let message):
                writer.member("message", of: message)
            case .refused(let message):
                writer.member("message", of: message)
            case .networkUnavailable(let message):
                writer.member("message", of: message)
            case .unsentChanges(let count, let message):
                writer.member("count", of: count)
                writer.member("message", of: message)
            case .protectedDataUnavailable(let message):
                writer.member("message", of: message)
            case .encryptedDataUnavailable(let message):
                writer.member("message", of: message)
            case .notStored(let message):
                writer.member("message", of: message)
            }
        }
    }

    /// Implements the methods; a reply may come at once or later. A thrown error ends the call.
    @DaemonActor
    public protocol Handler: AnyObject {
        /// Handles `Join`.
        func join(_ call: MethodCall<Join>) throws(Failure)
        /// Handles `Leave`.
        func leave(_ call: MethodCall<Leave>) throws(Failure)
        /// Handles `GetStatus`.
        func getStatus(_ call: MethodCall<GetStatus>) throws(Failure)
        /// Handles `GetAccount`.
        func getAccount(_ call: MethodCall<GetAccount>) throws(Failure)
        /// Handles `GetAccountIdentifier`.
        func getAccountIdentifier(_ call: MethodCall<GetAccountIdentifier>) throws(Failure)
        /// Handles `ListIdentifierReaders`.
        func listIdentifierReaders(_ call: MethodCall<ListIdentifierReaders>) throws(Failure)
        /// Handles `ModifyZones`.
        func modifyZones(_ call: MethodCall<ModifyZones>) throws(Failure)
        /// Handles `ListZones`.
        func listZones(_ call: MethodCall<ListZones>) throws(Failure)
        /// Handles `ModifyRecords`.
        func modifyRecords(_ call: MethodCall<ModifyRecords>) throws(Failure)
        /// Handles `GetRecords`.
        func getRecords(_ call: MethodCall<GetRecords>) throws(Failure)
        /// Handles `ListRecords`.
        func listRecords(_ call: MethodCall<ListRecords>) throws(Failure)
        /// Handles `AddAsset`.
        func addAsset(_ call: MethodCall<AddAsset>) throws(Failure)
        /// Handles `ReadAsset`.
        func readAsset(_ call: MethodCall<ReadAsset>) throws(Failure)
        /// Handles `GetChanges`.
        func getChanges(_ call: MethodCall<GetChanges>) throws(Failure)
        /// Handles `GetKeys`.
        func getKeys(_ call: MethodCall<GetKeys>) throws(Failure)
        /// Handles `TrustMachine`.
        func trustMachine(_ call: MethodCall<TrustMachine>) throws(Failure)
        /// Handles `ExamineReset`.
        func examineReset(_ call: MethodCall<ExamineReset>) throws(Failure)
        /// Handles `ResetKeys`.
        func resetKeys(_ call: MethodCall<ResetKeys>) throws(Failure)
        /// Handles `ListRefusedChanges`.
        func listRefusedChanges(_ call: MethodCall<ListRefusedChanges>) throws(Failure)
        /// Handles `DiscardChanges`.
        func discardChanges(_ call: MethodCall<DiscardChanges>) throws(Failure)
        /// Handles `Synchronize`.
        func synchronize(_ call: MethodCall<Synchronize>) throws(Failure)
        /// Handles `ModifySharing`.
        func modifySharing(_ call: MethodCall<ModifySharing>) throws(Failure)
        /// Handles `ListParticipants`.
        func listParticipants(_ call: MethodCall<ListParticipants>) throws(Failure)
        /// Handles `ListSharedZones`.
        func listSharedZones(_ call: MethodCall<ListSharedZones>) throws(Failure)
        /// Handles `AcceptZone`.
        func acceptZone(_ call: MethodCall<AcceptZone>) throws(Failure)
        /// Handles `SaveSubscription`.
        func saveSubscription(_ call: MethodCall<SaveSubscription>) throws(Failure)
        /// Handles `DeleteSubscription`.
        func deleteSubscription(_ call: MethodCall<DeleteSubscription>) throws(Failure)
        /// Handles `GetAlerts`.
        func getAlerts(_ call: MethodCall<GetAlerts>) throws(Failure)
        /// Handles `AcknowledgeAlert`.
        func acknowledgeAlert(_ call: MethodCall<AcknowledgeAlert>) throws(Failure)
        /// Handles `ListAlertApps`.
        func listAlertApps(_ call: MethodCall<ListAlertApps>) throws(Failure)
        /// Handles `AllowAlerts`.
        func allowAlerts(_ call: MethodCall<AllowAlerts>) throws(Failure)
        /// Handles `GetTeam`.
        func getTeam(_ call: MethodCall<GetTeam>) throws(Failure)
        /// Handles `SetTeamMember`.
        func setTeamMember(_ call: MethodCall<SetTeamMember>) throws(Failure)
        /// Handles `RemoveTeamMember`.
        func removeTeamMember(_ call: MethodCall<RemoveTeamMember>) throws(Failure)
        /// Handles `GetSchema`.
        func getSchema(_ call: MethodCall<GetSchema>) throws(Failure)
        /// Handles `ReplaceSchema`.
        func replaceSchema(_ call: MethodCall<ReplaceSchema>) throws(Failure)
        /// Handles `CompareSchemas`.
        func compareSchemas(_ call: MethodCall<CompareSchemas>) throws(Failure)
        /// Handles `DeploySchema`.
        func deploySchema(_ call: MethodCall<DeploySchema>) throws(Failure)
        /// Handles `GetPublicRecords`.
        func getPublicRecords(_ call: MethodCall<GetPublicRecords>) throws(Failure)
        /// Handles `QueryPublicRecords`.
        func queryPublicRecords(_ call: MethodCall<QueryPublicRecords>) throws(Failure)
        /// Handles `ModifyPublicRecords`.
        func modifyPublicRecords(_ call: MethodCall<ModifyPublicRecords>) throws(Failure)
        /// Handles `AddPublicAsset`.
        func addPublicAsset(_ call: MethodCall<AddPublicAsset>) throws(Failure)
        /// Handles `ReadPublicAsset`.
        func readPublicAsset(_ call: MethodCall<ReadPublicAsset>) throws(Failure)
        /// Handles `ListSubscriptions`.
        func listSubscriptions(_ call: MethodCall<ListSubscriptions>) throws(Failure)
    }

    /// Passes a call to the handler's method of its name.
    @DaemonActor
    public static func perform(_ call: Call, by handler: some Handler) {
        switch call.methodName {
        case "Join":
            call.perform(Join.self) { (call) throws(Failure) in
                try handler.join(call)
            }
        case "Leave":
            call.perform(Leave.self) { (call) throws(Failure) in
                try handler.leave(call)
            }
        case "GetStatus":
            call.perform(GetStatus.self) { (call) throws(Failure) in
                try handler.getStatus(call)
            }
        case "GetAccount":
            call.perform(GetAccount.self) { (call) throws(Failure) in
                try handler.getAccount(call)
            }
        case "GetAccountIdentifier":
            call.perform(GetAccountIdentifier.self) { (call) throws(Failure) in
                try handler.getAccountIdentifier(call)
            }
        case "ListIdentifierReaders":
            call.perform(ListIdentifierReaders.self) { (call) throws(Failure) in
                try handler.listIdentifierReaders(call)
            }
        case "ModifyZones":
            call.perform(ModifyZones.self) { (call) throws(Failure) in
                try handler.modifyZones(call)
            }
        case "ListZones":
            call.perform(ListZones.self) { (call) throws(Failure) in
                try handler.listZones(call)
            }
        case "ModifyRecords":
            call.perform(ModifyRecords.self) { (call) throws(Failure) in
                try handler.modifyRecords(call)
            }
        case "GetRecords":
            call.perform(GetRecords.self) { (call) throws(Failure) in
                try handler.getRecords(call)
            }
        case "ListRecords":
            call.perform(ListRecords.self) { (call) throws(Failure) in
                try handler.listRecords(call)
            }
        case "AddAsset":
            call.perform(AddAsset.self) { (call) throws(Failure) in
                try handler.addAsset(call)
            }
        case "ReadAsset":
            call.perform(ReadAsset.self) { (call) throws(Failure) in
                try handler.readAsset(call)
            }
        case "GetChanges":
            call.perform(GetChanges.self) { (call) throws(Failure) in
                try handler.getChanges(call)
            }
        case "GetKeys":
            call.perform(GetKeys.self) { (call) throws(Failure) in
                try handler.getKeys(call)
            }
        case "TrustMachine":
            call.perform(TrustMachine.self) { (call) throws(Failure) in
                try handler.trustMachine(call)
            }
        case "ExamineReset":
            call.perform(ExamineReset.self) { (call) throws(Failure) in
                try handler.examineReset(call)
            }
        case "ResetKeys":
            call.perform(ResetKeys.self) { (call) throws(Failure) in
                try handler.resetKeys(call)
            }
        case "ListRefusedChanges":
            call.perform(ListRefusedChanges.self) { (call) throws(Failure) in
                try handler.listRefusedChanges(call)
            }
        case "DiscardChanges":
            call.perform(DiscardChanges.self) { (call) throws(Failure) in
                try handler.discardChanges(call)
            }
        case "Synchronize":
            call.perform(Synchronize.self) { (call) throws(Failure) in
                try handler.synchronize(call)
            }
        case "ModifySharing":
            call.perform(ModifySharing.self) { (call) throws(Failure) in
                try handler.modifySharing(call)
            }
        case "ListParticipants":
            call.perform(ListParticipants.self) { (call) throws(Failure) in
                try handler.listParticipants(call)
            }
        case "ListSharedZones":
            call.perform(ListSharedZones.self) { (call) throws(Failure) in
                try handler.listSharedZones(call)
            }
        case "AcceptZone":
            call.perform(AcceptZone.self) { (call) throws(Failure) in
                try handler.acceptZone(call)
            }
        case "SaveSubscription":
            call.perform(SaveSubscription.self) { (call) throws(Failure) in
                try handler.saveSubscription(call)
            }
        case "DeleteSubscription":
            call.perform(DeleteSubscription.self) { (call) throws(Failure) in
                try handler.deleteSubscription(call)
            }
        case "GetAlerts":
            call.perform(GetAlerts.self) { (call) throws(Failure) in
                try handler.getAlerts(call)
            }
        case "AcknowledgeAlert":
            call.perform(AcknowledgeAlert.self) { (call) throws(Failure) in
                try handler.acknowledgeAlert(call)
            }
        case "ListAlertApps":
            call.perform(ListAlertApps.self) { (call) throws(Failure) in
                try handler.listAlertApps(call)
            }
        case "AllowAlerts":
            call.perform(AllowAlerts.self) { (call) throws(Failure) in
                try handler.allowAlerts(call)
            }
        case "GetTeam":
            call.perform(GetTeam.self) { (call) throws(Failure) in
                try handler.getTeam(call)
            }
        case "SetTeamMember":
            call.perform(SetTeamMember.self) { (call) throws(Failure) in
                try handler.setTeamMember(call)
            }
        case "RemoveTeamMember":
            call.perform(RemoveTeamMember.self) { (call) throws(Failure) in
                try handler.removeTeamMember(call)
            }
        case "GetSchema":
            call.perform(GetSchema.self) { (call) throws(Failure) in
                try handler.getSchema(call)
            }
        case "ReplaceSchema":
            call.perform(ReplaceSchema.self) { (call) throws(Failure) in
                try handler.replaceSchema(call)
            }
        case "CompareSchemas":
            call.perform(CompareSchemas.self) { (call) throws(Failure) in
                try handler.compareSchemas(call)
            }
        case "DeploySchema":
            call.perform(DeploySchema.self) { (call) throws(Failure) in
                try handler.deploySchema(call)
            }
        case "GetPublicRecords":
            call.perform(GetPublicRecords.self) { (call) throws(Failure) in
                try handler.getPublicRecords(call)
            }
        case "QueryPublicRecords":
            call.perform(QueryPublicRecords.self) { (call) throws(Failure) in
                try handler.queryPublicRecords(call)
            }
        case "ModifyPublicRecords":
            call.perform(ModifyPublicRecords.self) { (call) throws(Failure) in
                try handler.modifyPublicRecords(call)
            }
        case "AddPublicAsset":
            call.perform(AddPublicAsset.self) { (call) throws(Failure) in
                try handler.addPublicAsset(call)
            }
        case "ReadPublicAsset":
            call.perform(ReadPublicAsset.self) { (call) throws(Failure) in
                try handler.readPublicAsset(call)
            }
        case "ListSubscriptions":
            call.perform(ListSubscriptions.self) { (call) throws(Failure) in
                try handler.listSubscriptions(call)
            }
        default: call.fail(ServiceError.methodNotFound(call.request.method))
        }
    }
}
