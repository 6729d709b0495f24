import Glibc

/// The kernel's information about a peer, which identifies its app. None of it is the peer's own claim.
public struct PeerEvidence: Equatable, Sendable {
    /// The number of the process when it was examined.
    public let processID: pid_t
    /// The user as whom it connected.
    public let userID: uid_t
    /// The app's own listening socket on which it connected, by the name that the service manager gave it; nil for the
    /// common socket.
    public let listener: String?
    /// Its control group; nil if that may not be read.
    public let controlGroup: ControlGroup?
    /// The program that it runs.
    public let program: ProgramEvidence
    /// The label of a security module, if one is active.
    public let securityLabel: String?
    /// Whether the process was looked up by its number, so that another process with that number may have been
    /// examined.
    public let isRacy: Bool

    /// Evidence with these values.
    public init(
        processID: pid_t, userID: uid_t, listener: String? = nil, controlGroup: ControlGroup? = nil,
        program: ProgramEvidence = .unknown("was not looked for"), securityLabel: String? = nil, isRacy: Bool = false
    ) {
        self.processID = processID
        self.userID = userID
        self.listener = listener
        self.controlGroup = controlGroup
        self.program = program
        self.securityLabel = securityLabel
        self.isRacy = isRacy
    }

    /// The system service or scope in which it runs.
    public var systemUnit: String? { controlGroup?.systemUnit }

    /// The unit in which it runs, of the manager of the user as whom it connected; nil if it runs below another user's
    /// manager, as a program that changed its user does.
    public var userUnit: String? { isAtHome ? controlGroup?.userUnit : nil }

    /// The Flatpak app to which it belongs.
    public var flatpakID: String? { isAtHome ? controlGroup?.flatpakID : nil }

    /// Whether it runs in the scope of a Flatpak app of any user.
    public var isFlatpak: Bool { controlGroup?.flatpakID != nil }

    private var isAtHome: Bool { controlGroup?.owner == userID }
}

extension PeerIdentity {
    /// Examines the process's control group and program. Nil if it has ended, because the result may then describe
    /// another process that got its number.
    ///
    /// A process has its number until it ends. So what is read between two checks that it is alive belongs to it.
    ///
    /// `program` returns the program of the process with a number: a different process may have the necessary rights.
    public func evidence(
        listener: String? = nil, program: (pid_t) -> ProgramEvidence = ProgramEvidence.of(processID:)
    ) -> PeerEvidence? {
        guard isAlive, let pidfdNumber else { return nil }
        let evidence = PeerEvidence(
            processID: processID, userID: userID, listener: listener, controlGroup: Self.group(pidfdNumber, processID),
            program: program(processID), securityLabel: securityLabel, isRacy: isRacy)
        return isAlive ? evidence : nil
    }

    /// The present control group of the process, in a system service or of a user; nil if it has ended or may not be
    /// examined.
    public var controlGroup: ControlGroup? {
        guard isAlive, let pidfdNumber else { return nil }
        let group = Self.group(pidfdNumber, processID)
        return isAlive ? group : nil
    }

    private static func group(_ pidfd: Int32, _ processID: pid_t) -> ControlGroup? {
        if let group = ControlGroup.of(pidfd: pidfd) { return group }
        do { return try ControlGroup.of(processID: processID) } catch { return nil }
    }
}
