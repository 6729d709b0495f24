/// When a changed value holds.
public enum SettingEffect: Sendable {
    /// When the files are read again.
    case atReload
    /// Only in a new process.
    case atRestart
}

/// One row of a table of settings: everything that is known of a key.
public struct Setting<Values: SettingValues>: Sendable {
    let section: String
    let key: String
    /// One line for a person, a sentence.
    let documentation: String
    let takesEffect: SettingEffect
    /// What is allowed, after "Allowed: ".
    let allowed: String
    /// The value as it would be written.
    let text: @Sendable (Values) -> String
    /// Which of the settings it is.
    let keyPath: any PartialKeyPath<Values> & Sendable
    /// Reads a value into the settings.
    let set: @Sendable (String, inout Values) throws(ValueError) -> Void
    /// Puts the default back.
    let reset: @Sendable (inout Values) -> Void
    let isEqual: @Sendable (Values, Values) -> Bool

    /// The name in messages: `Receiver.StaleAfter`.
    var name: String { "\(section).\(key)" }

    /// The default as it would be written.
    var defaultText: String { text(Values()) }

    /// The row of a key in a section, which value it is, what is allowed, when a change of it holds, and a sentence
    /// about it.
    public init<Value>(
        _ section: String, _ key: String, _ keyPath: any WritableKeyPath<Values, Value> & Sendable,
        _ type: ValueType<Value>, _ effect: SettingEffect, _ documentation: String
    ) {
        self.section = section
        self.key = key
        self.documentation = documentation
        self.keyPath = keyPath
        takesEffect = effect
        allowed = type.allowed
        text = { type.text($0[keyPath: keyPath]) }
        set = { text, settings throws(ValueError) in settings[keyPath: keyPath] = try type.parse(text) }
        reset = { $0[keyPath: keyPath] = Values()[keyPath: keyPath] }
        isEqual = { $0[keyPath: keyPath] == $1[keyPath: keyPath] }
    }
}
