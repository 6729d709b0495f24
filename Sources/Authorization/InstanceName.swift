/// The name of an app that is an instance of a template: `NAME@INSTANCE`, where `NAME@` is the template, as for
/// systemd's units.
public struct InstanceName: Equatable, Sendable {
    /// The template's name with its `@`.
    public let template: String
    /// The part after the `@`.
    public let instance: String

    /// Parses the name of an app. Nil if it is no instance's, or if the instance's name is invalid: it has letters,
    /// digits, `.`, `_` and `-`, begins with a letter or digit, does not contain `..`, and the whole has at most 128
    /// bytes.
    public init?(_ name: String) {
        guard name.utf8.count <= 128, let at = name.firstIndex(of: "@"), at != name.startIndex else { return nil }
        template = String(name[...at])
        instance = String(name[name.index(after: at)...])
        guard let first = instance.utf8.first, Self.isLetterOrDigit(first), !instance.contains(".."),
            instance.utf8.allSatisfy({ Self.isLetterOrDigit($0) || "._-".utf8.contains($0) })
        else { return nil }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (97...122).contains(byte | 0x20) || (48...57).contains(byte)
    }

    /// Whether it is the name of a template. A template is no app itself.
    public static func isTemplate(_ name: String) -> Bool { name.hasSuffix("@") }
}

extension ManifestBinding {
    private static let templateEnding = "@.service"

    /// The binding of an instance of a template with the units `NAME@.service`.
    func instance(_ name: String) -> ManifestBinding {
        ManifestBinding(
            values.mapValues { value in
                value.hasSuffix(Self.templateEnding)
                    ? "\(value.dropLast(Self.templateEnding.count))@\(name).service" : value
            })
    }
}

extension Manifest {
    /// The manifest of an instance, made from this template's manifest.
    func instance(_ name: String) -> Manifest {
        var manifest = self
        manifest.name = self.name.ending(with: " (\(name))")
        manifest.binding = binding.instance(name)
        return manifest
    }
}
