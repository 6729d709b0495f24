import Authorization
import Glibc
import Location
import TestSupport
import TestTraits
import Testing

@Suite(.computes) struct PolicyPropertyTests {
    /// The number of events in a sequence: long enough for restarts and changed decisions, short enough to be
    /// shortened.
    private static let length = 500

    /// All users are active and have an agent.
    private static let beginning: [PropertyCommand] = PropertyWorld.uids.flatMap {
        [.user($0, .active), .agent($0, isThere: true)]
    }

    private static var events: Int {
        guard let text = getenv("WAYMARK_PROPERTY_EVENTS"), let count = Int(String(cString: text)) else {
            return 50_000
        }
        return count
    }

    @Test func `whatever happens, what is disclosed is what a second statement of the rules allows`() {
        var random = SeededGenerator()
        var allowed = 0
        var count = 0
        while count < Self.events {
            let commands = Self.beginning + (0..<Self.length).flatMap { _ in PropertyCommand.some(using: &random) }
            count += commands.count
            if let difference = PropertyRun.firstDifference(commands, allowed: &allowed) {
                let short = Self.shrink(commands)
                let last = PropertyRun.firstDifference(short, allowed: &allowed) ?? difference
                let list = short.map { "\($0)" }.joined(separator: "\n")
                Issue.record("\(random): \(last)\n\(list)")
                return
            }
        }
        print("\(count) events, \(allowed) deliveries allowed by both")
        #expect(allowed > count / 20, "too little is ever allowed for this test to show anything")
    }

    @Test func `a sequence that fails is shrunk to what makes it fail`() {
        // Fails for any change of services, so one of the commands is sufficient.
        let commands: [PropertyCommand] = Array(repeating: .resetAll, count: 40) + [.services(false)]
        let short = Self.shrink(commands) { $0.contains { if case .services = $0 { true } else { false } } }
        #expect(short.count == 1)
    }

    /// Omits smaller and smaller parts as long as the sequence still fails.
    private static func shrink(
        _ commands: [PropertyCommand],
        fails: ([PropertyCommand]) -> Bool = {
            var allowed = 0
            return PropertyRun.firstDifference($0, allowed: &allowed) != nil
        }
    ) -> [PropertyCommand] {
        var commands = commands
        var size = commands.count / 2
        while size > 0 {
            var start = 0
            var isShorter = false
            while start < commands.count {
                var shorter = commands
                shorter.removeSubrange(start..<min(start + size, commands.count))
                if fails(shorter) {
                    commands = shorter
                    isShorter = true
                } else {
                    start += size
                }
            }
            if !isShorter || size > 1 { size /= 2 }
        }
        return commands
    }
}
