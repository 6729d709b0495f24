import Glibc
import ReceiverSimulator

@main
struct Main {
    static func main() {
        do {
            switch try Invocation(Array(CommandLine.arguments.dropFirst())) {
            case .help: print(Invocation.helpText, terminator: "")
            case .list: print(Invocation.listText, terminator: "")
            case .names: for preset in Preset.all { print(preset.name) }
            case .make(let order): try make(order)
            case .serve: try SimulatedReceiver.serve()
            }
        } catch let error as UsageError {
            fail("\(error); try --help", code: 2)
        } catch {
            fail("\(error)", code: 1)
        }
    }

    private static func make(_ order: Invocation.Order) throws(OutputError) {
        let recording = Recording(order.scenario, seed: order.seed)
        let output = try OutputFile(path: order.output)
        try output.write(Array(recording.header.utf8))
        for epoch in recording { try output.write(epoch.bytes) }
        try output.close()
        if let path = order.visits { try writeVisits(of: order.scenario, to: path) }
        guard let path = order.truth else { return }
        let truth = try OutputFile(path: path)
        try truth.write(Array(TruthTable.header.utf8))
        // A recording is a value, so that it can be iterated again.
        for epoch in recording { try truth.write(Array(TruthTable.line(of: epoch).utf8)) }
        try truth.close()
    }

    private static func writeVisits(of scenario: Scenario, to path: String) throws(OutputError) {
        let visits = try OutputFile(path: path)
        for line in [VisitTable.header] + VisitTable.lines(of: scenario) { try visits.write(Array(line.utf8)) }
        try visits.close()
    }

    private static func fail(_ message: String, code: Int32) -> Never {
        let text = Array("waymark-simulator: \(message)\n".utf8)
        _ = text.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
        exit(code)
    }
}
