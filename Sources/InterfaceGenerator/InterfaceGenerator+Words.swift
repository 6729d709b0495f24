import Varlink

// Open sets of words: what a member holds now, and what a later release may add.

extension InterfaceGenerator {
    func writeOpenTypes(_ swift: inout SwiftText) throws(GeneratorError) {
        for field in fields {
            let annotations = try Annotations(field.documentation)
            guard let name = annotations.openType else { continue }
            swift.line()
            swift.documentation(annotations.documentation, otherwise: "`\(field.name)`.")
            try swift.block("public struct \(name): VarlinkWord") { (swift) in
                swift.line("/// The word in a call or a reply.")
                swift.line("public let rawValue: String")
                swift.line("/// The value for any word.")
                swift.line("public init(rawValue: String) { self.rawValue = rawValue }")
                swift.line()
                for word in annotations.words {
                    swift.documentation(word.meaning.isEmpty ? [] : [word.meaning], otherwise: "`\(word.name)`.")
                    let identifier = Self.identifier(word.name)
                    swift.line("public static var \(identifier): Self { Self(rawValue: \"\(word.name)\") }")
                }
                swift.line()
                swift.line("/// The words of this release.")
                swift.list(
                    "public static let known: [Self] =", annotations.words.map { ".\(Self.identifier($0.name))" })
            }
        }
    }

    /// All fields of the interface: of its types, methods and errors.
    private var fields: [InterfaceDescription.Field] {
        description.members.flatMap { member -> [InterfaceDescription.Field] in
            switch member {
            case .type(_, _, .structure(let fields)): fields
            case .type: []
            case .method(let method): method.input + method.output
            case .error(_, _, let fields): fields
            }
        }
    }
}
