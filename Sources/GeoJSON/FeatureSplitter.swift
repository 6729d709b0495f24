import JSONText

/// Divides a GeoJSON text, in pieces of any size, into the texts of its features, so that a text with any number of
/// features is read with the memory for one of them.
///
/// Every byte becomes part of a feature's text or of the text around the features, and each of these is parsed strictly:
/// so a text is accepted only if the whole of it is JSON.
public struct FeatureSplitter: Sendable {
    /// The greatest length in bytes of a feature, and of all that surrounds the features.
    public static let maximumBytes = 16 << 20

    /// All but the features: for a text that is no collection, the whole of it.
    private var shell: [UInt8] = []
    private var feature: [UInt8] = []
    private var depth = 0
    private var isString = false
    private var isEscaped = false
    /// The depth within `features` while it is read; nil outside.
    private var featuresDepth: Int?
    private var hasFeatures = false
    private var count = 0
    /// The name of the present member of the outermost object, as far as it is of interest; nil for its value.
    private var name: [UInt8]?
    private var isFeaturesNext = false

    private static let featuresName = Array("features".utf8)

    /// A splitter at the beginning of a text.
    public init() {}

    /// The number of the feature that comes next, from 1.
    public var nextNumber: Int { count + 1 }

    /// Reads on, and returns the texts of the features that are complete.
    public mutating func append(_ bytes: some Sequence<UInt8>) throws(GeoJSONError) -> [[UInt8]] {
        var complete: [[UInt8]] = []
        for byte in bytes {
            if isString {
                readString(byte)
            } else if let ended = try readToken(byte) {
                complete.append(ended)
            }
            guard feature.count <= Self.maximumBytes else { throw GeoJSONError(.tooLong, feature: nextNumber) }
            guard shell.count <= Self.maximumBytes else { throw GeoJSONError(.tooLong) }
        }
        return complete
    }

    /// Checks the end of the text, and returns the whole text if it is a feature or a geometry itself.
    public func finish() throws(GeoJSONError) -> [UInt8]? {
        guard featuresDepth == nil else {
            throw GeoJSONError(.json(JSONError(reason: .unfinished, offset: feature.count)), feature: nextNumber)
        }
        var type: String?
        do throws(JSONError) {
            var reader = try JSONReader(shell.withoutByteOrderMark, maximumDepth: GeoJSONFeature.maximumDepth)
            guard reader.kind == .object else { throw JSONError(reason: .structure, offset: 0) }
            try reader.members { (reader) throws(JSONError) in
                if reader.isNamed("type"), reader.kind == .string {
                    type = try reader.string()
                } else {
                    try reader.skip()
                }
            }
            try reader.end()
        } catch {
            throw GeoJSONError(.json(error))
        }
        guard type == "FeatureCollection" else {
            if hasFeatures { throw GeoJSONError(.notGeoJSON) }
            return shell.withoutByteOrderMark
        }
        guard hasFeatures else { throw GeoJSONError(.featuresMissing) }
        return nil
    }

    private mutating func store(_ byte: UInt8) {
        if featuresDepth == nil { shell.append(byte) } else { feature.append(byte) }
    }

    private mutating func readString(_ byte: UInt8) {
        store(byte)
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            isString = false
            return
        }
        if depth == 1, let length = name?.count, length <= Self.featuresName.count { name?.append(byte) }
    }

    /// Reads a byte outside of strings; returns the text of a feature that it ends.
    private mutating func readToken(_ byte: UInt8) throws(GeoJSONError) -> [UInt8]? {
        switch byte {
        case UInt8(ascii: "\""):
            isString = true
            if depth == 1, name != nil { name = [] }
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            if isFeaturesNext, depth == 1, byte == UInt8(ascii: "[") {
                guard !hasFeatures else { throw GeoJSONError(.featuresMissing) }
                store(byte)
                (hasFeatures, isFeaturesNext, featuresDepth) = (true, false, depth)
                depth += 1
                return nil
            }
            depth += 1
            if depth == 1 { name = [] }
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            if depth == featuresDepth { return try endFeatures(byte) }
        case UInt8(ascii: ","):
            if let featuresDepth, depth == featuresDepth + 1 { return try endFeature() }
            if depth == 1 { (name, isFeaturesNext) = ([], false) }
        case UInt8(ascii: ":"):
            if depth == 1 { (isFeaturesNext, name) = (name == Self.featuresName, nil) }
        default: break
        }
        store(byte)
        return nil
    }

    private mutating func endFeatures(_ byte: UInt8) throws(GeoJSONError) -> [UInt8]? {
        defer {
            featuresDepth = nil
            shell.append(byte)
        }
        // An empty array has no feature, but a comma needs one after it.
        if count == 0, feature.allSatisfy(\.isJSONSpace) {
            feature = []
            return nil
        }
        return try endFeature()
    }

    private mutating func endFeature() throws(GeoJSONError) -> [UInt8] {
        defer { feature.removeAll(keepingCapacity: true) }
        count += 1
        if feature.allSatisfy(\.isJSONSpace) {
            throw GeoJSONError(.json(JSONError(reason: .structure, offset: 0)), feature: count)
        }
        return feature
    }
}

extension UInt8 {
    fileprivate var isJSONSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}

extension [UInt8] {
    /// Without the mark that some programs write before UTF-8, RFC 8259 section 8.1.
    fileprivate var withoutByteOrderMark: [UInt8] {
        starts(with: [0xEF, 0xBB, 0xBF]) ? Array(dropFirst(3)) : self
    }
}
