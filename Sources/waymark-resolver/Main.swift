import Glibc
import Resolver

@main
struct Main {
    static func main() {
        guard CommandLine.argc == 1 else {
            let usage = "usage: echo NAME | waymark-resolver\n"
            _ = usage.withCString { write(STDERR_FILENO, $0, strlen($0)) }
            exit(2)
        }
        exit(ResolverProcess.run())
    }
}
