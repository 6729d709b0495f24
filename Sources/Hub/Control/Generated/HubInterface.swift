// Made from io.waymark.Hub.varlink by `make interfaces`: change that file, not this one.

import JSONText
import Location
import NetworkPaths
import Platform
import Varlink

/// The administration of a hub, the server of records that are synchronized between machines. Served by waymark-hub at
/// the socket `control.sock` of its folder, for root and for the user that the hub runs as.
public enum HubInterface: VarlinkInterface {
    /// The interface's name.
    public static let name = "io.waymark.Hub"
    /// The callers allowed for the methods, except those of `operatorMethods`.
    public static let callers = VarlinkCallers.identified
    /// The methods that only operators may call.
    public static let operatorMethods: Set<String> = []
    /// The methods that write to the disk before they reply.
    public static let durableMethods: Set<String> = [
        "Invite",
        "Remove",
        "ReplaceSchema",
        "DeploySchema",
        "SetTeamMember",
        "RemoveTeamMember",
    ]
    /// The methods that are called with `more`.
    public static let requiringMore: Set<String> = []
    /// How calls in progress are repeated after a restart; those of other methods are not.
    public static let repetitions: [String: CallRepetition] = [:]

    /// The methods by their full names, in the order of the text.
    public enum Method: String, CaseIterable, Sendable {
        case invite = "io.waymark.Hub.Invite"
        case list = "io.waymark.Hub.List"
        case remove = "io.waymark.Hub.Remove"
        case getStatistics = "io.waymark.Hub.GetStatistics"
        case getSchema = "io.waymark.Hub.GetSchema"
        case replaceSchema = "io.waymark.Hub.ReplaceSchema"
        case compareSchemas = "io.waymark.Hub.CompareSchemas"
        case deploySchema = "io.waymark.Hub.DeploySchema"
        case getTeam = "io.waymark.Hub.GetTeam"
        case setTeamMember = "io.waymark.Hub.SetTeamMember"
        case removeTeamMember = "io.waymark.Hub.RemoveTeamMember"
    }

    /// A device of an account.
    public struct Device: VarlinkValue, VarlinkMembers, Equatable {
        /// `account`.
        public var account: String
        /// `device`.
        public var device: String
        /// When the device joined: microseconds since 1970-01-01T00:00:00Z.
        public var joined: Int64
        /// Whether a request of the device waits for a push at present.
        public var waiting: Bool

        /// A value of these members.
        public init(account: String, device: String, joined: Int64 = 0, waiting: Bool = false) {
            self.account = account
            self.device = device
            self.joined = joined
            self.waiting = waiting
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            account = try json.value("account")
            device = try json.value("device")
            joined = try json.optional("joined") ?? 0
            waiting = try json.optional("waiting") ?? false
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("account", of: account)
            writer.member("device", of: device)
            writer.member("joined", of: joined)
            writer.member("waiting", of: waiting)
        }
    }

    /// An invitation of a device that has not joined yet.
    public struct Invitation: VarlinkValue, VarlinkMembers, Equatable {
        /// `account`.
        public var account: String
        /// `device`.
        public var device: String
        /// When the code ceases to be accepted: microseconds since 1970-01-01T00:00:00Z.
        public var expires: Int64

        /// A value of these members.
        public init(account: String, device: String, expires: Int64 = 0) {
            self.account = account
            self.device = device
            self.expires = expires
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            account = try json.value("account")
            device = try json.value("device")
            expires = try json.optional("expires") ?? 0
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("account", of: account)
            writer.member("device", of: device)
            writer.member("expires", of: expires)
        }
    }

    /// The number of responses with a status of HTTP.
    public struct Responses: VarlinkValue, VarlinkMembers, Equatable {
        /// `status`.
        public var status: Int64
        /// `count`.
        public var count: Int64

