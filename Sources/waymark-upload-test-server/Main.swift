import Glibc
import Interfaces
import UploadTestServer

@main
struct Main {
    static func main() {
        exit(TestServer.run(version: WaymarkVersion.text).rawValue)
    }
}
