/// How a corrected credential is loaded.
///
/// systemd copies the files of `LoadCredential=` into the service's credentials only when it starts the service
/// (systemd.exec(5)), so a reload would read the old copy again. Files in any other folder are read at each reload.
public enum CredentialRenewal: Equatable, Sendable {
    /// Restart this unit of the system manager.
    case restart(unit: String)
    /// Restart this unit of the user manager.
    case userRestart(unit: String)
    /// Send the signal that reloads the files.
    case reload
    /// Start the process with credentials: it has none now.
    case start

    /// The renewal for credentials in this folder; nil for a process without a credential folder.
    public init(folder: String?) {
        guard let folder else {
            self = .start
            return
        }
        // systemd uses the folders /run/credentials/UNIT and /run/user/UID/credentials/UNIT.
        let parts = folder.split(separator: "/")
        switch (parts.count, parts.first, parts.last) {
        case (3, "run", let unit?) where parts[1] == "credentials": self = .restart(unit: String(unit))
        case (5, "run", let unit?) where parts[1] == "user" && parts[3] == "credentials":
            self = .userRestart(unit: String(unit))
        default: self = .reload
        }
    }

    /// The instruction for a person after the correction: the end of a sentence.
    public var instruction: String {
        switch self {
        case .restart(let unit):
            "run `sudo systemctl restart \(unit)`: a reload is not enough, as systemd copies credentials only at a start"
        case .userRestart(let unit):
            "run `systemctl --user restart \(unit)`: a reload is not enough, as systemd copies credentials only at a start"
        case .reload: "send SIGHUP to the uploader, which reads it again"
        case .start: "start the uploader again"
        }
    }

    /// Whether a reload cannot load changed credentials.
    var needsRestart: Bool {
        switch self {
        case .restart, .userRestart: true
        case .reload, .start: false
        }
    }
}
