import Interfaces
import JSONText
import Testing
import Varlink

/// The written bytes, read as JSON.
func written(_ write: (inout JSONWriter) -> Void) throws -> JSON {
    var writer = JSONWriter()
    write(&writer)
    return try JSON.parse(writer.bytes)
}

extension JSON {
    /// The names of an object's members.
    var keys: Set<String> { Set((objectValue ?? []).map(\.key)) }
}

extension WaymarkInterface {
    /// The members of a type of the interface's text, by name.
    func fields(of type: String) throws -> Set<String> {
        let body = try #require(text.split(separator: "type \(type) (", maxSplits: 1).dropFirst().first)
        return Set(
            body.prefix { $0 != ")" }.split(separator: "\n").compactMap { line in
                let line = line.drop { $0 == " " }
                return line.first == "#" || line.isEmpty ? nil : String(line.prefix { $0 != ":" })
            })
    }
}
