extension PeerIdentity {
    /// Calls the handler on the loop once the process has ended; nil where it has already. A pidfd becomes readable then,
    /// pidfd_open(2). The identity has to outlive the watching.
    @DaemonActor
    public func watchExit(_ handler: @escaping @DaemonActor () -> Void) throws(SystemError) -> IOSource? {
        guard isAlive, let pidfdNumber else { return nil }
        return try IOSource(pidfdNumber, .readable) { _ in handler() }
    }
}
