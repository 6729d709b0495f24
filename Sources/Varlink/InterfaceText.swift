extension InterfaceDescription {
    /// The definitions with their comments in a uniform layout: one field a line where a field has a comment or the
    /// definition is longer than a line.
    public var prettyText: String {
        var text = Self.comment(documentation) + "interface \(name)\n"
        for member in members { text += "\n" + Self.text(of: member) + "\n" }
        return text
    }

    private static let lineLength = 100

    private static func comment(_ documentation: String) -> String {
        guard !documentation.isEmpty else { return "" }
        return documentation.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "#\n" : "# \($0)\n" }.joined()
    }

    private static func text(of member: Member) -> String {
        switch member {
        case .type(let name, let documentation, let type):
            comment(documentation) + fitted("type \(name) ", [type])
        case .method(let method):
            comment(method.documentation)
                + fitted("method \(method.name)", [.structure(method.input), .structure(method.output)])
        case .error(let name, let documentation, let fields):
            comment(documentation) + fitted("error \(name) ", [.structure(fields)])
        }
    }

    /// The parts after the head on one line if they fit, otherwise on separate lines.
    private static func fitted(_ head: String, _ parts: [TypeExpression]) -> String {
        let line = head + parts.map(\.description).joined(separator: " -> ")
        if line.count <= lineLength, !parts.contains(where: \.hasComments) { return line }
        return head + parts.map { $0.text(indentation: 0) }.joined(separator: " -> ")
    }
}

extension InterfaceDescription.TypeExpression: CustomStringConvertible {
    /// The type in the interface language, on one line.
    public var description: String { text(indentation: nil) }

    /// The type on one line, or with each field on its own line at an indentation.
    fileprivate func text(indentation: Int?) -> String {
        switch self {
        case .bool: "bool"
        case .int: "int"
        case .float: "float"
        case .string: "string"
        case .object: "object"
        case .named(let name): name
        case .array(let element): "[]" + element.text(indentation: indentation)
        case .map(let element): "[string]" + element.text(indentation: indentation)
        case .nullable(let element): "?" + element.text(indentation: indentation)
        case .enumeration(let words): Self.list(words, indentation)
        case .structure(let fields):
            Self.list(fields.map { Self.text(of: $0, indentation) }, indentation)
        }
    }

    /// Whether a field within the type has a comment.
    fileprivate var hasComments: Bool {
        switch self {
        case .bool, .int, .float, .string, .object, .named, .enumeration: false
        case .array(let element), .map(let element), .nullable(let element): element.hasComments
        case .structure(let fields): fields.contains { !$0.documentation.isEmpty || $0.type.hasComments }
        }
    }

    /// A field, below its comment if it has its own line.
    private static func text(of field: InterfaceDescription.Field, _ indentation: Int?) -> String {
        let text = "\(field.name): \(field.type.text(indentation: indentation.map { $0 + 2 }))"
        guard let indentation, !field.documentation.isEmpty else { return text }
        let margin = String(repeating: " ", count: indentation + 2)
        let comment = field.documentation.split(separator: "\n", omittingEmptySubsequences: false)
        return comment.map { $0.isEmpty ? "#\n\(margin)" : "# \($0)\n\(margin)" }.joined() + text
    }

    private static func list(_ parts: [String], _ indentation: Int?) -> String {
        guard let indentation, !parts.isEmpty else { return "(" + parts.joined(separator: ", ") + ")" }
        let margin = String(repeating: " ", count: indentation)
        return "(\n" + parts.map { "\(margin)  \($0)" }.joined(separator: ",\n") + "\n\(margin))"
    }
}
