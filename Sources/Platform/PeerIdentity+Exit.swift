extension PeerIdentity {
    /// Calls the handler on the loop once the process has ended; nil if it already has. The pidfd becomes readable
    /// then, pidfd_open(2).
    @DaemonActor
    public func watchExit(_ handler: @escaping @DaemonActor () -> Void) throws(SystemError) -> IOSource? {
        guard isAlive, let pidfdNumber else { return nil }
        return try IOSource(pidfdNumber, .readable) { _ in
            // The pidfd must not be closed before the watching ends.
            withExtendedLifetime(self) { handler() }
        }
    }
}
