import JSONText

/// OwnTracks' `cmd` messages, https://owntracks.org/booklet/tech/json/#_typecmd: over HTTP members of a response's array,
/// over MQTT published to `TOPIC/cmd`. Only `reportLocation` is known here.
enum OwnTracksCommands {
    /// The most elements of a response that are evaluated, encrypted ones included: it also has the positions of friends.
    private static let mostElements = 256

    static func topic(_ topic: String) -> String { topic + "/cmd" }

    /// The commands in a response or message. With a key only encrypted ones count, so that nobody without the key
    /// commands anything. OwnTracks Recorder and Home Assistant encrypt a response's whole array, other servers each command.
    static func read(_ bytes: [UInt8], _ open: RequestWriter.Open?) -> RemoteCommands {
        var commands = RemoteCommands()
        var rest = mostElements
        for outer in elements(of: bytes).prefix(mostElements) where rest > 0 {
            let isSealed = outer["_type"]?.stringValue == "encrypted"
            let inner = isSealed ? opened(outer, open) : [outer]
            for element in inner.prefix(rest) where element["_type"]?.stringValue == "cmd" {
                if isSealed || open == nil { add(element, to: &commands) } else { commands.ignored += 1 }
            }
            rest -= min(rest, inner.count)
        }
        return commands
    }

    /// The members of an array, or the value itself; nothing of what is no JSON.
    private static func elements(of bytes: [UInt8]) -> [JSON] {
        guard let json = parse(bytes) else { return [] }
        return json.arrayValue ?? [json]
    }

    /// What is encrypted in an element, which may also be positions of friends; nothing without the key, or of another one.
    private static func opened(_ element: JSON, _ open: RequestWriter.Open?) -> [JSON] {
        guard let open, let sealed = element["data"]?.stringValue.flatMap({ Base64.bytes(Array($0.utf8)) }),
            let inner = open(sealed)
        else { return [] }
        return elements(of: inner)
    }

    private static func add(_ command: JSON, to commands: inout RemoteCommands) {
        if command["action"]?.stringValue == "reportLocation" {
            commands.reportsLocation = true
        } else {
            commands.ignored += 1
        }
    }

    private static func parse(_ bytes: [UInt8]) -> JSON? {
        do throws(JSONError) {
            return try JSON.parse(bytes, maximumDepth: 8, maximumValues: 16_384)
        } catch {
            return nil
        }
    }
}
