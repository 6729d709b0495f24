import Varlink

/// Generates the Swift types of an interface from its text: one file for each interface.
///
/// The file is one enumeration, named for the interface. It contains the interface's types, a structure for each
/// method's parameters with its `Reply`, the errors as `Failure`, and the protocol `Handler` for the implementation of
/// the methods.
public struct InterfaceGenerator {
    let description: InterfaceDescription
    /// The existing Swift types that represent types of the interface.
    private var swiftTypes: [String: String] = [:]
    /// The types of the interface that are only read.
    private var received: Set<String> = []

    /// A generator for the interface of this text.
    /// - Throws: Where the text is not well-formed, or has an unknown annotation.
    public init(_ text: String) throws(GeneratorError) {
        do throws(InterfaceSyntaxError) { description = try InterfaceDescription(parsing: text) } catch {
            throw GeneratorError("\(error)")
        }
        for case .type(let name, let comment, _) in description.members {
            let annotations = try Annotations(comment)
            swiftTypes[name] = annotations.swiftType
            if annotations.isReceived { received.insert(name) }
        }
        // A type that contains a type that is only read is only read as well.
        var count: Int
        repeat {
            count = received.count
            for (name, type) in description.types where mentionsReceived(type) { received.insert(name) }
        } while received.count > count
    }

    /// The name of the enumeration: `RecordingInterface` of `io.waymark.Recording`.
    public var typeName: String { Self.lastPart(of: description.name) + "Interface" }

    /// The modules of the Swift types that the annotations of Waymark's interfaces name.
    public static let modules = ["Location", "NetworkPaths"]

    /// The file's text.
    /// - Parameter modules: The modules of the Swift types that annotations name.
    public func text(importing modules: [String] = Self.modules) throws(GeneratorError) -> String {
        var swift = SwiftText()
        swift.line("// Made from \(description.name).varlink by `make interfaces`: change that file, not this one.")
        swift.line()
        for module in (["JSONText", "Platform", "Varlink"] + modules).sorted() { swift.line("import \(module)") }
        swift.line()
        swift.documentation(try Annotations(description.documentation).documentation, otherwise: description.name)
        try swift.block("public enum \(typeName): VarlinkInterface") { (swift) throws(GeneratorError) in
            swift.line("/// The interface's name.")
            swift.line("public static let name = \"\(description.name)\"")
            try writeMethodLists(&swift)
            for member in description.members {
                switch member {
                case .type(let name, let comment, let type): try write(name, comment, type, &swift)
                case .method(let method): try write(method, &swift)
                case .error: break
                }
            }
            try writeOpenTypes(&swift)
            try writeFailure(&swift)
            try writeHandler(&swift)
        }
        return swift.text
    }

    private var methods: [InterfaceDescription.Method] {
        description.members.compactMap { member in
            guard case .method(let method) = member else { return nil }
            return method
        }
    }

    private func writeMethodLists(_ swift: inout SwiftText) throws(GeneratorError) {
        var (needingMore, forOperators, repetitions): ([String], [String], [String]) = ([], [], [])
        var (durable, forUsers): ([String], [String]) = ([], [])
        for method in methods {
            let annotations = try Annotations(method.documentation)
            let name = "\"\(method.name)\""
            if annotations.needsMore { needingMore.append(name) }
            switch annotations.callers {
            case nil: break
            case "operators": forOperators.append(name)
            case "users": forUsers.append(name)
            case let who?: throw GeneratorError("@callers \(who) of \(method.name) is neither operators nor users")
            }
            if annotations.isDurable { durable.append(name) }
            if let word = annotations.restart { repetitions.append("\(name): .\(word)") }
        }
        swift.line("/// The callers allowed for the methods, except those of `operatorMethods`.")
        let callers = try Annotations(description.documentation).callers ?? "identified"
        guard ["anyone", "identified", "operators"].contains(callers) else {
            throw GeneratorError(
                "@callers \(callers) of \(description.name) is none of anyone, identified and operators")
        }
        swift.line("public static let callers = VarlinkCallers.\(callers)")
        swift.line("/// The methods that only operators may call.")
        swift.list("public static let operatorMethods: Set<String> =", forOperators)
        if !forUsers.isEmpty {
            swift.line("/// The methods that operators and programs with the rights of their user may call.")
            swift.list("public static let userMethods: Set<String> =", forUsers)
        }
        swift.line("/// The methods that write to the disk before they reply.")
        swift.list("public static let durableMethods: Set<String> =", durable)
        swift.line("/// The methods that are called with `more`.")
        swift.list("public static let requiringMore: Set<String> =", needingMore)
        swift.line("/// How calls in progress are repeated after a restart; those of other methods are not.")
        swift.list("public static let repetitions: [String: CallRepetition] =", repetitions, otherwise: "[:]")
        swift.line()
        swift.line("/// The methods by their full names, in the order of the text.")
        try swift.block("public enum Method: String, CaseIterable, Sendable") { (swift) in
            for method in methods {
                let name = Self.identifier(Self.lowercased(method.name))
                swift.line("case \(name) = \"\(description.name).\(method.name)\"")
            }
        }
    }

