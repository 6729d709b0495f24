/// How a credential that was corrected comes to be used.
///
/// systemd copies the files of `LoadCredential=` into the service's credentials when it starts the service, and never
/// again, systemd.exec(5): a reload reads the copy of before once more. Files of any other folder are read at each reload.
public enum CredentialRenewal: Equatable, Sendable {
    /// A restart of this unit of the system's manager.
    case restart(unit: String)
    /// A restart of this unit of the user's manager.
    case userRestart(unit: String)
    /// The signal that has the files read again.
    case reload
    /// A start with credentials: this process has none.
    case start

    /// How credentials are renewed that are in this folder; nil for a process without one.
    public init(folder: String?) {
        guard let folder else {
            self = .start
            return
        }
        // systemd's folders are /run/credentials/UNIT and /run/user/UID/credentials/UNIT.
        let parts = folder.split(separator: "/")
        switch (parts.count, parts.first, parts.last) {
        case (3, "run", let unit?) where parts[1] == "credentials": self = .restart(unit: String(unit))
        case (5, "run", let unit?) where parts[1] == "user" && parts[3] == "credentials":
            self = .userRestart(unit: String(unit))
        default: self = .reload
        }
    }

    /// What a person does after the correction: the end of a sentence.
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

    /// Whether a reload reads nothing that was not read at the start.
    var needsRestart: Bool {
        switch self {
        case .restart, .userRestart: true
        case .reload, .start: false
        }
    }
}
