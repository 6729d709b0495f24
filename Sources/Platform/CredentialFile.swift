import Glibc

/// The credentials that the service manager passes to a service, systemd.exec(5).
public enum CredentialFile {
    /// The path of a credential in `$CREDENTIALS_DIRECTORY`; nil if there is none of this name.
    public static func path(_ name: String) -> String? {
        guard let folder = getenv("CREDENTIALS_DIRECTORY").map({ String(cString: $0) }), folder.hasPrefix("/") else {
            return nil
        }
        let path = "\(folder)/\(name)"
        return access(path, F_OK) == 0 ? path : nil
    }
}
