import Glibc
import Platform

/// The text that a program writes to a pipe.
public enum PipeText {
    /// Reads a pipe until its text is as it is wanted, or for a minute.
    public static func read(_ pipe: Int32, into text: inout String, until isEnough: (String) -> Bool) throws {
        let deadline = PollDeadline(seconds: 60)
        while !isEnough(text), try deadline.poll(pipe, for: POLLIN) {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = Glibc.read(pipe, &buffer, buffer.count)
            guard count > 0 else { return }
            text += String(decoding: buffer[..<count], as: UTF8.self)
        }
    }
}
