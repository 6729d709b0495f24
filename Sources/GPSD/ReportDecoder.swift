import CGPS
import Location

/// Reads lines of gpsd's protocol with libgps, gps_unpack(3). It owns one `gps_data_t`, 24 KB, for as long as it lives.
public struct ReportDecoder: ~Copyable {
    /// Members of one object; gpsd's richest report has about 60.
    static let maximumMembers = 256
    /// Devices of one DEVICES report; gpsd 3.22 is built for 4.
    static let maximumDevices = 64
    /// Bytes of a device's path: gpsd 3.22 keeps 128, GPS_PATH_MAX.
    static let longestPath = 128

    /// Satellites that were beyond the room that libgps has.
    public var droppedSatellites: Int { normalizer.droppedSatellites }

    // Allocated zeroed in init, of the size libgps wants, freed in deinit; never handed out.
    private let memory: UnsafeMutableRawPointer
    private var handle: OpaquePointer { OpaquePointer(memory) }
    private var normalizer = LineNormalizer()
    private var members: [JSONMember] = []

    /// A decoder that remembers nothing from line to line.
    public init() {
        memory = .allocate(byteCount: waymark_gps_size(), alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: waymark_gps_size())
        members.reserveCapacity(64)
    }

    deinit {
        memory.deallocate()
    }

    /// The report that a line holds, the line being without its end.
    public mutating func decode(_ line: Span<UInt8>) throws(LineFault) -> Report {
        var index = 0
        JSONScanner.skipSpace(line, &index)
        try collectMembers(of: line, at: &index)
        JSONScanner.skipSpace(line, &index)
        guard index == line.count else { throw .notAnObject }
        guard let name = value(of: "class", kind: .string, in: line) else { throw .noClass }
        if JSONScanner.equal(line, name, "TPV") { return .tpv(try tpv(line)) }
        if JSONScanner.equal(line, name, "SKY") { return .sky(try sky(line)) }
        if JSONScanner.equal(line, name, "GST") { return .gst(try gst(line)) }
        if JSONScanner.equal(line, name, "ATT") { return .att(try att(line)) }
        if JSONScanner.equal(line, name, "DEVICE") { return .device(try device(line)) }
        if JSONScanner.equal(line, name, "DEVICES") { return .devices(try devices(line)) }
        if JSONScanner.equal(line, name, "VERSION") { return .version(try version(line)) }
        if JSONScanner.equal(line, name, "WATCH") { return .watch(isEnabled: try isWatchEnabled(line)) }
        if JSONScanner.equal(line, name, "TOFF") { return .toff(try offset(line)) }
        if JSONScanner.equal(line, name, "PPS") { return .pps(try offset(line)) }
        if JSONScanner.equal(line, name, "ERROR") { return .error(try error(line)) }
        let device = value(of: "device", kind: .string, in: line)
        return .other(
            Self.text(line, name, limit: 32),
            receiver: device.map { Self.text(line, $0, limit: Self.longestPath) } ?? "")
    }

    private mutating func tpv(_ line: Span<UInt8>) throws(LineFault) -> TPV {
        try unpack(line, "TPV", Attribute.tpv)
        let from = waymark_gps_tpv(handle)
        return TPV(
            mode: Int(from.mode), status: Int(from.status), time: Self.time(from.time),
            latitude: Self.number(from.latitude), longitude: Self.number(from.longitude),
            altitudeHAE: Self.number(from.altitude_hae),
            // Before 3.20 gpsd had one altitude, above mean sea level, and called it alt.
            altitudeMSL: Self.number(from.altitude_msl) ?? Self.number(from.altitude),
            eph: Self.number(from.eph), epx: Self.number(from.epx), epy: Self.number(from.epy),
            epv: Self.number(from.epv), epd: Self.number(from.epd), eps: Self.number(from.eps),
            epc: Self.number(from.epc), track: Self.number(from.track), speed: Self.number(from.speed),
            climb: Self.number(from.climb), leapSeconds: from.leap_seconds > 0 ? Int(from.leap_seconds) : nil,
            receiver: receiver)
    }

