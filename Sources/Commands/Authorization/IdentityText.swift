import Authorization
import CommandLineKit
import JSONText
import Manifests
import Platform
import Varlink

/// The properties that identify a process, as lines of a manifest, and the app that it belongs to.
struct IdentityText {
    let evidence: PeerEvidence
    let match: Catalogue.Match
    let terminal: Terminal

    /// A line of a manifest that matches the process.
    struct Line: Equatable {
        /// The key.
        var key: IdentityKey
        /// The value.
        var value: String
        /// A restriction on the use of the line.
        var remark: String?
    }

    /// The matching lines, strongest proof first.
    var manifestLines: [Line] {
        var lines: [Line] = []
        if let unit = evidence.systemUnit, unit.hasSuffix(".service") {
            lines.append(Line(key: .unit, value: unit, remark: "only in a manifest of root's"))
        }
        if let id = evidence.flatpakID {
            lines.append(Line(key: .flatpak, value: id))
        } else if let unit = evidence.userUnit {
            lines.append(Self.userUnit(unit))
        }
        if case .file(let path) = evidence.program {
            let program = Line(key: .exec, value: path, remark: "the weakest proof, and not for interpreters")
            lines.append(program)
        }
        return lines
    }

    /// The name of a user's unit, or a pattern if parts of it differ at each start.
    ///
    /// | unit | value |
    /// | --- | --- |
    /// | `trailmap.service` | as it is |
    /// | `app-gnome-org.example.Map-4711.scope`, `app-org.example.Map@1a2b.service` | `*-org.example.Map[-@]*` |
    /// | `dbus-:1.2-org.example.Map@0.service` | `*-org.example.Map[-@]*` |
    /// | `run-r1a2b3c.scope` | as it is, with a remark |
    static func userUnit(_ unit: String) -> Line {
        if let id = appID(unit) { return Line(key: .userUnit, value: "*-\(id)[-@]*") }
        let isNamed = unit.hasSuffix(".service") && !unit.hasPrefix("run-")
        let remark =
            "its name changes at each start: give it a fixed name, systemd-run --user --scope --unit=NAME PROGRAM"
        return Line(key: .userUnit, value: unit, remark: isNamed ? nil : remark)
    }

    /// The id in a unit's name. The XDG conventions are `app[-LAUNCHER]-ID-RANDOM.scope` and
    /// `app[-LAUNCHER]-ID[@RANDOM].service`, D-Bus' `dbus-:CONNECTION-ID@NUMBER.service`; hyphens of an id are escaped.
    private static func appID(_ unit: String) -> Substring? {
        guard unit.hasPrefix("app-") || unit.hasPrefix("dbus-:") else { return nil }
        var parts = unit.split(separator: "-").dropFirst()
        if unit.hasSuffix(".scope") {
            parts.removeLast()
        } else if let last = parts.popLast(), let at = last.firstIndex(of: "@") {
            parts.append(last[..<at])
        }
        return parts.last.flatMap { $0.utf8.count > 2 ? $0 : nil }
    }

    /// The lines for a person.
    var lines: [String] {
        let lines = manifestLines
        var table = Table([.init(""), .init(""), .init("")])
        for line in lines {
            table.add([
                Table.Cell("  \(line.key.rawValue)=\(line.value)", .bold), Table.Cell(line.key.assurance.rawValue),
                Table.Cell(line.remark ?? ""),
            ])
        }
        let head =
            "Process \(evidence.processID) of user \(evidence.userID) is known by\(lines.isEmpty ? " nothing." : ":")"
        return [head] + table.lines(for: terminal) + [conclusion.escapingControls]
    }

    private var conclusion: String {
        switch match {
        case .app(let id, let key): "It is the app \(id), by \(key.rawValue)=."
        case .ambiguous(let ids, let key):
            "It is no app: \(ids.joined(separator: ", ")) all claim it by \(key.rawValue)=. Correct their manifests."
        case .unidentified(let reason): "It is no app: \(reason)."
        }
    }

    /// The object for programs.
    var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("process", evidence.processID)
            writer.member("user", evidence.userID)
            writer.array("keys") { writer in
                for line in manifestLines {
                    writer.object { writer in
                        writer.member("key", line.key.rawValue)
                        writer.member("value", line.value)
                        writer.member("assurance", line.key.assurance.rawValue)
                    }
                }
            }
            switch match {
            case .app(let id, let key):
                writer.member("app", id)
                writer.member("by", key.rawValue)
            case .ambiguous(let ids, let key):
                writer.member("claimedBy", ids)
                writer.member("by", key.rawValue)
            case .unidentified: break
            }
        }
        return writer.bytes
    }
}
