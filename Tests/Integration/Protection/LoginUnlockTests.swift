import Glibc
import Interfaces
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// Unlocking at a login, with pam_exec(8) and su(1), in a mount namespace in which the services of PAM are the test's own.
@Suite(
    .waits, .serialized,
    .enabled(
        if: OtherUser.isPossible && DaemonSurroundings.seesProgramsFromOwnMounts,
        "another folder of PAM's services needs root"),
    .enabled(if: access("/usr/bin/su", X_OK) == 0, "su is not installed"))
struct LoginUnlockTests {
    /// Logs in as a user with this password, which every account has here: PAM permits what it was asked for.
    private func logIn(_ scene: TwoUserScene, _ user: String, _ password: String, as uid: UInt32) throws {
        let command = try scene.apps.program("waymark-at-login", of: "waymark")
        let service = try scene.apps.directory.write(
            "pam.d/su",
            """
            auth optional pam_exec.so seteuid expose_authtok log=\(scene.apps.directory.file("pam.log")) /usr/bin/env \
            WAYMARK_SOCKET=\(scene.daemon.socketPath) \(command) unlock --pam
            auth required pam_permit.so
            account required pam_permit.so
            session required pam_permit.so

            """)
        let script = """
            mount --bind "$(dirname '\(service)')" /etc/pam.d && exec setpriv --reuid=\(uid) --regid=\(uid) --clear-groups \
            su \(user) -c true
            """
        // The login itself ends with the account's shell, which permits none.
        _ = try CompletedProcess.run(
            "/usr/bin/unshare", ["--mount", "/bin/sh", "-c", script],
            environment: ["PATH": "/usr/bin:/bin:/usr/sbin:/sbin"],
            input: password + "\n", seconds: 60)
    }

    private func log(_ scene: TwoUserScene) -> String {
        let bytes = try? BoundedFile.bytes(of: scene.apps.directory.file("pam.log"), limit: 65_536)
        return String(decoding: bytes ?? [], as: UTF8.self)
    }

    @Test func `a login unlocks the data of its user only, whoever begins it`() throws {
        let scene = try TwoUserScene()
        let (anna, bert) = (TwoUserScene.anna, TwoUserScene.bert)
        // No passphrase of her own is no error.
        try logIn(scene, "nobody", TwoUserScene.passphrase, as: 0)
        #expect(try scene.status(anna).state == .open)
        for uid in [anna, bert] { try scene.protect(uid) }
        try scene.restart()
        try logIn(scene, "nobody", "of something else", as: bert)
        #expect(try scene.status(anna).state == .neverUnlocked && scene.status(anna).failures == 1)
        #expect(log(scene).contains("does not unlock the data"), "\(log(scene))")
        try logIn(scene, "nobody", TwoUserScene.passphrase, as: bert)
        #expect(try scene.status(anna).state == .unlocked, "\(log(scene))")
        #expect(try scene.status(bert).state == .neverUnlocked && scene.status(bert).failures == 0)
        #expect(try scene.isComplete(anna))
        #expect(!log(scene).contains("heron"))
    }
}