    private mutating func sky(_ line: Span<UInt8>) throws(LineFault) -> SkyView {
        let limit = Int(WAYMARK_GPS_MAXIMUM_SATELLITES)
        let satellites = value(of: "satellites", kind: .array, in: line)
        begin(line, "SKY", Attribute.sky)
        if let satellites { try normalizer.addSatellites(satellites, of: line, limit: limit) }
        try finish(expecting: UInt64(SATELLITE_SET))
        let from = waymark_gps_sky(handle)
        return SkyView(
            time: Self.time(from.time), satellites: (0..<from.count).map { satellite($0) },
            listsSatellites: satellites != nil, hdop: Self.number(from.hdop), pdop: Self.number(from.pdop),
            receiver: receiver)
    }

    private func satellite(_ index: Int32) -> Satellite {
        let from = waymark_gps_satellite(handle, index)
        let isNumbered = from.svid > 0
        let signal = Self.number(from.signal)
        return Satellite(
            number: Int(from.prn), constellation: isNumbered ? Constellation(gnssID: Int(from.gnssid)) : .unknown,
            constellationNumber: isNumbered ? Int(from.svid) : nil, elevation: Self.number(from.elevation),
            azimuth: Self.number(from.azimuth), signalToNoise: signal.flatMap { $0 >= 0 ? $0 : nil },
            isUsed: from.used != 0)
    }

    private mutating func gst(_ line: Span<UInt8>) throws(LineFault) -> GST {
        try unpack(line, "GST", Attribute.gst, expecting: UInt64(GST_SET))
        let from = waymark_gps_gst(handle)
        return GST(
            time: Self.time(from.time), latitudeDeviation: Self.number(from.latitude),
            longitudeDeviation: Self.number(from.longitude), altitudeDeviation: Self.number(from.altitude),
            majorDeviation: Self.number(from.major), minorDeviation: Self.number(from.minor), receiver: receiver)
    }

    private mutating func att(_ line: Span<UInt8>) throws(LineFault) -> ATT {
        try unpack(line, "ATT", Attribute.att, expecting: UInt64(ATTITUDE_SET))
        let from = waymark_gps_att(handle)
        return ATT(
            time: Self.time(from.time), heading: Self.number(from.heading), pitch: Self.number(from.pitch),
            roll: Self.number(from.roll), yaw: Self.number(from.yaw), receiver: receiver)
    }

    private mutating func device(_ line: Span<UInt8>) throws(LineFault) -> Device {
        // gpsd tells of a device that went with a number where libgps expects a text, and libgps drops the line.
        let activated = value(of: "activated", kind: .number, in: line)
        let isGone = activated.map { range in range.allSatisfy { ".0".utf8.contains(line[$0]) } } ?? false
        try unpack(line, "DEVICE", Attribute.deviceReport, expecting: UInt64(DEVICE_SET))
        let from = waymark_gps_device(handle)
        return Device(
            path: receiver, driver: Self.text(waymark_gps_device_driver(handle)), isPresent: !isGone,
            activated: Self.time(from.activated), cycleSeconds: from.cycle > 0 ? from.cycle : nil)
    }

    /// One by one: libgps 3.22 does not end if there are more than 4.
    private mutating func devices(_ line: Span<UInt8>) throws(LineFault) -> [Device] {
        guard let array = value(of: "devices", kind: .array, in: line) else { return [] }
        var objects: [Range<Int>] = []
        var index = array.lowerBound
        try JSONScanner.elements(of: line, at: &index) { (range, kind) throws(LineFault) in
            if kind == .object, objects.count < Self.maximumDevices { objects.append(range) }
        }
        var devices: [Device] = []
        for object in objects {
            let text = line.extracting(object)
            var start = 0
            try collectMembers(of: text, at: &start)
            devices.append(try device(text))
        }
        return devices
    }

