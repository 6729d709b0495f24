import Glibc
import Inspector

@main
struct Main {
    static func main() {
        let code = CommandLine.argc == 1 ? InspectorProcess.run() : 2
        if code == 2 {
            let usage = "usage: waymark-inspector, with a SOCK_SEQPACKET socket as its standard input\n"
            _ = usage.withCString { write(STDERR_FILENO, $0, strlen($0)) }
        }
        exit(code)
    }
}
