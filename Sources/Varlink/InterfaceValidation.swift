import JSONText

/// A parameter that does not match the interface.
public struct InvalidParameter: Error, Equatable, CustomStringConvertible {
    /// Its path: `region`, `region.radius`, `points[3].latitude`.
    public let path: String

    /// An error about this parameter.
    public init(path: String) {
        self.path = path
    }

    /// The path in a sentence.
    public var description: String { "invalid parameter \(path)" }
}

extension InterfaceDescription {
    /// Validates the parameters of a call or a reply against the fields of the interface.
    ///
    /// Unknown parameters are ignored. An optional one may be `null`.
    public func validate(_ parameters: JSON, against fields: [Field]) throws(InvalidParameter) {
        try validate(parameters, fields, path: "")
    }

    /// A parameter of a call, or a member of one, that the method does not have: `interval`, `options.onRevoke`. Nil if
    /// it has all of them, or there is no such method. A `null` counts as absent.
    public func unknownParameter(_ parameters: JSON, of method: String) -> String? {
        methods[method].flatMap { unknownMember(of: parameters, .structure($0.input), path: "") }
    }

    /// The recursion is as deep as the value or the type, whichever is less.
    private func unknownMember(of value: JSON, _ type: TypeExpression, path: String) -> String? {
        func first(_ values: [(JSON, String)], _ type: TypeExpression) -> String? {
            for (value, path) in values {
                if let unknown = unknownMember(of: value, type, path: path) { return unknown }
            }
            return nil
        }
        switch type {
        case .bool, .int, .float, .string, .object, .enumeration: return nil
        case .nullable(let type): return unknownMember(of: value, type, path: path)
        case .named(let name): return types[name].flatMap { unknownMember(of: value, $0, path: path) }
        case .array(let type):
            return first((value.arrayValue ?? []).enumerated().map { ($1, "\(path)[\($0)]") }, type)
        case .map(let type): return first((value.objectValue ?? []).map { ($0.value, "\(path)[]") }, type)
        case .structure(let fields):
            for member in value.objectValue ?? [] where !member.value.isNull {
                let path = path.isEmpty ? member.key : "\(path).\(member.key)"
                guard let field = fields.first(where: { $0.name == member.key }) else { return path }
                if let unknown = unknownMember(of: member.value, field.type, path: path) { return unknown }
            }
            return nil
        }
    }

    /// The parameters of a call without those that the method does not have, and without such members of them; nil if there
    /// are none of these, which is found out without a copy, because it is so in almost every call.
    func knownParameters(_ parameters: JSON, of method: String) -> JSON? {
        methods[method].flatMap { knownMembers(of: parameters, .structure($0.input)) }
    }

    /// The recursion is as deep as the value or the type, whichever is less.
    private func knownMembers(of value: JSON, _ type: TypeExpression) -> JSON? {
        switch (type, value) {
        case (.nullable(let type), _): return knownMembers(of: value, type)
        case (.named(let name), _): return types[name].flatMap { knownMembers(of: value, $0) }
        case (.array(let type), .array(var values)):
            var isChanged = false
            for index in values.indices {
                guard let known = knownMembers(of: values[index], type) else { continue }
                (values[index], isChanged) = (known, true)
            }
            return isChanged ? .array(values) : nil
        case (.map(let type), .object(let members)): return knownMembers(members) { _ in type }
        case (.structure(let fields), .object(let members)):
            return knownMembers(members) { name in fields.first { $0.name == name }?.type }
        default: return nil
        }
    }

    /// An object without the members that have no type, and with what is known of the others; nil if that is everything.
    private func knownMembers(_ members: [JSON.Member], _ type: (String) -> TypeExpression?) -> JSON? {
        var known: [JSON.Member]?
        for (index, member) in members.enumerated() {
            let type = type(member.key)
            let value = type.map { knownMembers(of: member.value, $0) } ?? nil
            if known == nil {
                if type != nil, value == nil { continue }
                known = Array(members[..<index])
            }
            if type != nil { known?.append(JSON.Member(member.key, value ?? member.value)) }
        }
        return known.map { .object($0) }
    }

    private func validate(_ value: JSON, _ fields: [Field], path: String) throws(InvalidParameter) {
        guard case .object = value else { throw InvalidParameter(path: path.isEmpty ? "parameters" : path) }
        for field in fields {
            let path = path.isEmpty ? field.name : "\(path).\(field.name)"
            try validate(value[field.name] ?? .null, field.type, path: path)
        }
    }

    /// The recursion is as deep as the value or the type, whichever is less.
    private func validate(_ value: JSON, _ type: TypeExpression, path: String) throws(InvalidParameter) {
        let isRight: Bool
        switch type {
        case .bool: isRight = value.boolValue != nil
        case .int: isRight = value.integerValue != nil
        case .float: isRight = value.numberValue != nil
        case .string: isRight = value.stringValue != nil
        case .object: isRight = value.objectValue != nil
        case .enumeration(let words): isRight = value.stringValue.map(words.contains) ?? false
        case .nullable(let type):
            if !value.isNull { try validate(value, type, path: path) }
            return
        case .named(let name):
            guard let type = types[name] else { throw InvalidParameter(path: path) }
            return try validate(value, type, path: path)
        case .structure(let fields):
            return try validate(value, fields, path: path)
        case .array(let type):
            guard let values = value.arrayValue else { throw InvalidParameter(path: path) }
            for (index, value) in values.enumerated() { try validate(value, type, path: "\(path)[\(index)]") }
            return
        case .map(let type):
            guard let members = value.objectValue else { throw InvalidParameter(path: path) }
            for member in members { try validate(member.value, type, path: "\(path)[]") }
            return
        }
        guard isRight else { throw InvalidParameter(path: path) }
    }
}
