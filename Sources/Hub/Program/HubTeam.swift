import CommandLineKit
import Glibc
import Interfaces

/// `waymark-hub team`.
struct HubTeam {
    let console: HubConsole

    func perform() throws {
        switch console.word {
        case "add": try add()
        case "remove": try remove()
        default: try list()
        }
        try console.output.flush()
    }

    private var account: String { console.invocation.argument("ACCOUNT") ?? "" }

    private func list() throws {
        let reply = try console.client.call(HubInterface.GetTeam(container: console.container))
        if console.isJSON { return try console.output.json(reply) }
        guard !reply.members.isEmpty else {
            return try console.output.line(
                "\(console.container) has no team: every account changes its schema of development by saving records. Make a team with"
                    + " `waymark-hub team add`.")
        }
        var table = Table(["ACCOUNT", "RIGHTS"].map { Table.Column($0) })
        for member in reply.members {
            let rights = member.agent ? "agent, all rights" : member.rights.map(\.rawValue).joined(separator: ", ")
            table.add([Table.Cell(member.account), Table.Cell(rights.isEmpty ? "none" : rights)])
        }
        try console.output.lines(table.lines(for: Terminal(descriptor: STDOUT_FILENO)))
    }

    private func add() throws {
        let isAgent = console.invocation.has("agent")
        let rights: [HubInterface.TeamRight] =
            (console.invocation.has("manage-team") ? [.manageTeam] : [])
            + (console.invocation.has("edit-development") ? [.editDevelopment] : [])
            + (console.invocation.has("edit-production") ? [.editProduction] : [])
        let reply = try console.client.call(
            HubInterface.SetTeamMember(container: console.container, account: account, rights: rights, agent: isAgent))
        let member = reply.members.first { $0.account == account }
        if member?.agent == true {
            try console.output.line("\(account) is the agent of \(console.container), with all rights.")
        } else if rights.isEmpty {
            try console.output.line(
                "\(account) is in the team of \(console.container), without a right: it sees the team and the schema.")
        } else {
            let words = rights.map(\.rawValue).joined(separator: ", ")
            try console.output.line("\(account) is in the team of \(console.container), with \(words).")
        }
        if reply.members.count == 1 {
            try console.output.line(
                "Other accounts do not change its schema of development any more, unless you add them.")
        }
    }

    private func remove() throws {
        let reply = try console.client.call(
            HubInterface.RemoveTeamMember(container: console.container, account: account))
        try console.output.line("\(account) is removed from the team of \(console.container).")
        if reply.members.isEmpty {
            try console.output.line(
                "It has no team any more: every account changes its schema of development by saving records.")
        }
    }
}