    // Types

    private func write(
        _ name: String, _ comment: String, _ type: InterfaceDescription.TypeExpression, _ swift: inout SwiftText
    ) throws(GeneratorError) {
        let annotations = try Annotations(comment)
        guard annotations.swiftType == nil else { return }
        swift.line()
        let fallback = "`\(name)` of `\(description.name)`."
        switch type {
        case .structure(let fields):
            let kind = received.contains(name) ? Kind.received : .type
            try writeStructure(name, fields, kind, annotations.documentation, fallback, &swift)
        case .enumeration(let words): try writeWords(name, words, annotations.documentation, fallback, &swift)
        default: throw GeneratorError("\(name) is neither a structure nor an enumeration")
        }
    }

    private func writeWords(
        _ name: String, _ words: [String], _ documentation: [String], _ fallback: String, _ swift: inout SwiftText
    ) throws(GeneratorError) {
        swift.documentation(documentation, otherwise: fallback)
        try swift.block("public enum \(name): String, VarlinkValue, CaseIterable") { (swift) in
            swift.line("case " + words.map(Self.identifier).joined(separator: ", "))
        }
    }

    /// The role of a structure, which decides its conformances and defaults.
    private enum Kind {
        /// A type: a missing count or flag is 0 or false.
        case type
        /// A type, or a reply, that is only read.
        case received
        case reply
        /// The parameters of a call.
        case method(needsMore: Bool)

        var conformances: String {
            switch self {
            case .type, .reply: "VarlinkValue, VarlinkMembers, Equatable"
            case .received: "VarlinkReadable, Equatable"
            case .method: "VarlinkMethod"
            }
        }

        var isWritten: Bool {
            if case .received = self { return false }
            return true
        }
    }

    private func writeStructure(
        _ name: String, _ fields: [InterfaceDescription.Field], _ kind: Kind, _ documentation: [String],
        _ fallback: String, _ swift: inout SwiftText,
        nested: (inout SwiftText) throws(GeneratorError) -> Void = { _ in }
    ) throws(GeneratorError) {
        swift.documentation(documentation, otherwise: fallback)
        var members: [Member] = []
        for field in fields { members.append(try Member(field, of: name, self)) }
        try swift.block("public struct \(name): \(kind.conformances)") { (swift) throws(GeneratorError) in
            if case .method(let needsMore) = kind {
                swift.line("/// The errors of the interface.")
                swift.line("public typealias Failure = \(typeName).Failure")
                swift.line("/// The method's full name.")
                swift.line("public static let name = \"\(description.name).\(name)\"")
                swift.line("/// Whether it is called with `more`.")
                swift.line("public static let needsMore = \(needsMore)")
                swift.line()
            }
            try nested(&swift)
            for member in members {
                guard let inner = member.inner else { continue }
                switch inner.type {
                case .enumeration(let words):
                    try writeWords(inner.name, words, [], "The values of `\(member.name)`.", &swift)
                case .structure(let fields):
                    try writeStructure(inner.name, fields, .type, [], "The members of `\(member.name)`.", &swift)
                default: break
                }
                swift.line()
            }
            for member in members {
                swift.documentation(member.documentation, otherwise: "`\(member.name)`.")
                swift.line("public var \(member.identifier): \(member.type)")
            }
            if !members.isEmpty { swift.line() }
            try writeInitializers(members, kind, &swift)
            guard kind.isWritten else { return }
            swift.line()
            swift.line("/// Writes the members.")
            if members.isEmpty { return swift.line("public func writeMembers(to _: inout JSONWriter) {}") }
            try swift.block("public func writeMembers(to writer: inout JSONWriter)") { (swift) in
                for member in members { swift.line("writer.member(\"\(member.name)\", of: \(member.identifier))") }
            }
        }
    }

