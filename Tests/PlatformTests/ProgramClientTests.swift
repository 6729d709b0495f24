import Glibc
import Platform
import TestSupport
import TestTraits
import Testing

/// The tests' programs that connect for them.
@Suite(.waits) struct ProgramClientTests {
    @Test func `a message to a program that has ended is an error, and ends no test`() throws {
        let client = try ProgramClient("/bin/true", to: "no socket")
        try client.kill()
        // Processes that other tests start at this instant have its pipe for a short time, too.
        var code: Int32?
        let hasFailed = eventually {
            do throws(SystemError) { try client.send("a message") } catch { code = error.code }
            return code != nil
        }
        #expect(hasFailed && code == EPIPE)
    }
}
