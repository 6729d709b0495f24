import Testing

@testable import Platform

@Suite struct ControlGroupTests {
    @Test(
        arguments: [
            ("/", nil), ("/init.scope", "init.scope"), ("/system.slice", nil),
            ("/system.slice/gpsd.service", "gpsd.service"),
            ("/system.slice/system-getty.slice/getty@tty1.service", "getty@tty1.service"),
            ("/system.slice/_cgroup.service/supervised", "cgroup.service"),
            ("/machine.slice/machine-web.scope/payload/system.slice/gpsd.service", "machine-web.scope"),
            ("/docker/0123456789", nil), ("/notes.txt", nil), ("/.service", nil), ("/system.slice/a b.service", nil),
        ] as [(String, String?)])
    func `a system unit is the first below the slices`(path: String, unit: String?) {
        let group = ControlGroup(path: path)
        #expect(group.systemUnit == unit)
        #expect(group.owner == nil)
        #expect(group.userUnit == nil)
    }

    @Test(
        arguments: [
            // Below a service that has its own groups, everything is that service's doing.
            "/system.slice/web.service/user.slice/user-1000.slice/user@1000.service/app-map.scope",
            "/system.slice/web.service/user-1000.slice/user@1000.service/app-map.scope",
            // Another user's manager, a manager that is none, no manager.
            "/user.slice/user-1000.slice/user@1001.service/app.slice/app-map.scope",
            "/user.slice/user-1000.slice/user@.service/app-map.scope",
            "/user.slice/user-1000.slice/session-2.scope/app-map.scope",
            "/user.slice/user-1000.slice/app-map.scope",
            "/user.slice/user-+1000.slice/user@1000.service/app-map.scope",
            "/user.slice/user@1000.service/app-map.scope",
        ])
    func `a unit that only looks like a user's is none`(path: String) {
        #expect(ControlGroup(path: path).userUnit == nil)
    }

    @Test(
        arguments: [
            ("app-flatpak-org.example.Map-12.scope", "org.example.Map"),
            ("app-flatpak-org.example.My\\x2dMap-12.scope", "org.example.My-Map"),
            ("app-flatpak-org.example.Map.scope", nil), ("app-flatpak--12.scope", nil),
            ("app-flatpak-org.example.Map-.scope", nil), ("app-flatpak-org.example.Map-1x.scope", nil),
            ("app-flatpak-org.example\\x0a-1.scope", nil), ("app-flatpak-org\\xzz-1.scope", nil),
            ("app-flatpak-org.example.Map-12.service", nil), ("app-gnome-flatpak-12.scope", nil),
        ] as [(String, String?)])
    func `the id of a Flatpak app is read from its scope`(scope: String, id: String?) {
        let group = ControlGroup(path: "/user.slice/user-1000.slice/user@1000.service/app.slice/\(scope)")
        #expect(group.userUnit == scope)
        #expect(group.flatpakID == id)
    }

    @Test func `the start of a process is separated from its name, whatever that holds`() {
        let fields = (3...52).map(String.init).joined(separator: " ")
        #expect(ProcessRecord.startTime(Array("42 (a) 9 (b) \(fields)".utf8)) == 22)
        #expect(ProcessRecord.startTime(Array("42 (a".utf8)) == nil)
        #expect(ProcessRecord.startTime([]) == nil)
        #expect(ProcessRecord.effectiveUser(Array("Name:\tx\nUid:\t1\t2\t3\t4\n".utf8)) == 2)
        #expect(ProcessRecord.effectiveUser(Array("Uid:\t1\n".utf8)) == nil)
    }
}