    private func writeInitializers(
        _ members: [Member], _ kind: Kind, _ swift: inout SwiftText
    ) throws(GeneratorError) {
        swift.line(members.isEmpty ? "/// A value without members." : "/// A value of these members.")
        let hasDefaults = if case .type = kind { true } else { false }
        let parameters = members.map { $0.parameter(withDefaults: hasDefaults) }
        if members.isEmpty {
            swift.line("public init() {}")
            swift.line()
            swift.line("/// Reads the members, of which there are none.")
            return swift.line("public init(varlink _: JSON) throws(InvalidParameter) {}")
        }
        try swift.block("public init", parameters) { (swift) in
            for member in members { swift.line("self.\(member.identifier) = \(member.identifier)") }
        }
        swift.line()
        swift.line("/// Reads the members.")
        try swift.block("public init(varlink json: JSON) throws(InvalidParameter)") { (swift) in
            for member in members {
                let reading = hasDefaults ? member.tolerantReading : "try json.\(member.reading)"
                swift.line("\(member.identifier) = \(reading)")
            }
        }
    }

    // Methods

    private func write(_ method: InterfaceDescription.Method, _ swift: inout SwiftText) throws(GeneratorError) {
        let annotations = try Annotations(method.documentation)
        swift.line()
        let kind = Kind.method(needsMore: annotations.needsMore)
        try writeStructure(
            method.name, method.input, kind, annotations.documentation, "`\(method.name)`.", &swift
        ) { (swift) throws(GeneratorError) in
            let isReceived = method.output.contains { mentionsReceived($0.type) }
            guard !method.output.isEmpty else {
                swift.line("/// The reply has no members: it confirms that the call is done.")
                swift.line("public typealias Reply = EmptyReply")
                return swift.line()
            }
            try writeStructure(
                "Reply", method.output, isReceived ? .received : .reply, [], "The reply of `\(method.name)`.",
                &swift)
            swift.line()
        }
    }

    private func writeHandler(_ swift: inout SwiftText) throws(GeneratorError) {
        swift.line()
        swift.line("/// Implements the methods; a reply may come at once or later. A thrown error ends the call.")
        swift.line("@DaemonActor")
        try swift.block("public protocol Handler: AnyObject") { (swift) in
            for method in methods {
                swift.line("/// Handles `\(method.name)`.")
                let name = Self.identifier(Self.lowercased(method.name))
                swift.line("func \(name)(_ call: MethodCall<\(method.name)>) throws(Failure)")
            }
        }
        swift.line()
        swift.line("/// Passes a call to the handler's method of its name.")
        swift.line("@DaemonActor")
        try swift.block("public static func perform(_ call: Call, by handler: some Handler)") {
            (swift) throws(GeneratorError) in
            swift.line("switch call.methodName {")
            for method in methods {
                let name = Self.identifier(Self.lowercased(method.name))
                swift.line("case \"\(method.name)\":")
                swift.line("    call.perform(\(method.name).self) { (call) throws(Failure) in")
                swift.line("        try handler.\(name)(call)")
                swift.line("    }")
            }
            swift.line("default: call.fail(ServiceError.methodNotFound(call.request.method))")
            swift.line("}")
        }
    }

    // Names

    func mentionsReceived(_ type: InterfaceDescription.TypeExpression) -> Bool {
        switch type {
        case .bool, .int, .float, .string, .object, .enumeration: false
        case .named(let name): received.contains(name)
        case .array(let type), .map(let type), .nullable(let type): mentionsReceived(type)
        case .structure(let fields): fields.contains { mentionsReceived($0.type) }
        }
    }

    func swiftName(of type: String) -> String { swiftTypes[type] ?? type }

    static func lastPart(of name: String) -> String { name.split(separator: ".").last.map(String.init) ?? name }

    static func lowercased(_ name: String) -> String { name.prefix(1).lowercased() + name.dropFirst() }

    static func capitalized(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }

    /// A name as Swift writes it, in back-ticks where it is a keyword.
    static func identifier(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    private static let keywords: Set<String> = [
        "as", "case", "default", "defer", "do", "else", "extension", "false", "for", "func", "if", "import", "in",
        "init", "internal", "is", "let", "nil", "operator", "private", "protocol", "public", "repeat", "return", "self",
        "static", "struct", "switch", "throw", "true", "try", "var", "where", "while",
    ]
}
