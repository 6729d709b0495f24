import Platform

/// The settings of the command line; they override every file, also when the files are read again.
public struct Overrides: Equatable, Sendable {
    /// `--gpsd`.
    public var gpsd: GPSDAddress?
    /// `--socket`.
    public var socketPath: String?
    /// `--state-directory`.
    public var stateDirectory: String?
    /// `--log-level`.
    public var logLevel: Platform.Log.Level?
    /// `--simulated`.
    public var isSimulated: Bool?
    /// The program that resolves names, from the system unit.
    public var resolver: ResolverProgram?

    /// The options as they were given, nil for an absent one.
    public init(
        gpsd: GPSDAddress? = nil, socketPath: String? = nil, stateDirectory: String? = nil,
        logLevel: Platform.Log.Level? = nil, isSimulated: Bool? = nil, resolver: ResolverProgram? = nil
    ) {
        self.gpsd = gpsd
        self.socketPath = socketPath
        self.stateDirectory = stateDirectory
        self.logLevel = logLevel
        self.isSimulated = isSimulated
        self.resolver = resolver
    }

    func apply(to configuration: inout Configuration) {
        configuration.override(\.receiver.gpsd, with: gpsd)
        configuration.override(\.socket.path, with: socketPath)
        configuration.override(\.journal.stateDirectory, with: stateDirectory)
        configuration.override(\.log.level, with: logLevel)
        configuration.override(\.receiver.isSimulated, with: isSimulated)
        configuration.override(\.reachability.resolver, with: resolver)
    }
}
