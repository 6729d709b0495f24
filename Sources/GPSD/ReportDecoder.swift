import CGPS
import JSONText
import Location

/// Decodes lines of gpsd's protocol with libgps, gps_unpack(3). It owns one `gps_data_t` of 24 KB.
public struct ReportDecoder: ~Copyable {
    /// The most devices of one DEVICES report; gpsd 3.22 is built for 4.
    static let maximumDevices = 64
    /// The most bytes of a device's path: 128 in gpsd 3.22, GPS_PATH_MAX.
    static let longestPath = 128

    /// The number of satellites beyond libgps's limit.
    public var droppedSatellites: Int { normalizer.droppedSatellites }

    // Allocated and zeroed in init with the size that libgps needs, freed in deinit, and not exposed.
    private let memory: UnsafeMutableRawPointer
    private var handle: OpaquePointer { OpaquePointer(memory) }
    private var normalizer = LineNormalizer()
    private var members = LineMembers()

    /// A decoder without state between lines.
    public init() {
        memory = .allocate(byteCount: waymark_gps_size(), alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: waymark_gps_size())
    }

    deinit {
        memory.deallocate()
    }

    /// Decodes a line, which is given without its end.
    public mutating func decode(_ line: Span<UInt8>) throws(LineFault) -> Report {
        try members.read(line)
        guard let name = value("class", .string, in: line) else { throw .noClass }
        if line.isEqual(name, "TPV") { return .tpv(try tpv(line)) }
        if line.isEqual(name, "SKY") { return .sky(try sky(line)) }
        if line.isEqual(name, "GST") { return .gst(try gst(line)) }
        if line.isEqual(name, "ATT") { return .att(try att(line)) }
        if line.isEqual(name, "DEVICE") { return .device(try device(line)) }
        if line.isEqual(name, "DEVICES") { return .devices(try devices(line)) }
        if line.isEqual(name, "VERSION") { return .version(try version(line)) }
        if line.isEqual(name, "WATCH") { return .watch(isEnabled: try isWatchEnabled(line)) }
        if line.isEqual(name, "TOFF") { return .toff(try offset(line)) }
        if line.isEqual(name, "PPS") { return .pps(try offset(line)) }
        if line.isEqual(name, "ERROR") { return .error(try error(line)) }
        let device = value("device", .string, in: line)
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
            // Before 3.20 gpsd had only the altitude above mean sea level, as `alt`.
            altitudeMSL: Self.number(from.altitude_msl) ?? Self.number(from.altitude),
            eph: Self.number(from.eph), epx: Self.number(from.epx), epy: Self.number(from.epy),
            epv: Self.number(from.epv), epd: Self.number(from.epd), eps: Self.number(from.eps),
            epc: Self.number(from.epc), track: Self.number(from.track), speed: Self.number(from.speed),
            climb: Self.number(from.climb), leapSeconds: from.leap_seconds > 0 ? Int(from.leap_seconds) : nil,
            magneticVariation: Self.number(from.magnetic_variation), receiver: receiver)
    }

    private mutating func sky(_ line: Span<UInt8>) throws(LineFault) -> SkyView {
        let limit = Int(WAYMARK_GPS_MAXIMUM_SATELLITES)
        let satellites = members.first("satellites", .array, in: line)
        begin(line, "SKY", Attribute.sky)
        if let satellites { normalizer.addSatellites(satellites, from: members, in: line, limit: limit) }
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
        var att = ATT(
            time: Self.time(from.time), heading: Self.number(from.heading), pitch: Self.number(from.pitch),
            roll: Self.number(from.roll), yaw: Self.number(from.yaw),
            hasAlarm: ATT.alarms.contains(UInt8(bitPattern: from.compass_status)), receiver: receiver)
        if members.first("mheading", .number, of: 0, in: line) != nil {
            try unpack(line, "ATT", Attribute.magneticHeading, expecting: UInt64(ATTITUDE_SET))
            att.magneticHeading = Self.number(waymark_gps_att(handle).heading)
        }
        return att
    }

    /// Decodes the device in an object, by default the line's own.
    private mutating func device(_ line: Span<UInt8>, object: Int = 0) throws(LineFault) -> Device {
        // gpsd reports a removed device with a number where libgps expects a text, so that libgps would reject the
        // line.
        let activated = value("activated", .number, of: object, in: line)
        let isDeactivated = activated.map { range in range.allSatisfy { ".0".utf8.contains(line[$0]) } } ?? false
        try unpack(line, "DEVICE", Attribute.deviceReport, of: object, expecting: UInt64(DEVICE_SET))
        let from = waymark_gps_device(handle)
        return Device(
            path: receiver, driver: Self.text(waymark_gps_device_driver(handle)), isPresent: !isDeactivated,
            activated: Self.time(from.activated), cycleSeconds: from.cycle > 0 ? from.cycle : nil)
    }

    /// One by one, because libgps 3.22 does not terminate with more than 4.
    private mutating func devices(_ line: Span<UInt8>) throws(LineFault) -> [Device] {
        guard let array = members.first("devices", .array, in: line) else { return [] }
        var devices: [Device] = []
        for object in members.children(of: array)
        where members[object].kind == .object && devices.count < Self.maximumDevices {
            devices.append(try device(line, object: object))
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

    /// libgps 3.22 parses a TOFF but discards its values; a PPS has the same members, whose values it returns.
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

    private func value(
        _ name: StaticString, _ kind: JSONKind, of object: Int = 0, in line: Span<UInt8>
    ) -> Range<Int>? {
        members.first(name, kind, of: object, in: line).map { members[$0].value }
    }

    private mutating func unpack(
        _ line: Span<UInt8>, _ name: StaticString, _ attributes: [Attribute], of object: Int = 0,
        expecting bits: UInt64 = 0
    ) throws(LineFault) {
        begin(line, name, attributes, of: object)
        try finish(expecting: bits)
    }

    private mutating func begin(
        _ line: Span<UInt8>, _ name: StaticString, _ attributes: [Attribute], of object: Int = 0
    ) {
        normalizer.begin(class: name)
        normalizer.add(attributes, of: object, from: members, in: line)
    }

    private mutating func finish(expecting bits: UInt64) throws(LineFault) {
        let handle = self.handle
        let result = normalizer.end { waymark_gps_unpack(handle, $0) }
        guard result == 0, waymark_gps_set(handle) & bits == bits else { throw .notUnderstood }
    }

    private var receiver: String { Self.text(waymark_gps_device_path(handle)) }

    /// libgps uses NaN for missing values.
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
