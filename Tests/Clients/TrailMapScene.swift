// A release build compiles this library as well, and has no Testing.
#if canImport(Testing)
    import Interfaces
    import Location
    import Platform
    import TestSupport
    import Testing

    /// A daemon and an app of another user that may always have positions: the test's own program, called Trail Map.
    public struct TrailMapScene {
        /// The folder of the daemon, with the app's manifest and the restrictions.
        public let apps: TestApps
        /// The daemon.
        public let daemon: DaemonProcess
        /// The operator who has authorized the app.
        public let manage: OperatorClient
        private let gpsd: ScriptedGPSD

        /// Starts a daemon that reads from a gpsd, with further settings.
        public init(_ gpsd: ScriptedGPSD, receiver: String = "") throws {
            self.gpsd = gpsd
            apps = try TestApps()
            try apps.add("trailmap", name: "Trail Map", program: try TestApps.ownProgram())
            daemon = try DaemonProcess(
                in: apps.directory, configuration: apps.configuration() + receiver, gpsd: gpsd.address)
            manage = try OperatorClient(daemon)
            try authorize(.always)
        }

        /// Changes what the app may have.
        public func authorize(
            _ status: ManageInterface.Authorize.Status, accuracy: AccuracyAuthorization? = nil
        ) throws {
            try manage.authorize("trailmap", status, uid: OtherUser.nobody, accuracy: accuracy)
        }

        /// A call of a stream by the app, on a connection of its own.
        public func call(_ method: LocationInterface.Method, _ parameters: String) throws -> RawConnection {
            let client = try RawConnection(adopting: OtherUser.connect(to: daemon.socketPath))
            let call = #"{"method":"\#(method.rawValue)","parameters":\#(parameters),"more":true}"#
            #expect(try client.send(message: call) == .everything)
            return client
        }

        /// Waits until the daemon needs positions.
        public func waitForDemand() throws {
            try #require(eventually { gpsd.received.contains("?WATCH") }, "\(daemon.log)")
        }
    }
#endif
