import Varlink

/// A field of a structure in Swift.
struct Member {
    /// The name in the text.
    let name: String
    /// The name in Swift.
    let identifier: String
    let documentation: [String]
    /// The type in Swift.
    let type: String
    /// An enumeration or structure that the text defines inside the field, and its name in Swift.
    let inner: (name: String, type: InterfaceDescription.TypeExpression)?
    private let isOptional: Bool
    /// The arguments of the reading call: the name in the object, and the range of the values.
    private let arguments: String
    private let plainDefault: String?

    init(
        _ field: InterfaceDescription.Field, of structure: String, _ generator: InterfaceGenerator
    ) throws(GeneratorError) {
        let annotations = try Annotations(field.documentation)
        name = field.name
        identifier = InterfaceGenerator.identifier(field.name)
        documentation = annotations.documentation
        let type: InterfaceDescription.TypeExpression
        if case .nullable(let present) = field.type {
            (type, isOptional) = (present, true)
        } else {
            (type, isOptional) = (field.type, false)
        }
        let swiftType = annotations.swiftType ?? annotations.openType ?? Self.usualType(of: field.name, type)
        var innerType: InterfaceDescription.TypeExpression?
        let innerName = InterfaceGenerator.capitalized(field.name)
        func swift(_ type: InterfaceDescription.TypeExpression) throws(GeneratorError) -> String {
            switch type {
            case .array(let element): return "[\(try swift(element))]"
            case .map(let value): return "VarlinkMap<\(try swift(value))>"
            case .nullable: throw GeneratorError("\(structure).\(field.name): a list of optional elements")
            default: break
            }
            if let swiftType { return swiftType }
            switch type {
            case .bool: return "Bool"
            case .int: return "Int64"
            case .float: return "Double"
            case .string: return "String"
            case .object: return "JSON"
            case .named(let name): return generator.swiftName(of: name)
            case .enumeration, .structure:
                innerType = type
                return innerName
            case .array, .map, .nullable: return ""
            }
        }
        let plain = try swift(type)
        self.type = isOptional ? plain + "?" : plain
        inner = innerType.map { (innerName, $0) }
        let range = annotations.range.map { ", in: \($0)" } ?? ""
        arguments = "(\"\(field.name)\"\(range))"
        plainDefault =
            switch type {
            case .array: "[]"
            case .map: "[:]"
            case .bool where swiftType == nil: "false"
            case .int where swiftType == nil: "0"
            default: nil
            }
    }

    /// The expression that reads the member from an object.
    var reading: String { (isOptional ? "optional" : "value") + arguments }

    /// The expression that reads a member of a type: a member that an older service does not send has its default.
    var tolerantReading: String {
        guard !isOptional, let plainDefault else { return "try json.\(reading)" }
        return "try json.optional\(arguments) ?? \(plainDefault)"
    }

    /// The Swift type of an integer of this name in every interface: a user id or a port.
    private static func usualType(of name: String, _ type: InterfaceDescription.TypeExpression) -> String? {
        switch type {
        case .int where name == "uid" || name.hasSuffix("Uid"), .array(.int) where name == "uids": "UInt32"
        case .int where name == "port": "UInt16"
        default: nil
        }
    }

    /// The parameter of an initializer.
    func parameter(withDefaults: Bool) -> String {
        let value = isOptional ? "nil" : withDefaults ? plainDefault : nil
        return "\(identifier): \(type)" + (value.map { " = \($0)" } ?? "")
    }
}