    private mutating func version(_ line: Span<UInt8>) throws(LineFault) -> ProtocolVersion {
        try unpack(line, "VERSION", Attribute.version, expecting: UInt64(VERSION_SET))
        var major: Int32 = 0
        var minor: Int32 = 0
        waymark_gps_version(handle, &major, &minor)
        return ProtocolVersion(
            release: Self.text(waymark_gps_version_release(handle)), major: Int(major), minor: Int(minor))
    }

    private mutating func isWatchEnabled(_ line: Span<UInt8>) throws(LineFault) -> Bool {
        try unpack(line, "WATCH", Attribute.watch, expecting: UInt64(POLICY_SET))
        return waymark_gps_watch_enabled(handle) != 0
    }

    /// libgps 3.22 reads a TOFF but keeps nothing of it; a PPS has the same members and is kept.
    private mutating func offset(_ line: Span<UInt8>) throws(LineFault) -> ClockOffset {
        try unpack(line, "PPS", Attribute.offset, expecting: UInt64(PPS_SET))
        let from = waymark_gps_pps(handle)
        guard let real = Self.time(from.real), let clock = Self.time(from.clock) else { throw .notUnderstood }
        return ClockOffset(real: real, clock: clock, receiver: receiver)
    }

    private mutating func error(_ line: Span<UInt8>) throws(LineFault) -> String {
        try unpack(line, "ERROR", Attribute.error, expecting: UInt64(ERROR_SET))
        return Self.text(waymark_gps_error_message(handle))
    }

    private mutating func collectMembers(of line: Span<UInt8>, at index: inout Int) throws(LineFault) {
        members.removeAll(keepingCapacity: true)
        var collected: [JSONMember] = []
        swap(&collected, &members)
        defer { swap(&collected, &members) }
        try JSONScanner.members(of: line, at: &index) { (member) throws(LineFault) in
            guard collected.count < Self.maximumMembers else { throw .tooManyMembers }
            collected.append(member)
        }
    }

    private func value(of name: StaticString, kind: JSONMember.Kind, in line: Span<UInt8>) -> Range<Int>? {
        for member in members where member.kind == kind && JSONScanner.equal(line, member.key, name) {
            return member.value
        }
        return nil
    }

    private mutating func unpack(
        _ line: Span<UInt8>, _ name: StaticString, _ attributes: [Attribute], expecting bits: UInt64 = 0
    ) throws(LineFault) {
        begin(line, name, attributes)
        try finish(expecting: bits)
    }

    private mutating func begin(_ line: Span<UInt8>, _ name: StaticString, _ attributes: [Attribute]) {
        normalizer.begin(class: name)
        for member in members { normalizer.add(member, of: line, from: attributes) }
    }

    private mutating func finish(expecting bits: UInt64) throws(LineFault) {
        let handle = self.handle
        let result = normalizer.end { waymark_gps_unpack(handle, $0) }
        guard result == 0, waymark_gps_set(handle) & bits == bits else { throw .notUnderstood }
    }

    private var receiver: String { Self.text(waymark_gps_device_path(handle)) }

    /// libgps gives NaN for what a line leaves out.
    private static func number(_ value: Double) -> Double? { value.isNaN ? nil : value }

    private static func time(_ from: waymark_gps_time) -> UTCTime? {
        guard from.has_time != 0, from.seconds.magnitude < 1 << 42 else { return nil }
        return UTCTime(microseconds: from.seconds * 1_000_000 + from.nanoseconds / 1_000)
    }

    private static func text(_ from: UnsafePointer<CChar>?) -> String {
        guard let from else { return "" }
        return String(cString: from)
    }

    private static func text(_ line: Span<UInt8>, _ range: Range<Int>, limit: Int) -> String {
        line.extracting(range.prefix(limit)).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
}
