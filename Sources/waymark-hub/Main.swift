import Glibc
import Hub

@main
struct Main {
    static func main() {
        exit(HubProgram.run().rawValue)
    }
}
