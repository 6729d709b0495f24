import HTTP
import JSONText
import Records
import SyncInterface
import Varlink

/// The team and the schema of a container, for who develops an app. They are at the hub, and not part of the copy.
extension SyncService {
    // Team

    func getTeam(_ call: MethodCall<SyncInterface.GetTeam>) throws(Failure) {
        let container = try developed(call.parameters.container, call.connection)
        try send(.get, HubAddress.team(container)) { [call = call.later] reply in
            call.answer { () throws(Failure) in .init(members: try Self.members(reply)) }
        }
    }

    func setTeamMember(_ call: MethodCall<SyncInterface.SetTeamMember>) throws(Failure) {
        let parameters = call.parameters
        let container = try developed(parameters.container, call.connection)
        let account = try Self.name(parameters.account, "account", AccountID.init, "an account")
        var rights: Set<TeamRight> = []
        for word in parameters.rights {
            guard let right = TeamRight(rawValue: word) else {
                let known = TeamRight.allCases.map(\.rawValue).joined(separator: ", ")
                throw .invalidArgument(argument: "rights", message: "The rights are \(known).")
            }
            rights.insert(right)
        }
        let change: TeamChange = parameters.agent ? .makeAgent(account) : .put(account, rights)
        try send(.put, HubAddress.team(container, account), body: change.json) { [call = call.later] reply in
            call.answer { () throws(Failure) in .init(members: try Self.members(reply)) }
        }
    }

    func removeTeamMember(_ call: MethodCall<SyncInterface.RemoveTeamMember>) throws(Failure) {
        let container = try developed(call.parameters.container, call.connection)
        let account = try Self.name(call.parameters.account, "account", AccountID.init, "an account")
        try send(.delete, HubAddress.team(container, account)) { [call = call.later] reply in
            call.answer { () throws(Failure) in .init(members: try Self.members(reply)) }
        }
    }

    // Schema

    func getSchema(_ call: MethodCall<SyncInterface.GetSchema>) throws(Failure) {
        let container = try container(call.parameters.container, call.parameters.environment, call.connection)
        try requirePerson(call.connection)
        try send(.get, HubAddress.schema(container)) { [call = call.later] reply in
            call.answer { () throws(Failure) in .init(schema: try Self.json(reply)) }
        }
    }

    func replaceSchema(_ call: MethodCall<SyncInterface.ReplaceSchema>) throws(Failure) {
        let name = try developed(call.parameters.container, call.connection)
        let address = HubAddress.schema(Container(name, .development))
        try send(.put, address, body: call.parameters.schema.bytes) { [call = call.later] reply in
            call.answer { () throws(Failure) in .init(differences: try Self.differences(reply)) }
        }
    }

    func compareSchemas(_ call: MethodCall<SyncInterface.CompareSchemas>) throws(Failure) {
        let name = try developed(call.parameters.container, call.connection)
        let address = HubAddress.schema(Container(name, .production)) + "/differences"
        try send(.get, address) { [call = call.later] reply in
            call.answer { () throws(Failure) in .init(differences: try Self.differences(reply)) }
        }
    }

    func deploySchema(_ call: MethodCall<SyncInterface.DeploySchema>) throws(Failure) {
        let name = try developed(call.parameters.container, call.connection)
        let body = SchemaDeployment(changesRoles: call.parameters.changeRoles).json
        try send(.post, HubAddress.schema(Container(name, .production)), body: body) { [call = call.later] reply in
            call.answer { () throws(Failure) in .init(differences: try Self.differences(reply)) }
        }
    }

    // Answers

    /// The container of a call by a person, who develops an app.
    private func developed(_ name: String, _ connection: ServerConnection) throws(Failure) -> ContainerName {
        try requirePerson(connection)
        return try container(name, nil, connection).name
    }

    private static func members(_ reply: HubReply) throws(Failure) -> [SyncInterface.TeamMember] {
        let members = try json(reply)["members"]?.arrayValue ?? []
        return members.map { member in
            .init(
                account: member["account"]?.stringValue ?? "",
                rights: (member["rights"]?.arrayValue ?? []).compactMap(\.stringValue),
                agent: member["agent"]?.boolValue ?? false)
        }
    }

    private static func differences(_ reply: HubReply) throws(Failure) -> [SyncInterface.SchemaDifference] {
        let differences = try json(reply)["differences"]?.arrayValue ?? []
        return differences.map { difference in
            .init(
                text: difference["text"]?.stringValue ?? "", addition: difference["addition"]?.boolValue ?? false)
        }
    }

    private static func json(_ reply: HubReply) throws(Failure) -> JSON {
        let body = try require(reply)
        do throws(JSONError) { return try JSON.parse(body, maximumDepth: 10, maximumValues: 1 << 19) } catch {
            throw strange
        }
    }
}
