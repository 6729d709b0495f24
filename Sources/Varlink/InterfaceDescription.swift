/// A Varlink interface, as its text defines it.
public struct InterfaceDescription: Equatable, Sendable {
    /// The type of a parameter or field.
    public indirect enum TypeExpression: Equatable, Sendable {
        case bool, int, float, string
        /// Any JSON object ("foreign" data).
        case object
        /// A type of this interface.
        case named(String)
        /// `[]`: a list of values.
        case array(TypeExpression)
        /// `[string]`: values by name.
        case map(TypeExpression)
        /// `?`: a value that may be missing or `null`.
        case nullable(TypeExpression)
        /// Fields in parentheses.
        case structure([Field])
        /// Words in parentheses.
        case enumeration([String])
    }

    /// A name and its type.
    public struct Field: Equatable, Sendable {
        /// The name.
        public let name: String
        /// The type.
        public let type: TypeExpression
        /// The comment above it, without `#`.
        public let documentation: String

        /// A field of this name and type.
        public init(name: String, type: TypeExpression, documentation: String = "") {
            self.name = name
            self.type = type
            self.documentation = documentation
        }
    }

    /// A definition, in the order of the text.
    public enum Member: Equatable, Sendable {
        /// `type Name (…)`.
        case type(name: String, documentation: String, TypeExpression)
        /// `method Name(…) -> (…)`.
        case method(Method)
        /// `error Name (…)`.
        case error(name: String, documentation: String, fields: [Field])
    }

    /// A method.
    public struct Method: Equatable, Sendable {
        /// The name, without the interface.
        public let name: String
        /// The comment above it, without `#`.
        public let documentation: String
        /// The parameters of a call.
        public let input: [Field]
        /// The parameters of a reply.
        public let output: [Field]
    }

    /// The text from which it was read, which clients receive.
    public let text: String
    /// The name, in reverse-domain notation.
    public let name: String
    /// The comment above the interface, without `#`.
    public let documentation: String
    /// The definitions, in the order of the text.
    public let members: [Member]
    /// The types by name.
    public let types: [String: TypeExpression]
    /// The methods by name.
    public let methods: [String: Method]
    /// The fields of each error by name.
    public let errors: [String: [Field]]

    /// Reads the text of an interface.
    /// - Throws: The error with its line and column.
    ///
    /// The grammar is that of varlink.org/Interface-Definition.
    public init(parsing text: String) throws(InterfaceSyntaxError) {
        var parser = InterfaceParser(text)
        self = try parser.interface()
    }

    init(text: String, name: String, documentation: String, members: [Member]) {
        self.text = text
        self.name = name
        self.documentation = documentation
        self.members = members
        var types: [String: TypeExpression] = [:]
        var methods: [String: Method] = [:]
        var errors: [String: [Field]] = [:]
        for member in members {
            switch member {
            case .type(let name, _, let type): types[name] = type
            case .method(let method): methods[method.name] = method
            case .error(let name, _, let fields): errors[name] = fields
            }
        }
        self.types = types
        self.methods = methods
        self.errors = errors
    }
}

/// A syntax error in the text of an interface.
public struct InterfaceSyntaxError: Error, Equatable, CustomStringConvertible {
    /// The error in words.
    public let message: String
    /// The line, from 1.
    public let line: Int
    /// The column in ASCII characters, from 1.
    public let column: Int

    /// Line, column and message.
    public var description: String { "line \(line), column \(column): \(message)" }
}
