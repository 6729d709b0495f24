/// A parameter that does not hold what the interface says.
public struct InvalidParameter: Error, Equatable, CustomStringConvertible {
    /// Which one: `region`, `region.radius`, `points[3].latitude`.
    public let path: String

    /// An error about this parameter.
    public init(path: String) {
        self.path = path
    }

    /// The path in words.
    public var description: String { "invalid parameter \(path)" }
}

extension InterfaceDescription {
    /// Checks parameters against what a method takes, or a reply against what it gives.
    ///
    /// Parameters that the interface does not name are ignored; one that may be missing may be `null` too.
    public func validate(_ parameters: JSON, against fields: [Field]) throws(InvalidParameter) {
        try validate(parameters, fields, path: "")
    }

    private func validate(_ value: JSON, _ fields: [Field], path: String) throws(InvalidParameter) {
        guard case .object = value else { throw InvalidParameter(path: path.isEmpty ? "parameters" : path) }
        for field in fields {
            let path = path.isEmpty ? field.name : "\(path).\(field.name)"
            try validate(value[field.name] ?? .null, field.type, path: path)
        }
    }

    /// Recurses as deep as the value or the type goes, whichever ends first.
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
