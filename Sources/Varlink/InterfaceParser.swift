/// Parses the text of an interface by recursive descent. It ends at the first error.
struct InterfaceParser {
    /// The deepest nesting of types.
    private static let maximumDepth = 32

    private let text: String
    private var lexer: InterfaceLexer
    private var current = InterfaceLexer.Placed(token: .end, line: 1, column: 1, startsLine: true, comment: "")
    /// The names of the types that are used, each with its first use.
    private var references: [(name: String, place: InterfaceLexer.Placed)] = []
    private var depth = 0

    init(_ text: String) {
        self.text = text
        lexer = InterfaceLexer(text)
    }

    /// Parses the whole text.
    mutating func interface() throws(InterfaceSyntaxError) -> InterfaceDescription {
        try advance()
        let documentation = current.comment
        try keyword("interface")
        let name = try word("the interface's name") { $0.isInterfaceName }
        var members: [InterfaceDescription.Member] = []
        var names: Set<String> = []
        var types: Set<String> = []
        while current.token != .end {
            guard current.startsLine else { throw error("a new line before each definition") }
            guard case .word(let kind) = current.token else { throw error("expected type, method or error") }
            let documentation = current.comment
            guard ["type", "method", "error"].contains(kind) else { throw error("expected type, method or error") }
            try advance()
            let place = current
            let name = try word("a name that begins with a capital letter") { $0.isMemberName }
            guard names.insert(name).inserted else { throw error("\(name) is defined twice", at: place) }
            if kind == "type" { types.insert(name) }
            members.append(try member(kind, name, documentation))
        }
        if let missing = references.first(where: { !types.contains($0.name) }) {
            throw error("\(missing.name) is not a type of this interface", at: missing.place)
        }
        return InterfaceDescription(text: text, name: name, documentation: documentation, members: members)
    }

    private mutating func member(
        _ kind: String, _ name: String, _ documentation: String
    ) throws(InterfaceSyntaxError) -> InterfaceDescription.Member {
        switch kind {
        case "type":
            return .type(name: name, documentation: documentation, try structureOrEnumeration())
        case "method":
            let input = try fields()
            try sign("->")
            return .method(.init(name: name, documentation: documentation, input: input, output: try fields()))
        default:
            return .error(name: name, documentation: documentation, fields: try fields())
        }
    }

    private mutating func fields() throws(InterfaceSyntaxError) -> [InterfaceDescription.Field] {
        let place = current
        guard case .structure(let fields) = try structureOrEnumeration() else {
            throw error("expected fields with types", at: place)
        }
        return fields
    }

    /// Parses the content of parentheses: fields if the first word is followed by a colon, or if they are empty;
    /// otherwise words.
    private mutating func structureOrEnumeration() throws(InterfaceSyntaxError) -> InterfaceDescription.TypeExpression {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else { throw error("types nested too deep") }
        try sign("(")
        if try consume(")") { return .structure([]) }
        var fields: [InterfaceDescription.Field] = []
        var words: [String] = []
        var names: Set<String> = []
        repeat {
            let place = current
            let name = try word("a field's name") { $0.isFieldName }
            guard names.insert(name).inserted else { throw error("\(name) occurs twice", at: place) }
            if words.isEmpty, try consume(":") {
                fields.append(.init(name: name, type: try type(), documentation: place.comment))
            } else if fields.isEmpty {
                words.append(name)
            } else {
                throw error("expected : and a type")
            }
        } while try consume(",")
        try sign(")")
        return words.isEmpty ? .structure(fields) : .enumeration(words)
    }

    private mutating func type() throws(InterfaceSyntaxError) -> InterfaceDescription.TypeExpression {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else { throw error("types nested too deep") }
        if try consume("?") {
            if current.token == .sign("?") { throw error("? occurs twice") }
            return .nullable(try type())
        }
        if try consume("[]") { return .array(try type()) }
        if try consume("[string]") { return .map(try type()) }
        if current.token == .sign("(") { return try structureOrEnumeration() }
        let place = current
        let name = try word("a type") { _ in true }
        switch name {
        case "bool": return .bool
        case "int": return .int
        case "float": return .float
        case "string": return .string
        case "object": return .object
        default:
            guard name.isMemberName else { throw error("expected a type", at: place) }
            references.append((name, place))
            return .named(name)
        }
    }

    private mutating func advance() throws(InterfaceSyntaxError) { current = try lexer.next() }

    private mutating func keyword(_ keyword: String) throws(InterfaceSyntaxError) {
        guard current.token == .word(keyword) else { throw error("expected \(keyword)") }
        try advance()
    }

    private mutating func sign(_ sign: String) throws(InterfaceSyntaxError) {
        guard try consume(sign) else { throw error("expected \(sign)") }
    }

    private mutating func consume(_ sign: String) throws(InterfaceSyntaxError) -> Bool {
        guard current.token == .sign(sign) else { return false }
        try advance()
        return true
    }

    private mutating func word(
        _ what: String, where isRight: (String) -> Bool
    ) throws(InterfaceSyntaxError) -> String {
        guard case .word(let word) = current.token, isRight(word) else { throw error("expected \(what)") }
        try advance()
        return word
    }

    private func error(_ message: String, at place: InterfaceLexer.Placed? = nil) -> InterfaceSyntaxError {
        let place = place ?? current
        return InterfaceSyntaxError(message: message, line: place.line, column: place.column)
    }
}

extension String {
    /// `[A-Z][A-Za-z0-9]*`
    fileprivate var isMemberName: Bool {
        utf8.first?.isUppercaseLetter == true && utf8.allSatisfy(\.isLetterOrDigit)
    }

    /// `[A-Za-z]([_]?[A-Za-z0-9])*`
    fileprivate var isFieldName: Bool {
        utf8.first?.isLetter == true && isJoined(by: UInt8(ascii: "_"), doubled: false)
    }

    /// `[A-Za-z]([-]*[A-Za-z0-9])*(\.[A-Za-z0-9]([-]*[A-Za-z0-9])*)+`
    fileprivate var isInterfaceName: Bool {
        let parts = split(separator: ".", omittingEmptySubsequences: false)
        return utf8.first?.isLetter == true && parts.count > 1
            && parts.allSatisfy { String($0).isJoined(by: UInt8(ascii: "-"), doubled: true) }
    }

    /// Whether it consists of letters and digits, with this sign only between them.
    private func isJoined(by joint: UInt8, doubled: Bool) -> Bool {
        var afterJoint = true
        var isFirst = true
        for byte in utf8 {
            if byte == joint {
                if isFirst || (afterJoint && !doubled) { return false }
                afterJoint = true
            } else if byte.isLetterOrDigit {
                afterJoint = false
            } else {
                return false
            }
            isFirst = false
        }
        return !afterJoint
    }
}

extension UInt8 {
    fileprivate var isUppercaseLetter: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
    fileprivate var isLetter: Bool { isUppercaseLetter || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
    fileprivate var isLetterOrDigit: Bool { isLetter || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
