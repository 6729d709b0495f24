import JSONText

// A release build compiles this library as well, and has no Testing.
#if canImport(Testing)
    import Interfaces
    import Location
    import Platform
    import TestSupport
    import Testing
    import Varlink

    /// A daemon whose gpsd reports a drive along a meridian in the open sea, and calls of `io.waymark.Regions`.
    public final class RegionScene {
        /// The gpsd.
        public let gpsd: ScriptedGPSD
        /// The daemon.
        public let daemon: DaemonProcess
        /// Microseconds of the second 0: a whole second, because gpsd reports milliseconds.
        public let start = (SystemClock().utcMicroseconds / 1_000_000 - 36_000) * 1_000_000

        /// A position stays valid for an hour, so that no test depends on the pauses between its reports, and the receiver does not
        /// sleep, because hours are reported at once.
        public static let patient = "[Receiver]\nStaleAfter=1h\nReleaseAfter=0s\nPower=continuous\n"

        /// Starts a daemon of its own.
        public init(
            in directory: TemporaryDirectory? = nil, configuration: String = "", receiver: String = patient,
            knowsLogins: Bool = true
        ) throws {
            gpsd = try ScriptedGPSD()
            daemon = try DaemonProcess(
                in: directory, configuration: receiver + configuration, gpsd: gpsd.address, knowsLogins: knowsLogins)
        }

        deinit { gpsd.stop() }

        /// Microseconds of a second.
        public func time(_ second: Int) -> UTCTime { UTCTime(microseconds: start + Int64(second) * 1_000_000) }

        /// A report of a second, so many metres north of 47° N, with the speed in m/s.
        public func report(_ second: Int, north: Double, speed: Double = 0, east: Double = 0) -> String {
            #"{"class":"TPV","device":"\#(ScriptedGPSD.device)","mode":3,"time":"\#(time(second).iso8601(fraction: 3))","#
                + #""lat":\#(47 + north / 111_195),"lon":\#(-30 + east / 75_800),"altMSL":8.0,"eph":4.0,"eps":0.2,"#
                + #""track":0.0,"speed":\#(speed)}"# + "\r\n"
        }

        /// Reports each second of a drive.
        public func drive(_ seconds: Range<Int>, every step: Int = 1, speed: Double = 15, north: (Int) -> Double) {
            gpsd.send(
                stride(from: seconds.lowerBound, to: seconds.upperBound, by: step)
                    .map { report($0, north: north($0), speed: speed) }.joined())
        }

        /// Waits until the daemon needs positions from this gpsd.
        public func waitForDemand() throws {
            try #require(
                eventually(within: Patience.daemon) { gpsd.received.contains("?WATCH") }, "\(daemon.log)")
        }

        /// The text of a circle, so many metres north of 47° N.
        public static func circle(_ identifier: String, north: Double, radius: Double = 100, _ more: String = "")
            -> String
        {
            #"{"identifier":"\#(identifier)","circle":{"latitude":\#(47 + north / 111_195),"longitude":-30,"radius":\#(radius)}\#(more)}"#
        }

        /// A client of this process's own user: an operator's program that is no app, unless the test has made it one.
        public func client() throws -> Client { try Client(path: daemon.socketPath, timeout: .seconds(60)) }

        /// Adds regions to a monitor.
        @discardableResult
        public func add(
            _ regions: [String], to monitor: String = "m", _ more: String = "", by client: Client? = nil
        ) throws -> JSON {
            let text = #"{"monitor":"\#(monitor)","regions":[\#(regions.joined(separator: ","))]\#(more)}"#
            return try (client ?? self.client()).call(
                RegionsInterface.Method.add.rawValue, try JSON.parse(Array(text.utf8)), timeout: .seconds(60))
        }

        /// The monitors.
        public func monitors(_ client: Client? = nil) throws -> [RegionsInterface.MonitorSummary] {
            try (client ?? self.client()).call(RegionsInterface.List(), timeout: .seconds(60)).monitors
        }

        /// The regions of a monitor.
        public func show(
            _ monitor: String = "m", by client: Client? = nil
        ) throws -> [RegionsInterface.KnownRegion] {
            try (client ?? self.client()).call(RegionsInterface.Show(monitor: monitor), timeout: .seconds(60)).regions
        }

        /// A stream of the events of a monitor.
        public func stream(_ monitor: String = "m", after: Int64? = nil) throws -> StreamLog {
            let more = after.map { ",\"after\":\($0)" } ?? ""
            return try StreamLog(
                daemon.socketPath, RegionsInterface.Method.monitor.rawValue, "{\"monitor\":\"\(monitor)\"\(more)}")
        }

        /// The events of a stream so far, each as "1 determined outside a".
        public func events(_ stream: StreamLog) throws -> [RegionsInterface.Event] {
            try stream.replies.filter { $0.error == nil }.map {
                try RegionsInterface.Monitor.reply($0.parameters).event
            }
        }

        /// The events of a stream, once there are so many.
        public func words(_ stream: StreamLog, _ count: Int, within seconds: Double = Patience.daemon) throws
            -> [String]
        {
            _ = eventually(within: seconds) { stream.replies.count >= count || stream.ending != nil }
            return try events(stream).map(\.words)
        }
    }

    extension RegionsInterface.Event {
        /// The event in words.
        public var words: String {
            [
                "\(sequence)", kind.rawValue, state?.rawValue, reason?.rawValue, region, lost.map { "lost \($0)" },
                passedThrough ? "through" : nil,
            ].compactMap { $0 }.joined(separator: " ")
        }
    }
#endif
