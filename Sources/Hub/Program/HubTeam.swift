import CommandLineKit
import Glibc
import Interfaces

/// `waymark-hub team`.
struct HubTeam {
    private let invocation: Invocation
    private let client: HubClient
    private let output = Output(descriptor: STDOUT_FILENO)

    init(_ invocation: Invocation) {
        self.invocation = invocation
        client = HubClient(invocation)
    }

    func perform() throws {
        switch invocation.path.last {
        case "add": try add()
        case "remove": try remove()
        default: try list()
        }
        try output.flush()
    }

    private var container: String { invocation.argument("CONTAINER") ?? "" }
    private var account: String { invocation.argument("ACCOUNT") ?? "" }

    private func list() throws {
        let reply = try client.call(HubInterface.GetTeam(container: container))
        if invocation.has("json") { return try output.json(reply) }
        guard !reply.members.isEmpty else {
            return try output.line(
                "\(container) has no team: every account changes its schema of development by saving records. Make a team with"
                    + " `waymark-hub team add`.")
        }
        var table = Table(["ACCOUNT", "RIGHTS"].map { Table.Column($0) })
        for member in reply.members {
            let rights = member.agent ? "agent, all rights" : member.rights.map(\.rawValue).joined(separator: ", ")
            table.add([Table.Cell(member.account), Table.Cell(rights.isEmpty ? "none" : rights)])
        }
        try output.lines(table.lines(for: Terminal(descriptor: STDOUT_FILENO)))
    }

    private func add() throws {
        let isAgent = invocation.has("agent")
        let rights: [HubInterface.TeamRight] =
            (invocation.has("manage-team") ? [.manageTeam] : [])
            + (invocation.has("edit-development") ? [.editDevelopment] : [])
            + (invocation.has("edit-production") ? [.editProduction] : [])
        let reply = try client.call(
            HubInterface.SetTeamMember(container: container, account: account, rights: rights, agent: isAgent))
        let member = reply.members.first { $0.account == account }
        if member?.agent == true {
            try output.line("\(account) is the agent of \(container), with all rights.")
        } else if rights.isEmpty {
            try output.line(
                "\(account) is in the team of \(container), without a right: it sees the team and the schema.")
        } else {
            let words = rights.map(\.rawValue).joined(separator: ", ")
            try output.line("\(account) is in the team of \(container), with \(words).")
        }
        if reply.members.count == 1 {
            try output.line("Other accounts do not change its schema of development any more, unless you add them.")
        }
    }

    private func remove() throws {
        let reply = try client.call(HubInterface.RemoveTeamMember(container: container, account: account))
        try output.line("\(account) is removed from the team of \(container).")
        if reply.members.isEmpty {
            try output.line(
                "It has no team any more: every account changes its schema of development by saving records.")
        }
    }
}
