import Location
import TestSupport
import Testing

@testable import Journal
@testable import Storage

struct PositionPayloadTests {
    static let whole = Position(
        timestamp: 1_800_000_000.25, coordinate: place(47.123456789, -8.987654321), horizontalAccuracy: 4.2,
        altitude: 408.1234, ellipsoidalAltitude: 456.7, verticalAccuracy: 8, speed: 13.889, speedAccuracy: 0.5,
        course: 359.9999, courseAccuracy: 12.5, climb: -0.25, accuracy: .reduced, isSimulated: true,
        quality: .rtkFloat)

    static func place(_ latitude: Double, _ longitude: Double) -> Coordinate {
        guard let place = Coordinate(latitude: latitude, longitude: longitude) else {
            preconditionFailure("the coordinate is valid")
        }
        return place
    }

    static func encoded(_ position: Position) -> [UInt8] {
        var bytes: [UInt8] = []
        #expect(PositionPayload.append(position, to: &bytes))
        return bytes
    }

    static func decoded(_ bytes: [UInt8]) throws(PayloadError) -> Position {
        // A copy of exactly this length, so that the sanitizer detects a read beyond the end.
        var result: Result<Position, PayloadError> = .failure(.tooShort)
        bytes.withUnsafeBytes { bytes in
            result = Result { () throws(PayloadError) in try PositionPayload.decode(bytes) }
        }
        return try result.get()
    }

    static var optionals: [WritableKeyPath<Position, Double?>] {
        [
            \.altitude, \.ellipsoidalAltitude, \.verticalAccuracy, \.speed, \.speedAccuracy, \.course,
            \.courseAccuracy, \.climb,
        ]
    }

    @Test func `each member is restored with or without the others`() throws {
        #expect(try Self.decoded(Self.encoded(Self.whole)) == Self.whole)
        var bare = Position(timestamp: 0, coordinate: Self.place(0, 0), horizontalAccuracy: 1)
        #expect(try Self.decoded(Self.encoded(bare)) == bare)
        for (index, path) in Self.optionals.enumerated() {
            var one = bare
            one[keyPath: path] = Double(index) + 0.1
            #expect(try Self.decoded(Self.encoded(one)) == one)
            var others = Self.whole
            others[keyPath: path] = nil
            #expect(try Self.decoded(Self.encoded(others)) == others)
        }
        for quality in FixQuality.allCases + [nil] {
            bare.quality = quality
            #expect(try Self.decoded(Self.encoded(bare)) == bare)
        }
    }

    @Test(arguments: [
        0, -0.0, 1.5, -90, 90, 89.999_999_999, 1e-9, 4e-10, .leastNonzeroMagnitude, -.leastNormalMagnitude, 0.1 + 0.2,
        .pi, 1 / 3,
    ])
    func `every number is restored to the same bits`(number: Double) throws {
        var position = Self.whole
        position.coordinate = Self.place(number, -number)
        (position.timestamp, position.horizontalAccuracy, position.altitude) = (number, number, number)
        let back = try Self.decoded(Self.encoded(position))
        #expect(back.coordinate.latitude.bitPattern == number.bitPattern)
        #expect(back.coordinate.longitude.bitPattern == (-number).bitPattern)
        #expect(back.timestamp.bitPattern == number.bitPattern)
        #expect(back.horizontalAccuracy.bitPattern == number.bitPattern)
        #expect(back.altitude?.bitPattern == number.bitPattern)
    }

    @Test(arguments: 1...20)
    func `any numbers are restored to the same bits`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let position = Position.random(using: &generator)
            let bytes = Self.encoded(position)
            #expect(bytes.count <= PositionPayload.longest)
            #expect(try Self.decoded(bytes) == position)
        }
    }

    @Test func `a receiver's position needs few bytes`() {
        #expect(Self.encoded(Self.whole).count == 50)
        #expect(Self.encoded(.step(1)).count <= 32)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `a value that is not a number is not stored`(number: Double) {
        for path in Self.optionals {
            var position = Self.whole
            position[keyPath: path] = number
            var bytes: [UInt8] = [7]
            #expect(!PositionPayload.append(position, to: &bytes))
            #expect(bytes == [7])
        }
    }

    @Test func `a truncated, longer or changed payload is refused`() {
        let bytes = Self.encoded(Self.whole)
        for count in 0..<bytes.count {
            #expect(throws: PayloadError.self) { try Self.decoded(Array(bytes[..<count])) }
        }
        #expect(throws: PayloadError.tooLong) { try Self.decoded(bytes + [0]) }
        #expect(throws: PayloadError.version(2)) { try Self.decoded([2] + bytes[1...]) }
        #expect(throws: PayloadError.unknownBits) { try Self.decoded([1, 0x80] + bytes[2...]) }
        #expect(throws: PayloadError.unknownBits) { try Self.decoded([1, 7 << 2] + bytes[2...]) }
        #expect(throws: PayloadError.unknownBits) { try Self.decoded([1, 0, 0, 0, 0x10, 0, 0, 0, 0]) }
        #expect(throws: PayloadError.coordinate) {
            // 91 degrees, in billionths.
            var north: [UInt8] = [1, 0, 0, 0, 0, 0]
            LEB128.append(91_000_000_000, to: &north)
            _ = try Self.decoded(north + [0, 0])
        }
        #expect(throws: PayloadError.number) {
            try Self.decoded([1, 0, 0, 0, 0] + Array(repeating: 0xFF, count: 10) + [1])
        }
        let infinite: [UInt8] = [1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xF0, 0x7F, 0, 0, 0]
        #expect(throws: PayloadError.number) { try Self.decoded(infinite) }
    }

    @Test func `a dead letter stores the beginning of a message without a partial character`() throws {
        let position = Self.encoded(Self.whole)
        let message = "x" + String(repeating: "ß", count: 1_000)
        let bytes = DeadLetterPayload.bytes(position, message: message)
        try bytes.withUnsafeBytes { bytes in
            let back = try DeadLetterPayload.decode(bytes)
            #expect(back.position == Self.whole)
            #expect(back.message == "x" + String(repeating: "ß", count: 511))
        }
        for count in 0...(position.count + 2) {
            Array(bytes[..<count]).withUnsafeBytes { bytes in
                if count == position.count + 2 {
                    #expect(throws: Never.self) { try DeadLetterPayload.decode(bytes) }
                } else {
                    #expect(throws: PayloadError.self) { try DeadLetterPayload.decode(bytes) }
                }
            }
        }
    }
}

extension Position {
    /// Any position: decimal numbers and others, with and without each part.
    static func random(using generator: inout SeededGenerator) -> Position {
        func number(_ range: ClosedRange<Double>) -> Double {
            let number = Double.random(in: range, using: &generator)
            return Bool.random(using: &generator) ? number : (number * 1_000).rounded() / 1_000
        }
        func optional(_ range: ClosedRange<Double>) -> Double? {
            Bool.random(using: &generator) ? number(range) : nil
        }
        return Position(
            timestamp: number(0...4e9), coordinate: PositionPayloadTests.place(number(-90...90), number(-180...180)),
            horizontalAccuracy: number(0...1e5), altitude: optional(-500...9e3),
            ellipsoidalAltitude: optional(-500...9e3),
            verticalAccuracy: optional(0...1e3), speed: optional(0...1e3), speedAccuracy: optional(0...1e2),
            course: optional(0...360), courseAccuracy: optional(0...180), climb: optional(-1e2...1e2),
            accuracy: Bool.random(using: &generator) ? .full : .reduced, isSimulated: .random(using: &generator),
            quality: FixQuality.allCases.randomElement(using: &generator))
    }
}
