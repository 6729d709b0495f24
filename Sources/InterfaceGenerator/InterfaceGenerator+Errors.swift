import Varlink

// The errors of interfaces.

extension InterfaceGenerator {
    /// The text of a file with one enumeration, `ErrorName`, of all errors of the interfaces of these texts. A case
    /// begins with the name of its interface, except for the errors of `io.waymark.Location`, which nearly every
    /// program handles.
    public static func errorNames(of texts: [String]) throws(GeneratorError) -> String {
        var swift = SwiftText()
        swift.line("// Made from the interfaces' texts by `make interfaces`: change these, not this file.")
        swift.line()
        swift.line("/// The errors of the daemon's interfaces, by their full names.")
        var refusals: [String] = []
        try swift.block("public enum ErrorName: String, CaseIterable, Sendable") { (swift) throws(GeneratorError) in
            for text in texts {
                let description = try InterfaceGenerator(text).description
                let interface = lastPart(of: description.name)
                for case .error(let name, let comment, _) in description.members {
                    let comment = try Annotations(comment)
                    let isBare = interface == "Location"
                    let errorCase = lowercased(isBare ? name : interface + name)
                    swift.documentation(comment.documentation, otherwise: "`\(name)`.")
                    swift.line("case \(errorCase) = \"\(description.name).\(name)\"")
                    if comment.isRefusal { refusals.append(errorCase) }
                }
            }
            swift.line()
            swift.line("/// Whether it means that the caller is not allowed, rather than that something failed.")
            try swift.block("public var isRefusal: Bool") { (swift) in
                swift.line("switch self {")
                for refusal in refusals { swift.line("case .\(refusal): true") }
                swift.line("default: false")
                swift.line("}")
            }
        }
        return swift.text
    }

    /// Writes the enumeration of the interface's errors.
    func writeFailure(_ swift: inout SwiftText) throws(GeneratorError) {
        var errors: [(name: String, comment: Annotations, members: [Member])] = []
        for case .error(let name, let comment, let fields) in description.members {
            var members: [Member] = []
            for field in fields { members.append(try Member(field, of: name, self)) }
            guard fields.contains(where: { $0.name == "message" }) else {
                throw GeneratorError("the error \(name) has no message")
            }
            errors.append((name, try Annotations(comment), members))
        }
        swift.line()
        swift.line("/// The errors of the interface.")
        try swift.block("public enum Failure: VarlinkFailure") { (swift) throws(GeneratorError) in
            for error in errors {
                swift.documentation(error.comment.documentation, otherwise: "`\(error.name)`.")
                let values = error.members.map { "\($0.identifier): \($0.type)" }.joined(separator: ", ")
                swift.line("case \(Self.identifier(Self.lowercased(error.name)))(\(values))")
            }
            swift.line()
            swift.line("/// Reads an error of this interface; nil for another error, or where a parameter is missing.")
            try swift.block("public init?(name: String, parameters json: JSON)") { (swift) throws(GeneratorError) in
                swift.line("do throws(InvalidParameter) {")
                swift.indented { swift in
                    swift.line("switch name {")
                    for error in errors {
                        swift.line("case \"\(description.name).\(error.name)\":")
                        let values = error.members.map { "\($0.identifier): json.\($0.reading)" }
                        swift.indented { $0.call("self = try .\(Self.lowercased(error.name))", values) }
                    }
                    swift.line("default: return nil")
                    swift.line("}")
                }
                swift.line("} catch {")
                swift.line("    return nil")
                swift.line("}")
            }
            try writeFailureProperties(errors, &swift)
        }
    }

    private func writeFailureProperties(
        _ errors: [(name: String, comment: Annotations, members: [Member])], _ swift: inout SwiftText
    ) throws(GeneratorError) {
        swift.line()
        swift.line("/// The full name.")
        try swift.block("public var name: String") { (swift) in
            swift.line("switch self {")
            for error in errors {
                swift.line("case .\(Self.lowercased(error.name)): \"\(description.name).\(error.name)\"")
            }
            swift.line("}")
        }
        swift.line()
        swift.line("/// The sentence for a person.")
        try swift.block("public var message: String") { (swift) in
            swift.line("switch self {")
            for error in errors {
                let places = error.members.map { $0.name == "message" ? "let message" : "_" }
                swift.line("case .\(Self.lowercased(error.name))(\(places.joined(separator: ", "))): message")
            }
            swift.line("}")
        }
        swift.line()
        swift.line("/// Whether it means that the caller is not allowed.")
        try swift.block("public var isRefusal: Bool") { (swift) in
            let refusals = errors.filter { $0.comment.isRefusal }.map { "." + Self.lowercased($0.name) }
            if refusals.isEmpty { return swift.line("false") }
            swift.line("switch self {")
            for refusal in refusals { swift.line("case \(refusal): true") }
            if refusals.count < errors.count { swift.line("default: false") }
            swift.line("}")
        }
        swift.line()
        swift.line("/// Writes the parameters.")
        try swift.block("public func writeMembers(to writer: inout JSONWriter)") { (swift) in
            swift.line("switch self {")
            for error in errors {
                let places = error.members.map { "let \($0.identifier)" }.joined(separator: ", ")
                swift.line("case .\(Self.lowercased(error.name))(\(places)):")
                for member in error.members {
                    swift.line("    writer.member(\"\(member.name)\", of: \(member.identifier))")
                }
            }
            swift.line("}")
        }
    }
}
