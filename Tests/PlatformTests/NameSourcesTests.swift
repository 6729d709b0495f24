import Glibc
import TestSupport
import Testing

@testable import Platform

/// The results of the user database, and whether they are reliable.
@Suite struct NameSourcesTests {
    @Test(arguments: [
        ("passwd: files systemd\n", true, String?.none), ("", true, nil), ("group: files sss\n", true, nil),
        ("# passwd: ldap\npasswd:\tfiles # ldap\n", true, nil), ("passwd: files sss\n", false, nil),
        ("passwd: files sss systemd\n", false, "sss"), ("passwd: ldap [NOTFOUND=return] files", false, "ldap"),
        ("passwd: files [!SUCCESS = return] winbind\n", false, nil), ("passwd: unknown unknown", false, "unknown"),
    ])
    func `a source beyond the machine may have been silent where another follows`(
        _ text: String, _ areLocal: Bool, _ unreliable: String?
    ) {
        let sources = NameSources(text: text)
        #expect(sources.areLocal == areLocal && sources.unreliable == unreliable, "\(sources.names)")
    }

    @Test func `an account is missing for certain only where every source could answer`() {
        // No system has an account with this number.
        let uid: uid_t = 3_999_999_998
        #expect(UserDatabase.account(uid, sources: NameSources(text: "passwd: files systemd")) == .absent)
        let uncertain = UserDatabase.account(uid, sources: NameSources(text: "passwd: files ldap systemd"))
        #expect(uncertain == .unknown("ldap may not have been asked"))
        #expect(UserDatabase.account(0) == .present(name: "root", isLocal: false))
    }

    @Test func `a file that cannot be read is not relied on, and without one there are files`() throws {
        let directory = try TemporaryDirectory()
        #expect(NameSources(path: directory.file("missing")).unreliable == nil)
        try directory.write("large", String(repeating: "x", count: 70_000))
        #expect(NameSources(path: directory.file("large")).unreliable != nil)
    }
}
