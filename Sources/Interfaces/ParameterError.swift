import JSONText
import Varlink

/// A parameter of a call that is not what its method takes: becomes `org.varlink.service.InvalidParameter`.
public struct ParameterError: Error, Equatable {
    /// The parameter's name.
    public let name: String

    /// The parameter of this name is wrong.
    public init(_ name: String) { self.name = name }
}

extension JSON {
    /// The number under a name, nil where there is none or it is null.
    func number(_ name: String, in range: ClosedRange<Double>) throws(ParameterError) -> Double? {
        guard let value = self[name], !value.isNull else { return nil }
        guard let number = value.numberValue, range.contains(number) else { throw ParameterError(name) }
        return number
    }

    /// The integer under a name, nil where there is none or it is null.
    func integer(_ name: String, in range: ClosedRange<Int64>) throws(ParameterError) -> Int64? {
        guard let value = self[name], !value.isNull else { return nil }
        guard let number = value.integerValue, range.contains(number) else { throw ParameterError(name) }
        return number
    }

    /// The text under a name, nil where there is none or it is null.
    func string(_ name: String) throws(ParameterError) -> String? {
        guard let value = self[name], !value.isNull else { return nil }
        guard let string = value.stringValue else { throw ParameterError(name) }
        return string
    }

    /// The bool under a name, nil where there is none or it is null.
    func bool(_ name: String) throws(ParameterError) -> Bool? {
        guard let value = self[name], !value.isNull else { return nil }
        guard let bool = value.boolValue else { throw ParameterError(name) }
        return bool
    }

    /// The bool under a name.
    func requiredBool(_ name: String) throws(ParameterError) -> Bool {
        guard let bool = try bool(name) else { throw ParameterError(name) }
        return bool
    }

    /// What the text under a name stands for, nil where there is none or it is null.
    func word<Word>(_ name: String, _ meaning: (String) -> Word?) throws(ParameterError) -> Word? {
        guard let string = try string(name) else { return nil }
        guard let word = meaning(string) else { throw ParameterError(name) }
        return word
    }

    /// What the text under a name stands for.
    func required<Word>(_ name: String, _ meaning: (String) -> Word?) throws(ParameterError) -> Word {
        guard let word = try word(name, meaning) else { throw ParameterError(name) }
        return word
    }

    /// The user under a name, nil where there is none or it is null. The highest number means nobody: `chown(2)`.
    func user(_ name: String) throws(ParameterError) -> UInt32? {
        try integer(name, in: 0...Int64(UInt32.max) - 1).map(UInt32.init)
    }

    /// The user under a name of a reply, nil where there is none.
    func userID(_ name: String) -> UInt32? {
        self[name]?.integerValue.flatMap(UInt32.init(exactly:))
    }
}
