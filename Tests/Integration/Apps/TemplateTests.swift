import Glibc
import Interfaces
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// Apps that are instances of a template, with the manifest that is shipped, at a real daemon.
@Suite(.waits) struct TemplateTests {
    private let apps: TestApps
    private let daemon: DaemonProcess

    init() throws {
        apps = try TestApps()
        let shipped = try Products.file("manifests/waymark-upload@.app")
        let file = try OwnedDescriptor("open", subject: shipped) { open(shipped, O_RDONLY | O_CLOEXEC) }
        try apps.directory.write(
            "apps/waymark-upload@.app", bytes: try BoundedFile.bytes(from: file.number, limit: 1 << 16))
        daemon = try DaemonProcess(in: apps.directory, configuration: apps.configuration())
    }

    @Test func `a decision for an instance can be made before its first start`() throws {
        let allowed = try daemon.waymark("authorize", "waymark-upload@home", "always")
        #expect(allowed.status == .exited(0), "\(allowed.error)")
        #expect(allowed.output == "waymark-upload@home of root may have positions always, at full accuracy.\n")
        let table = try daemon.waymark("apps").output
        #expect(table.contains("waymark-upload@home  root  always"), "\(table)")
        #expect(table.contains("template of waymark-upload@INSTANCE"), "\(table)")
        #expect(!table.contains("waymark-upload@other"))
        let detail = try daemon.waymark("apps", "waymark-upload@home").output
        #expect(detail.hasPrefix("Waymark Upload (home) (waymark-upload@home) of root\n"), "\(detail)")
        #expect(detail.contains("apps/waymark-upload@.app"))
        let unused = try daemon.waymark("apps", "waymark-upload@other").output
        #expect(unused.contains("It has not made a request yet."), "\(unused)")
        let template = try daemon.waymark("apps", "waymark-upload@").output
        #expect(template.contains("waymark authorize waymark-upload@home always"), "\(template)")
        let refused = try daemon.waymark("authorize", "waymark-upload@", "always")
        #expect(refused.status == .exited(1) && refused.error.contains("template"), "\(refused.error)")
        #expect(try daemon.waymark("authorize", "waymark-upload@a@b", "always").status == .exited(1))
        #expect(try daemon.waymark("authorize", "elsewhere@home", "always").status == .exited(1))

        try daemon.restart()
        let manage = try OperatorClient(daemon)
        #expect(try manage.app("waymark-upload@home")?.permission == .always)
        let counted = try manage.call(.status)["status"]?["authorization"]?["apps"]
        #expect(counted == .integer(Int64(try manage.list().apps.count)))
        #expect(try daemon.waymark("reset", "waymark-upload@home").status == .exited(0))
        #expect(try !daemon.waymark("apps").output.contains("waymark-upload@home"))
    }

    @Test func `a restriction of the template applies to the instance, and one of another instance does not`() throws {
        let manage = try OperatorClient(daemon)
        try manage.authorize("waymark-upload@home", .always)
        func status() throws -> String? { try manage.app("waymark-upload@home")?.status.rawValue }
        for (text, expected) in [
            ("DenyApps=waymark-upload@", "restricted"), ("DenyApps=waymark-upload@other", "authorizedAlways"),
            ("AllowOnlyApps=waymark-upload@other", "restricted"), ("AllowOnlyApps=waymark-upload@", "authorizedAlways"),
        ] {
            try apps.restrict("[Restrictions]\n\(text)\n")
            #expect(try eventually { try status() == expected }, "\(text)")
        }
    }

    @Test func `a removed template is a missing manifest for its instances`() throws {
        let manage = try OperatorClient(daemon)
        try manage.authorize("waymark-upload@home", .always)
        unlink(apps.directory.file("apps/waymark-upload@.app"))
        #expect(
            try eventually { try manage.app("waymark-upload@home")?.diagnostics.contains("manifestMissing") == true })
        #expect(try manage.app("waymark-upload@home")?.manifest == nil)
        #expect(try manage.app("waymark-upload@home")?.permission == .always, "the decision is retained")
        #expect(throws: VarlinkError.self) { _ = try manage.authorize("waymark-upload@other", .always) }
    }

    @Test(.enabled(if: TemporaryControlGroup.hierarchy != nil, "no control group can be made here"))
    func `a service's process is the instance that its unit is named after`() throws {
        let group = try TemporaryControlGroup("/system.slice/waymark-upload@home-7.service")
        let escaped = try TemporaryControlGroup(#"/system.slice/waymark-upload@a\x2db.service"#)
        let program = try apps.program("uploader")
        try OperatorClient(daemon).authorize("waymark-upload@home-7", .always)
        // As with DynamicUser=: whatever user it runs as, it is the system's app.
        let user = OtherUser.isPossible ? OtherUser.nobody : geteuid()
        let client = try AppClient(program, to: daemon.socketPath, as: user)
        try group.write("\(client.processID)", to: "cgroup.procs")
        let authorization = try client.call(LocationInterface.Method.getAuthorization.rawValue).parameters[
            "authorization"]
        #expect(authorization?["app"] == "waymark-upload@home-7" && authorization?["assurance"] == "unit")
        #expect(authorization?["status"] == "authorizedAlways")
        try client.begin(UploadsInterface.Method.attach.rawValue, #"{"name":"home-7"}"#, more: true)
        #expect(try client.next()?.parameters["isPaused"] == false)
        let list = try daemon.waymark("apps").output
        #expect(list.contains("waymark-upload@home-7  root"), "\(list)")

        let other = try AppClient(program, to: daemon.socketPath, as: user)
        try escaped.write("\(other.processID)", to: "cgroup.procs")
        try other.begin(UploadsInterface.Method.attach.rawValue, #"{"name":"a"}"#, more: true)
        let refusal = try #require(try other.next())
        #expect(refusal.error == ErrorName.uploadsNotAllowed.rawValue)
        let message = refusal.parameters["message"]?.stringValue ?? ""
        #expect(message.contains("this instance of waymark-upload@ has something else than letters"), "\(message)")
        try client.kill()
        try other.kill()
        withExtendedLifetime((group, escaped)) {}
    }
}
