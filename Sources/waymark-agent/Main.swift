import Commands
import Glibc

@main
struct Main {
    static func main() {
        exit(WaymarkProgram.runAgent().rawValue)
    }
}
