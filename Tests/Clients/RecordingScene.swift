// A release build compiles this library as well, and has no Testing.
#if canImport(Testing)
    import TestSupport

    /// A receiver that reports ten times a second, a daemon, and an app of another user that may record, called Trail Map.
    public struct RecordingScene {
        /// The receiver, to be stopped at the end.
        public let receiver: PlayedReceiver
        /// The folder of the daemon, with the app's manifest and the restrictions.
        public let apps: TestApps
        /// The path of the app's program.
        public let program: String
        /// The daemon.
        public let daemon: DaemonProcess
        /// An operator, who has not authorized the app yet.
        public let manage: OperatorClient

        /// Starts the daemon.
        public init() throws {
            receiver = try PlayedReceiver.tenHertz()
            apps = try TestApps()
            program = try apps.program("trailmap")
            try apps.add("trailmap", name: "Trail Map", program: program, "Record=yes")
            daemon = try DaemonProcess(in: apps.directory, configuration: apps.configuration(), gpsd: receiver.address)
            manage = try OperatorClient(daemon)
        }

        /// A process of the app, connected to the daemon.
        public func app() throws -> AppClient { try AppClient(program, to: daemon.socketPath) }
    }
#endif
