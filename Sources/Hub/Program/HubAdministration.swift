import CommandLineKit
import Glibc
import Interfaces
import Location
import Platform
import Varlink

/// The commands for a hub that runs, over its control socket.
struct HubAdministration {
    private let invocation: Invocation
    private let client: HubClient
    private let output = Output(descriptor: STDOUT_FILENO)

    init(_ invocation: Invocation) {
        self.invocation = invocation
        client = HubClient(invocation)
    }

    func perform() throws {
        switch invocation.path.last {
        case "invite": try invite()
        case "devices": try devices()
        case "remove": try remove()
        default: try statistics()
        }
        try output.flush()
    }

    private func invite() throws {
        let reply = try client.call(
            HubInterface.Invite(
                account: try invocation.text("account") ?? firstAccount(), device: invocation.argument("DEVICE") ?? "",
                seconds: invocation.integer("minutes").map { Int64($0) * 60 }))
        if invocation.has("json") { return try output.json(reply) }
        let minutes = invocation.integer("minutes") ?? 15
        try output.line("\(reply.device) is invited to the account \(reply.account). There, type this command:")
        try output.line("")
        try output.line("    waymark join \(reply.address)")
        try output.line("")
        try output.line("It asks for this code, for \(minutes == 1 ? "a minute" : "\(minutes) minutes") from now:")
        try output.line("")
        try output.line("    \(reply.code)")
        try output.line("")
        try output.line("The code is accepted once. Whoever has it joins the account: pass it on as a")
        try output.line("password.")
    }

    /// The account for the first device of a new hub: that of the person who types the command, also with sudo(8). Nil where
    /// the hub has devices, because it has an account then.
    private func firstAccount() throws -> String? {
        let page = try client.call(HubInterface.List(account: nil, device: nil))
        guard page.devices.isEmpty, page.invitations.isEmpty else { return nil }
        if let name = getenv("SUDO_USER").map({ String(cString: $0) }), !name.isEmpty { return name }
        return getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) }
    }

    private func devices() throws {
        var devices: [HubInterface.Device] = []
        var invitations: [HubInterface.Invitation] = []
        var last: (account: String, device: String)?
        // A hub has as many accounts as it has people, and 100 devices of each.
        while true {
            let page = try client.call(HubInterface.List(account: last?.account, device: last?.device))
            devices += page.devices
            invitations += page.invitations
            let ends = [
                page.devices.last.map { ($0.account, $0.device) },
                page.invitations.last.map { ($0.account, $0.device) },
            ]
            guard page.more, let end = ends.compactMap({ $0 }).max(by: <) else { break }
            last = end
        }
        if invocation.has("json") {
            return try output.json(HubInterface.List.Reply(devices: devices, invitations: invitations, more: false))
        }
        guard !devices.isEmpty || !invitations.isEmpty else {
            return try output.line("No device has joined yet. Invite the first one with `waymark-hub invite`.")
        }
        var table = Table(["ACCOUNT", "DEVICE", "SINCE", "STATE"].map { Table.Column($0) })
        for device in devices {
            table.add([
                Table.Cell(device.account), Table.Cell(device.device), Table.Cell(Self.time(device.joined)),
                device.waiting ? "connected" : "not connected",
            ])
        }
        for invitation in invitations {
            table.add([
                Table.Cell(invitation.account), Table.Cell(invitation.device), "",
                "invited until \(Self.time(invitation.expires))",
            ])
        }
        try output.lines(table.lines(for: Terminal(descriptor: STDOUT_FILENO)))
    }

    private func remove() throws {
        let device = invocation.argument("DEVICE") ?? ""
        _ = try client.call(HubInterface.Remove(account: invocation.text("account"), device: device))
        try output.line(
            "\(device) is removed. It gets nothing from this hub any more; what it has received stays on it.")
    }

    private func statistics() throws {
        let reply = try client.call(HubInterface.GetStatistics())
        if invocation.has("json") { return try output.json(reply) }
        if invocation.has("openmetrics") {
            for line in OpenMetrics.lines(reply) { try output.line(line) }
            return
        }
        try output.line("Address: \(reply.address)")
        try output.line("Release: \(reply.version), running since \(Self.time(reply.started))")
        try output.line("Connections: \(reply.connections), of which \(reply.waiting) wait for a push")
        let responses = reply.responses.map { "\($0.count) with \($0.status)" }.joined(separator: ", ")
        try output.line("Responses: \(responses.isEmpty ? "none yet" : responses)")
        try output.line("Pushes: \(reply.pushes)")
        try output.line("Postponed: \(reply.postponed), because too many requests were in progress")
        try output.line("Failures: \(reply.failures), because records could not be stored or read")
        try output.line("Tasks: \(reply.tasks) in \(reply.groups) group\(reply.groups == 1 ? "" : "s")")
    }

    private static func time(_ microseconds: Int64) -> String { UTCTime(microseconds: microseconds).iso8601() }
}

/// The statistics in the text format of OpenMetrics 1.0.
enum OpenMetrics {
    static func lines(_ reply: HubInterface.GetStatistics.Reply) -> [String] {
        var lines: [String] = []
        func add(_ name: String, _ kind: String, _ help: String, _ samples: [(labels: String, value: Int64)]) {
            lines += ["# TYPE \(name) \(kind)", "# HELP \(name) \(help)"]
            let suffix = kind == "counter" ? "_total" : ""
            lines += samples.map { "\(name)\(suffix)\($0.labels) \($0.value)" }
        }
        add("waymark_hub_connections", "gauge", "Open connections of HTTP.", [("", reply.connections)])
        add("waymark_hub_waiting", "gauge", "Requests that wait for a push.", [("", reply.waiting)])
        add(
            "waymark_hub_responses", "counter", "Responses by their status.",
            reply.responses.map { ("{status=\"\($0.status)\"}", $0.count) })
        add("waymark_hub_pushes", "counter", "Requests answered with a push.", [("", reply.pushes)])
        add("waymark_hub_postponed", "counter", "Requests asked to come later.", [("", reply.postponed)])
        add("waymark_hub_failures", "counter", "Tasks that failed because of the storage.", [("", reply.failures)])
        add("waymark_hub_tasks", "counter", "Tasks performed with the records.", [("", reply.tasks)])
        add("waymark_hub_groups", "counter", "Groups in which tasks were committed.", [("", reply.groups)])
        return lines + ["# EOF"]
    }
}
