import Platform
import TestSupport

/// User namespaces, in which any user may be root, user_namespaces(7).
enum UserNamespace {
    /// Whether every user of this machine may create one.
    static let isPossible: Bool = {
        let nobody = OtherUser.nobody
        do throws(SystemError) {
            return try CompletedProcess.run(
                "/usr/bin/setpriv",
                ["--reuid=\(nobody)", "--regid=\(nobody)", "--clear-groups", "/usr/bin/unshare", "--user", "/bin/true"]
            ).status.isSuccess
        } catch {
            return false
        }
    }()
}
