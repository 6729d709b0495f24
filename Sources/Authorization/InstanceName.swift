/// The name of an app that is an instance of a template: `NAME@INSTANCE`, where `NAME@` is the template, as systemd
/// names units.
public struct InstanceName: Equatable, Sendable {
    /// The template's name with its `@`.
    public let template: String
    /// What stands behind that.
    public let instance: String

    /// Reads the name of an app; nil where it is no instance's, or the instance's is no name: letters, digits, `.`, `_` and
    /// `-`, beginning with a letter or digit, without `..`, all of it at most 128.
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

    /// Whether a name is a template's, of which there are apps, and which is none itself.
    public static func isTemplate(_ name: String) -> Bool { name.hasSuffix("@") }
}

extension ManifestBinding {
    private static let templateEnding = "@.service"

    /// The binding of an instance of a template, whose units are `NAME@.service`.
    func instance(_ name: String) -> ManifestBinding {
        ManifestBinding(
            values.mapValues { value in
                value.hasSuffix(Self.templateEnding)
                    ? "\(value.dropLast(Self.templateEnding.count))@\(name).service" : value
            })
    }
}

extension Manifest {
    /// The manifest of an instance of a template whose manifest this is.
    func instance(_ name: String) -> Manifest {
        var manifest = self
        manifest.name = self.name.ending(with: " (\(name))")
        manifest.binding = binding.instance(name)
        return manifest
    }
}
