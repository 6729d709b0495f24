import Platform
import Testing
import Varlink

@testable import Platform
@testable import Sync

/// The quotas of processes whose users cannot be seen.
@Suite struct CallerSharesTests {
    @Test(
        arguments: [
            ("/user.slice/user-1000.slice/session-2.scope", .account(1_000)),
            ("/user.slice/user-1000.slice/user@1000.service/app.slice/app-map.scope", .account(1_000)),
            ("/user.slice/user-1001.slice/user@1001.service/app.slice/user-1000.slice/map.service", .account(1_001)),
            ("/system.slice/cron.service", .unit("cron.service")),
            ("/system.slice/cron.service/user-1000.slice/a.service", .unit("cron.service")),
            ("/system.slice/system-mail.slice/mail@1.service", .unit("mail@.service")),
            ("/system.slice/system-mail.slice/mail@2.service", .unit("mail@.service")),
            ("/machine.slice/machine-web.scope/payload", .unit("machine-web.scope")),
            ("/system.slice", .unaccounted), ("/", .unaccounted), ("/lxc/one", .unaccounted),
        ] as [(String, ConnectionShare)])
    func `the slice of a user counts, and otherwise the unit without its instance`(
        path: String, share: ConnectionShare
    ) {
        #expect(CallerShares.share(of: ControlGroup(path: path)) == share)
    }

    @Test func `a process of which nothing is known has the quota of unknown users`() {
        #expect(CallerShares.share(of: nil) == .unaccounted)
    }

    @Test func `a mapping shows the ids that it has, and no others`() {
        let machine = UserNamespaceMapping(Array("         0          0 4294967295\n".utf8))
        #expect(machine.shows(0) && machine.shows(65_534) && machine.shows(4_294_967_294))
        // Of a unit with PrivateUsers=.
        let unit = UserNamespaceMapping(Array("         0          0      1\n       998        998      1\n".utf8))
        #expect(unit.shows(0) && unit.shows(998))
        #expect(!unit.shows(1) && !unit.shows(997) && !unit.shows(999) && !unit.shows(65_534))
        #expect(!UserNamespaceMapping([]).shows(0))
        #expect(!UserNamespaceMapping(Array("0 0\n1 x 2\n5 5 0\n".utf8)).shows(5))
    }
}
