import CommandLineKit
import Glibc
import Interfaces
import Location
import Platform
import Varlink

/// The commands for a hub that runs, over its control socket.
struct HubAdministration {
    let console: HubConsole

    func perform() throws {
        switch console.word {
        case "invite": try invite()
        case "devices": try devices()
        case "remove": try remove()
        default: try statistics()
        }
        try console.output.flush()
    }

    private func invite() throws {
        let reply = try console.client.call(
            HubInterface.Invite(
                account: try console.invocation.text("account") ?? firstAccount(),
                device: console.invocation.argument("DEVICE") ?? "",
                seconds: console.invocation.integer("minutes").map { Int64($0) * 60 }))
        if console.isJSON { return try console.output.json(reply) }
        let minutes = console.invocation.integer("minutes") ?? 15
        try console.output.line("\(reply.device) is invited to the account \(reply.account). There, type this command:")
        try console.output.line("")
        try console.output.line("    waymark join \(reply.address)")
        try console.output.line("")
        try console.output.line(
            "It asks for this code, for \(minutes == 1 ? "a minute" : "\(minutes) minutes") from now:")
        try console.output.line("")
        try console.output.line("    \(reply.code)")
        try console.output.line("")
        try console.output.line("The code is accepted once. Whoever has it joins the account: pass it on as a")
        try console.output.line("password.")
    }

    /// The account for the first device of a new hub: that of the person who types the command, also with sudo(8). Nil where
    /// the hub has devices, because it has an account then.
    private func firstAccount() throws -> String? {
        let page = try console.client.call(HubInterface.List(account: nil, device: nil))
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
            let page = try console.client.call(HubInterface.List(account: last?.account, device: last?.device))
            devices += page.devices
            invitations += page.invitations
            let ends = [
                page.devices.last.map { ($0.account, $0.device) },
                page.invitations.last.map { ($0.account, $0.device) },
            ]
            guard page.more, let end = ends.compactMap({ $0 }).max(by: <) else { break }
            last = end
        }
        if console.isJSON {
            return try console.output.json(
                HubInterface.List.Reply(devices: devices, invitations: invitations, more: false))
        }
        guard !devices.isEmpty || !invitations.isEmpty else {
            return try console.output.line("No device has joined yet. Invite the first one with `waymark-hub invite`.")
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
        try console.output.lines(table.lines(for: Terminal(descriptor: STDOUT_FILENO)))
    }

    private func remove() throws {
        let device = console.invocation.argument("DEVICE") ?? ""
        _ = try console.client.call(HubInterface.Remove(account: console.invocation.text("account"), device: device))
        try console.output.line(
            "\(device) is removed. It gets nothing from this hub any more; what it has received stays on it.")
    }

    private func statistics() throws {
        let reply = try console.client.call(HubInterface.GetStatistics())
        if console.isJSON { return try console.output.json(reply) }
        if console.invocation.has("openmetrics") {
            for line in OpenMetrics.lines(reply) { try console.output.line(line) }
            return
        }
        try console.output.line("Address: \(reply.address)")
        try console.output.line("Release: \(reply.version), running since \(Self.time(reply.started))")
        try console.output.line("Connections: \(reply.connections), of which \(reply.waiting) wait for a push")
        let responses = reply.responses.map { "\($0.count) with \($0.status)" }.joined(separator: ", ")
        try console.output.line("Responses: \(responses.isEmpty ? "none yet" : responses)")
        try console.output.line("Pushes: \(reply.pushes)")
        try console.output.line("Postponed: \(reply.postponed), because too many requests were in progress")
        try console.output.line("Failures: \(reply.failures), because records could not be stored or read")
        try console.output.line("Tasks: \(reply.tasks) in \(reply.groups) group\(reply.groups == 1 ? "" : "s")")
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
