import Authorization

/// The unit of a template's manifest: `NAME@.service`, with the instances `NAME@INSTANCE.service`.
struct UnitTemplate {
    /// The prefix of its instances' names: `NAME@`.
    let prefix: String

    private static let ending = ".service"

    /// Parses the value of a key; nil if the key is about no unit, or the unit is no template.
    init?(_ value: String, of key: IdentityKey) {
        guard key == .unit || key == .userUnit, UnitPattern(value).isName, value.hasSuffix("@" + Self.ending) else {
            return nil
        }
        prefix = String(value.dropLast(Self.ending.count))
        guard prefix.utf8.count > 1, prefix.firstIndex(of: "@") == prefix.lastIndex(of: "@") else { return nil }
    }

    /// Splits the name of a unit into its prefix up to `@`, and its instance with systemd's escapes. Nil if it is no
    /// instance. systemd.unit(5).
    static func split(_ unit: String) -> (prefix: String, instance: String)? {
        guard unit.hasSuffix(ending), let at = unit.firstIndex(of: "@") else { return nil }
        let instance = unit[unit.index(after: at)...].dropLast(ending.count)
        return instance.isEmpty ? nil : (String(unit[...at]), String(instance))
    }
}