        /// A value of these members.
        public init(status: Int64 = 0, count: Int64 = 0) {
            self.status = status
            self.count = count
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            status = try json.optional("status") ?? 0
            count = try json.optional("count") ?? 0
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("status", of: status)
            writer.member("count", of: count)
        }
    }

    /// Invites a device to an account, which begins to exist with its first device. An earlier invitation of the same
    /// device ends. `seconds` is how long the code is accepted, 1 to 604800, by default 900. `code` is accepted once;
    /// where the hub has made its own certificate, a dot and the SHA-256 digest of its public key in hexadecimal digits
    /// follow it, by which the device recognizes the hub. `address` is where the hub believes it can be reached.
    /// Without `account` the hub's only account is used. Durable before the reply.
    public struct Invite: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = HubInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Hub.Invite"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `Invite`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `account`.
            public var account: String
            /// `device`.
            public var device: String
            /// `code`.
            public var code: String
            /// `expires`.
            public var expires: Int64
            /// `address`.
            public var address: String

            /// A value of these members.
            public init(account: String, device: String, code: String, expires: Int64, address: String) {
                self.account = account
                self.device = device
                self.code = code
                self.expires = expires
                self.address = address
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                account = try json.value("account")
                device = try json.value("device")
                code = try json.value("code")
                expires = try json.value("expires")
                address = try json.value("address")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("account", of: account)
                writer.member("device", of: device)
                writer.member("code", of: code)
                writer.member("expires", of: expires)
                writer.member("address", of: address)
            }
        }

        /// `account`.
        public var account: String?
        /// `device`.
        public var device: String
        /// `seconds`.
        public var seconds: Int64?

        /// A value of these members.
        public init(account: String? = nil, device: String, seconds: Int64? = nil) {
            self.account = account
            self.device = device
            self.seconds = seconds
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            account = try json.optional("account")
            device = try json.value("device")
            seconds = try json.optional("seconds")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("account", of: account)
            writer.member("device", of: device)
            writer.member("seconds", of: seconds)
        }
    }

    /// A page of the devices and invitations of all accounts, in the order of accounts and devices, after those of
    /// `account` and `device`. `more` says that there may be further ones.
    public struct List: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = HubInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Hub.List"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `List`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `devices`.
            public var devices: [Device]
            /// `invitations`.
            public var invitations: [Invitation]
            /// `more`.
            public var more: Bool

            /// A value of these members.
            public init(devices: [Device], invitations: [Invitation], more: Bool) {
                self.devices = devices
                self.invitations = invitations
                self.more = more
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                devices = try json.value("devices")
                invitations = try json.value("invitations")
                more = try json.value("more")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("devices", of: devices)
                writer.member("invitations", of: invitations)
                writer.member("more", of: more)
            }
        }

        /// `account`.
        public var account: String?
        /// `device`.
        public var device: String?

        /// A value of these members.
        public init(account: String? = nil, device: String? = nil) {
            self.account = account
            self.device = device
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            account = try json.optional("account")
            device = try json.optional("device")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("account", of: account)
            writer.member("device", of: device)
        }
    }

    /// Removes a device, or its invitation. Its token is not accepted any more, and nothing is pushed to it. Durable
    /// before the reply.
    public struct Remove: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = HubInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Hub.Remove"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply has no members: it confirms that the call is done.
        public typealias Reply = EmptyReply

        /// `account`.
        public var account: String?
        /// `device`.
        public var device: String

        /// A value of these members.
        public init(account: String? = nil, device: String) {
            self.account = account
            self.device = device
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            account = try json.optional("account")
            device = try json.value("device")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("account", of: account)
            writer.member("device", of: device)
        }
    }

    /// What the hub has done since it was started (`started`: microseconds since 1970-01-01T00:00:00Z), and what it
    /// does at present.
    public struct GetStatistics: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = HubInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Hub.GetStatistics"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `GetStatistics`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `version`.
            public var version: String
            /// `started`.
            public var started: Int64
            /// `address`.
            public var address: String
            /// When the hub's certificate ceases to be valid: seconds since 1970-01-01T00:00:00Z; absent without TLS.
            public var certificateExpires: Int64?
            /// Open connections of HTTP, and the most that are accepted at a time.
            public var connections: Int64
            /// `connectionLimit`.
            public var connectionLimit: Int64
            /// The most descriptors that the process may open: each connection is one.
            public var descriptorLimit: Int64
            /// Requests that wait for a push.
            public var waiting: Int64
            /// `responses`.
            public var responses: [Responses]
            /// Requests that were answered with a push.
            public var pushes: Int64
            /// Requests that were asked to come later, because too many were in progress.
            public var postponed: Int64
            /// Requests that failed because the records could not be stored or read.
            public var failures: Int64
            /// Tasks performed with the records, and groups in which they were committed.
            public var tasks: Int64
            /// `groups`.
            public var groups: Int64

            /// A value of these members.
            public init(
                version: String,
                started: Int64,
                address: String,
                certificateExpires: Int64? = nil,
                connections: Int64,
                connectionLimit: Int64,
                descriptorLimit: Int64,
                waiting: Int64,
                responses: [Responses],
                pushes: Int64,
                postponed: Int64,
                failures: Int64,
                tasks: Int64,
                groups: Int64
            ) {
                self.version = version
                self.started = started
                self.address = address
                self.certificateExpires = certificateExpires
                self.connections = connections
                self.connectionLimit = connectionLimit
                self.descriptorLimit = descriptorLimit
                self.waiting = waiting
                self.responses = responses
                self.pushes = pushes
                self.postponed = postponed
                self.failures = failures
                self.tasks = tasks
                self.groups = groups
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                version = try json.value("version")
                started = try json.value("started")
                address = try json.value("address")
                certificateExpires = try json.optional("certificateExpires")
                connections = try json.value("connections")
                connectionLimit = try json.value("connectionLimit")
                descriptorLimit = try json.value("descriptorLimit")
                waiting = try json.value("waiting")
                responses = try json.value("responses")
                pushes = try json.value("pushes")
                postponed = try json.value("postponed")
                failures = try json.value("failures")
                tasks = try json.value("tasks")
                groups = try json.value("groups")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("version", of: version)
                writer.member("started", of: started)
                writer.member("address", of: address)
                writer.member("certificateExpires", of: certificateExpires)
                writer.member("connections", of: connections)
                writer.member("connectionLimit", of: connectionLimit)
                writer.member("descriptorLimit", of: descriptorLimit)
                writer.member("waiting", of: waiting)
                writer.member("responses", of: responses)
                writer.member("pushes", of: pushes)
                writer.member("postponed", of: postponed)
                writer.member("failures", of: failures)
                writer.member("tasks", of: tasks)
                writer.member("groups", of: groups)
            }
        }

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// Which of the two schemas of a container.
    public enum Environment: String, VarlinkValue, CaseIterable {
        case development, production
    }

    /// One difference between two schemas: a sentence, and whether it takes nothing from an app that uses the schema.
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

    /// The types of a container: an object with `types`, as Documentation/sync.md describes it.
    public struct GetSchema: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = HubInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Hub.GetSchema"
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
        public var environment: Environment

        /// A value of these members.
        public init(container: String, environment: Environment) {
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

    /// Replaces the schema of development, and returns what that has changed. Records stay as they are. Types, fields
    /// and indexes that production has must remain. Durable before the reply.
    public struct ReplaceSchema: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = HubInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Hub.ReplaceSchema"
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

    /// What production lacks of the schema of development.
    public struct CompareSchemas: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = HubInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Hub.CompareSchemas"
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

    /// Deploys the schema of development to production, and returns what that has changed. Only additions are deployed,
    /// and with `changeRoles` also other roles. Durable before the reply.
    public struct DeploySchema: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = HubInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Hub.DeploySchema"
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
        public var changeRoles: Bool?

        /// A value of these members.
        public init(container: String, changeRoles: Bool? = nil) {
            self.container = container
            self.changeRoles = changeRoles
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            container = try json.value("container")
            changeRoles = try json.optional("changeRoles")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("container", of: container)
            writer.member("changeRoles", of: changeRoles)
        }
    }

    /// What an account may do with a container, because it is in the container's team: change the team, change the
    /// schema of development, or read the schema of production and deploy to it.
    public enum TeamRight: String, VarlinkValue, CaseIterable {
        case manageTeam, editDevelopment, editProduction
    }

    /// An account in the team of a container. The agent owns the container, and has all rights.
    public struct TeamMember: VarlinkValue, VarlinkMembers, Equatable {
        /// `account`.
        public var account: String
        /// `rights`.
        public var rights: [TeamRight]
        /// `agent`.
        public var agent: Bool

        /// A value of these members.
        public init(account: String, rights: [TeamRight] = [], agent: Bool = false) {
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

    /// The team of a container, the agent first. A container without a team has no members: everybody may then change
    /// its schema of development by saves, and only the administrator of the hub everything else.
    public struct GetTeam: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = HubInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Hub.GetTeam"
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

    /// Adds an account to the team of a container, or replaces its rights. The first member becomes the agent; with
    /// `agent` a later one does, and the agent before it stays a member with all rights. Durable before the reply.
    public struct SetTeamMember: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = HubInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Hub.SetTeamMember"
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
        public var rights: [TeamRight]
        /// `agent`.
        public var agent: Bool?

        /// A value of these members.
        public init(container: String, account: String, rights: [TeamRight], agent: Bool? = nil) {
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
            agent = try json.optional("agent")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("container", of: container)
            writer.member("account", of: account)
            writer.member("rights", of: rights)
            writer.member("agent", of: agent)
        }
    }

    /// Removes an account from the team of a container. The agent is removed last, and the container has no team then.
    /// Durable before the reply.
    public struct RemoveTeamMember: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = HubInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Hub.RemoveTeamMember"
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

    /// The errors of the interface.
    public enum Failure: VarlinkFailure {
        /// The team is not changed: the message says why.
        case teamConflict(message: String)
        /// The change would take something from apps that use production.
        case schemaConflict(message: String, differences: [SchemaDifference])
        /// An argument is no valid name or number.
        case invalidArgument(message: String)
        /// The account has a device of this name already.
        case deviceExists(message: String)
        /// The account has no such device.
        case unknownDevice(message: String)
        /// The account has as many devices as is permitted.
        case tooManyDevices(message: String)
        /// No account was named, and the hub has none or several.
        case accountNeeded(message: String)
        /// The records cannot be stored or read at present.
        case notStored(message: String)

        /// Reads an error of this interface; nil for another error, or where a parameter is missing.
        public init?(name: String, parameters json: JSON) {
            do throws(InvalidParameter) {
                switch name {
                case "io.waymark.Hub.TeamConflict":
                    self = try .teamConflict(message: json.value("message"))
                case "io.waymark.Hub.SchemaConflict":
                    self = try .schemaConflict(message: json.value("message"), differences: json.value("differences"))
                case "io.waymark.Hub.InvalidArgument":
                    self = try .invalidArgument(message: json.value("message"))
                case "io.waymark.Hub.DeviceExists":
                    self = try .deviceExists(message: json.value("message"))
                case "io.waymark.Hub.UnknownDevice":
                    self = try .unknownDevice(message: json.value("message"))
                case "io.waymark.Hub.TooManyDevices":
                    self = try .tooManyDevices(message: json.value("message"))
                case "io.waymark.Hub.AccountNeeded":
                    self = try .accountNeeded(message: json.value("message"))
                case "io.waymark.Hub.NotStored":
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
            case .teamConflict: "io.waymark.Hub.TeamConflict"
            case .schemaConflict: "io.waymark.Hub.SchemaConflict"
            case .invalidArgument: "io.waymark.Hub.InvalidArgument"
            case .deviceExists: "io.waymark.Hub.DeviceExists"
            case .unknownDevice: "io.waymark.Hub.UnknownDevice"
            case .tooManyDevices: "io.waymark.Hub.TooManyDevices"
            case .accountNeeded: "io.waymark.Hub.AccountNeeded"
            case .notStored: "io.waymark.Hub.NotStored"
            }
        }

        /// The sentence for a person.
        public var message: String {
            switch self {
            case .teamConflict(let message): message
            case .schemaConflict(let message, _): message
            case .invalidArgument(let message): message
            case .deviceExists(let message): message
            case .unknownDevice(let message): message
            case .tooManyDevices(let message): message
            case .accountNeeded(let message): message
            case .notStored(let message): message
            }
        }

        /// Whether it means that the caller is not allowed.
        public var isRefusal: Bool {
            false
        }

        /// Writes the parameters.
        public func writeMembers(to writer: inout JSONWriter) {
            switch self {
            case .teamConflict(let message):
                writer.member("message", of: message)
            case .schemaConflict(let message, let differences):
                writer.member("message", of: message)
                writer.member("differences", of: differences)
            case .invalidArgument(let message):
                writer.member("message", of: message)
            case .deviceExists(let message):
                writer.member("message", of: message)
            case .unknownDevice(let message):
                writer.member("message", of: message)
            case .tooManyDevices(let message):
                writer.member("message", of: message)
            case .accountNeeded(let message):
                writer.member("message", of: message)
            case .notStored(let message):
                writer.member("message", of: message)
            }
        }
    }

    /// Implements the methods; a reply may come at once or later. A thrown error ends the call.
    @DaemonActor
    public protocol Handler: AnyObject {
        /// Handles `Invite`.
        func invite(_ call: MethodCall<Invite>) throws(Failure)
        /// Handles `List`.
        func list(_ call: MethodCall<List>) throws(Failure)
        /// Handles `Remove`.
        func remove(_ call: MethodCall<Remove>) throws(Failure)
        /// Handles `GetStatistics`.
        func getStatistics(_ call: MethodCall<GetStatistics>) throws(Failure)
        /// Handles `GetSchema`.
        func getSchema(_ call: MethodCall<GetSchema>) throws(Failure)
        /// Handles `ReplaceSchema`.
        func replaceSchema(_ call: MethodCall<ReplaceSchema>) throws(Failure)
        /// Handles `CompareSchemas`.
        func compareSchemas(_ call: MethodCall<CompareSchemas>) throws(Failure)
        /// Handles `DeploySchema`.
        func deploySchema(_ call: MethodCall<DeploySchema>) throws(Failure)
        /// Handles `GetTeam`.
        func getTeam(_ call: MethodCall<GetTeam>) throws(Failure)
        /// Handles `SetTeamMember`.
        func setTeamMember(_ call: MethodCall<SetTeamMember>) throws(Failure)
        /// Handles `RemoveTeamMember`.
        func removeTeamMember(_ call: MethodCall<RemoveTeamMember>) throws(Failure)
    }

    /// Passes a call to the handler's method of its name.
    @DaemonActor
    public static func perform(_ call: Call, by handler: some Handler) {
        switch call.methodName {
        case "Invite":
            call.perform(Invite.self) { (call) throws(Failure) in
                try handler.invite(call)
            }
        case "List":
            call.perform(List.self) { (call) throws(Failure) in
                try handler.list(call)
            }
        case "Remove":
            call.perform(Remove.self) { (call) throws(Failure) in
                try handler.remove(call)
            }
        case "GetStatistics":
            call.perform(GetStatistics.self) { (call) throws(Failure) in
                try handler.getStatistics(call)
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
        default: call.fail(ServiceError.methodNotFound(call.request.method))
        }
    }
}
