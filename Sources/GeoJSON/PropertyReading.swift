import JSONText

/// The properties of a feature that say which region it is, while they are read.
struct PropertyReading {
    /// What may identify a feature, the best first.
    enum Source: Int {
        case member, id, identifier, name
    }

    private(set) var identifier: (source: Source, text: String)?
    private(set) var radius: Double?
    private(set) var width: Double?
    private(set) var dwell: Double?
    private(set) var loitering: Double?
    private(set) var creation: GeoJSONFeature.Creation?
    /// Why reading was ended, where that is not an error of JSON.
    private(set) var fault: GeoJSONError.Reason?

    /// Reads the object with the properties; null for none.
    mutating func readAll(_ reader: inout JSONReader, in text: [UInt8]) throws(JSONError) {
        guard reader.kind == .object else {
            guard reader.kind == .null else { throw fail("properties", "an object") }
            return try reader.skip()
        }
        try reader.members { (reader) throws(JSONError) in
            if reader.isNamed("id") {
                try read(.id, &reader, in: text)
            } else if reader.isNamed("identifier") {
                try read(.identifier, &reader, in: text)
            } else if reader.isNamed("name") {
                try read(.name, &reader, in: text)
            } else if reader.isNamed("radius") {
                radius = try number("radius", "a number of metres", &reader)
            } else if reader.isNamed("width") {
                width = try number("width", "a number of metres", &reader)
            } else if reader.isNamed("dwell") {
                dwell = try number("dwell", "a number of seconds up to a week", &reader, in: 0...604_800)
            } else if reader.isNamed("loitering") {
                loitering = try number("loitering", "a number of seconds up to a week", &reader, in: 0...604_800)
            } else if reader.isNamed("tst") {
                try readCreation(&reader)
            } else {
                try reader.skip()
            }
        }
    }

    /// Other programs may mean something else by this property, so whether it is a time is decided where it is needed.
    private mutating func readCreation(_ reader: inout JSONReader) throws(JSONError) {
        guard reader.kind == .number else {
            creation = reader.kind == .null ? nil : .invalid
            return try reader.skip()
        }
        let number = try reader.number()
        creation =
            (1...GeoJSONFeature.latestCreation).contains(number) && number.rounded() == number
            ? .at(Int64(number)) : .invalid
    }

    /// Reads a text or a number, unless a better one was read. Null and an empty text identify nothing, and neither does
    /// a property of another kind.
    mutating func read(_ source: Source, _ reader: inout JSONReader, in text: [UInt8]) throws(JSONError) {
        let isBetter = identifier.map { source.rawValue < $0.source.rawValue } ?? true
        switch reader.kind {
        case .string:
            let value = try reader.string()
            if isBetter, !value.isEmpty { identifier = (source, value) }
        case .number:
            let start = reader.offset
            try reader.skip()
            let digits = text[start..<reader.offset].prefix { $0 > UInt8(ascii: " ") }
            if isBetter { identifier = (source, String(decoding: digits, as: UTF8.self)) }
        default: try reader.skip()
        }
    }

    private mutating func number(
        _ name: String, _ expected: String, _ reader: inout JSONReader, in range: ClosedRange<Double>? = nil
    ) throws(JSONError) -> Double? {
        guard reader.kind == .number || reader.kind == .null else { throw fail(name, expected) }
        guard let value = try reader.optionalNumber() else { return nil }
        if let range, !range.contains(value) { throw fail(name, expected) }
        return value
    }

    /// Stores the reason; the error only ends the reading.
    private mutating func fail(_ name: String, _ expected: String) -> JSONError {
        fault = .property(name, expected: expected)
        return JSONError(reason: .structure, offset: 0)
    }
}
