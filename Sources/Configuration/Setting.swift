/// When a changed value comes into force.
public enum SettingEffect: Sendable {
    /// When the files are read again.
    case atReload
    /// Only in a new process.
    case atRestart
}

/// One row of a table of settings: the complete definition of a key.
public struct Setting<Values: SettingValues>: Sendable {
    let section: String
    let key: String
    /// One line for a person, a sentence.
    let documentation: String
    let takesEffect: SettingEffect
    /// The allowed values, after "Allowed: ".
    let allowed: String
    /// The value as text.
    let text: @Sendable (Values) -> String
    /// The setting's property.
    let keyPath: any PartialKeyPath<Values> & Sendable
    /// Reads a value into the settings.
    let set: @Sendable (String, inout Values) throws(ValueError) -> Void
    /// Restores the default.
    let reset: @Sendable (inout Values) -> Void
    let isEqual: @Sendable (Values, Values) -> Bool

    /// The name in messages: `Receiver.StaleAfter`.
    var name: String { "\(section).\(key)" }

    /// The default as text.
    var defaultText: String { text(Values()) }

    /// A row: section and key, the setting's property, the allowed values, when a change comes into force, and a
    /// sentence for a person.
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
