import JSONText
import Location
import Varlink

extension RecordingOptions: VarlinkReadable, VarlinkMembers {
    /// Reads `Options` of `io.waymark.Recording` and checks the ranges of the values.
    public init(varlink json: JSON) throws(InvalidParameter) {
        self.init()
        desiredAccuracy = try json.optional("desiredAccuracy", in: 0...40_000_000)
        distanceFilter = try json.optional("distanceFilter", in: 0...40_000_000)
        interval = try json.optional("interval", in: 0...86_400)
        onRevoke = try json.optional("onRevoke") ?? .erase
    }

    /// Writes the members of `Options`.
    public func writeMembers(to writer: inout JSONWriter) {
        writer.member("desiredAccuracy", of: desiredAccuracy)
        writer.member("distanceFilter", of: distanceFilter)
        writer.member("interval", of: interval)
        writer.member("onRevoke", of: onRevoke)
    }
}

extension RecordingOptions.OnRevoke: VarlinkReadable, VarlinkWritable {}

/// The rules for a recording's identifier.
public enum RecordingIdentifier {
    /// Whether it is 1 to 128 ASCII letters, digits, dots, underscores and hyphens, and does not begin with a dot.
    public static func isValid(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: ".")
            && text.utf8.allSatisfy { $0.isLetterOrDigit || "._-".utf8.contains($0) }
    }
}
