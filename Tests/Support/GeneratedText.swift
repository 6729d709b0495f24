import Glibc
import Platform

/// A text file of the checkout that is generated, as a whole or between two markers, and checked in.
///
/// A test compares the file with what is generated now; with `WAYMARK_WRITE_REFERENCE` in its environment it writes the
/// file instead.
public struct GeneratedText {
    /// The file's name within the checkout.
    public let name: String
    /// The text as it is.
    public let text: String
    private let path: String

    /// The file of this name within the checkout.
    public init(_ name: String) throws {
        self.name = name
        path = try Products.file(name)
        text = String(decoding: try BoundedFile.bytes(of: path, limit: 1 << 20), as: UTF8.self)
    }

    /// Whether tests write what they would otherwise compare.
    public static var isWritten: Bool { getenv("WAYMARK_WRITE_REFERENCE") != nil }

    /// The text with another part between the end of one marker and the begin of the next; nil where one is missing.
    public func replacing(from begin: String, to end: String, with part: String) -> String? {
        guard let start = text.firstRange(of: begin)?.upperBound,
            let stop = text[start...].firstRange(of: end)?.lowerBound
        else { return nil }
        return text[..<start] + part + text[stop...]
    }

    /// The text with another part between the comments `<!-- begin NAME -->` and `<!-- end NAME -->` of a Markdown file.
    public func replacing(part name: String, with part: String) -> String? {
        replacing(from: "<!-- begin \(name) -->\n", to: "<!-- end \(name) -->\n", with: part)
    }

    /// Whether the file has the text that is generated now. Where tests write, the file has it afterwards.
    public func isCurrent(_ generated: String?) throws -> Bool {
        guard let generated, Self.isWritten, generated != text else { return generated == text }
        let bytes = Array(generated.utf8)
        let file = try OwnedDescriptor("open", subject: path) { open(path, O_WRONLY | O_TRUNC | O_CLOEXEC) }
        return try retrying("write", subject: path) { Glibc.write(file.number, bytes, bytes.count) } == bytes.count
    }
}
