import Glibc

/// The kernel's information about a peer, which identifies its app. None of it is the peer's own claim.
public struct PeerEvidence: Equatable, Sendable {
    /// The process, as its number was then.
    public let processID: pid_t
    /// As whom it connected.
    public let userID: uid_t
    /// The app's own listening socket on which it connected, by the name the service manager gave it; nil for the one
    /// that everybody uses.
    public let listener: String?
    /// Where it runs; nil where that may not be seen.
    public let controlGroup: ControlGroup?
    /// Which program it runs.
    public let program: ProgramEvidence
    /// The label of a security module, where one is at work.
    public let securityLabel: String?
    /// Whether the process was looked up by its number: another that took the number may have been meant.
    public let isRacy: Bool

    /// Evidence of these parts.
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

    /// The system service or scope it runs in.
    public var systemUnit: String? { controlGroup?.systemUnit }

    /// The unit it runs in of the manager of the user it connected as; nil in another user's, as a program that changed
    /// its user runs in.
    public var userUnit: String? { isAtHome ? controlGroup?.userUnit : nil }

    /// The Flatpak app it is of.
    public var flatpakID: String? { isAtHome ? controlGroup?.flatpakID : nil }

    /// Whether it runs in the scope of a Flatpak app, whichever user's that is.
    public var isFlatpak: Bool { controlGroup?.flatpakID != nil }

    private var isAtHome: Bool { controlGroup?.owner == userID }
}

extension PeerIdentity {
    /// Looks at the process: where it runs and what. Nil where it has ended, as then whatever was seen may be of another
    /// that took its number.
    ///
    /// A process keeps its number until it has ended, so what is read between two instants at which it is alive is its own.
    ///
    /// `program` returns which program the process of a number runs: another process may have the right to see that.
    public func evidence(
        listener: String? = nil, program: (pid_t) -> ProgramEvidence = ProgramEvidence.of(processID:)
    ) -> PeerEvidence? {
        guard isAlive, let pidfdNumber else { return nil }
        let evidence = PeerEvidence(
            processID: processID, userID: userID, listener: listener, controlGroup: Self.group(pidfdNumber, processID),
            program: program(processID), securityLabel: securityLabel, isRacy: isRacy)
        return isAlive ? evidence : nil
    }

    /// Where it runs now, a system service's and a user's programs alike; nil where it has ended or may not be seen.
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
