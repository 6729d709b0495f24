import CommandLineKit
import JSONText
import Varlink

extension Output {
    /// Writes a reply of the hub as JSON, a line.
    func json(_ reply: some VarlinkMembers) throws(OutputError) {
        var writer = JSONWriter()
        writer.object { reply.writeMembers(to: &$0) }
        try line(writer.bytes)
    }
}
