import Glibc
import Sync

@main
struct Main {
    static func main() {
        exit(SyncProgram.run().rawValue)
    }
}
