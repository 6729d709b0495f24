import Glibc

/// Measures the daemon beside a peer in one run and prints figures and their ratios. It judges nothing: machines differ.
@main
struct Main {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        do {
            switch arguments.first {
            case "latency": try LatencyBenchmark.run(seconds: number(arguments, 60))
            case "watchers": try WatchersBenchmark.run(watchers: number(arguments, 1_000), seconds: 20)
            case "idle": try IdleBenchmark.run(seconds: number(arguments, 60))
            default:
                print(
                    """
                    usage: waymark-benchmark latency [SECONDS] | watchers [COUNT] | idle [SECONDS]

                      latency   from the receiver to a client, beside gpspipe on the same gpsd, 10 Hz
                      watchers  so many clients at 10 Hz: who falls behind, and the processor time of each delivery,
                                beside gpsd's own to its clients
                      idle      wake-ups, resident memory and time to readiness of a daemon that nobody uses
                    """)
                exit(arguments.isEmpty ? 0 : 2)
            }
        } catch {
            print("waymark-benchmark: \(error)")
            exit(1)
        }
    }

    private static func number(_ arguments: ArraySlice<String>, _ fallback: Int) -> Int {
        arguments.dropFirst().first.flatMap { Int($0) } ?? fallback
    }
}
