import CommandLineKit
import Glibc
import Interfaces
import Platform
import UploadService

@main
struct Main {
    static func main() {
        switch UploadCommand.command.start(version: WaymarkVersion.described) {
        case .end(let code): exit(code.rawValue)
        case .run(let invocation):
            exit(UploadProgram.run(invocation, makeCarrier: Carriers.make).rawValue)
        }
    }
}
