import Glibc
import Platform
import TestSupport
import Testing

/// The agent's program as it is installed: nobody may read it, trace it or add code to it.
@Suite struct AgentInstallationTests {
    private func lines(_ file: String) throws -> [String] {
        let text = String(decoding: try BoundedFile.bytes(of: Products.file(file), limit: 1 << 20), as: UTF8.self)
        return text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
    }

    @Test func `the unit of the agent starts its program, and no setting removes the program's group`() throws {
        let unit = try lines("systemd/user/waymark-agent.service")
        #expect(unit.contains("ExecStart=/usr/libexec/waymark/waymark-agent --desktop"))
        // Without the right to change a system call filter for good every one of these means no_new_privs,
        // systemd.exec(5).
        let forbidden = [
            "NoNewPrivileges", "SystemCallFilter", "SystemCallArchitectures", "RestrictAddressFamilies",
            "RestrictNamespaces", "PrivateDevices", "ProtectKernelTunables", "ProtectKernelModules",
            "ProtectKernelLogs", "ProtectClock", "MemoryDenyWriteExecute", "RestrictRealtime", "RestrictSUIDSGID",
            "DynamicUser", "LockPersonality", "ProtectHostname", "SystemCallLog", "PrivateUsers", "PrivateTmp",
            "ProtectSystem", "ProtectHome",
        ]
        for key in forbidden { #expect(!unit.contains { $0.hasPrefix("\(key)=") }, "\(key)") }
        let groups = try lines("systemd/waymark.sysusers").map { $0.split(separator: " ").map(String.init) }
        #expect(groups.contains(["g", "waymark-agent", "-"]))
        #expect(!groups.contains { $0.first == "m" }, "nobody is a member of it")
    }

    @Test(arguments: ["waymark-agent", "waymark", "waymark-inspector"])
    func `only root may read the agent's program, and every user may run it`(program: String) throws {
        let installation = try Installation()
        #expect(installation.run.status.isSuccess, "\(installation.run.error)")
        let folder = program == "waymark" ? "bin" : "libexec/waymark"
        var status = stat()
        #expect(stat(installation.file("usr/\(folder)/\(program)"), &status) == 0)
        // The group and the setgid bit are set where the group exists: when the package is installed.
        #expect(status.st_mode & 0o7777 == (program == "waymark-agent" ? 0o711 : 0o755))
    }
}
