import Platform
import TestSupport

/// An nginx that serves the files of a folder on loopback, and curl, which receives them.
final class FileServer {
    private let folder: TemporaryDirectory
    private let port: LoopbackPort
    private let server: ChildProcess
    private let curl: String

    /// Serves files of these names and contents.
    init(_ files: [(name: String, bytes: [UInt8])]) throws {
        let (folder, port) = (try TemporaryDirectory(), try LoopbackPort())
        (self.folder, self.port) = (folder, port)
        for file in files { try folder.write("files/\(file.name)", bytes: file.bytes) }
        let base = "http://127.0.0.1:\(port.number)"
        try folder.write(
            "urls", files.map { "url = \"\(base)/\($0.name)\"\noutput = \"/dev/null\"\n" }.joined())
        try folder.write(
            "downloads",
            files.map { "url = \"\(base)/\($0.name)\"\noutput = \"\(folder.path)/received/\($0.name)\"\n" }.joined())
        let configuration = try folder.write(
            "nginx.conf",
            """
            daemon off; master_process off; pid \(folder.path)/pid; error_log \(folder.path)/error.log;
            events {}
            http {
                access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000;
                client_body_temp_path \(folder.path)/body; proxy_temp_path \(folder.path)/proxy;
                fastcgi_temp_path \(folder.path)/fastcgi; uwsgi_temp_path \(folder.path)/uwsgi;
                scgi_temp_path \(folder.path)/scgi;
                server { listen 127.0.0.1:\(port.number); root \(folder.path)/files; default_type application/json; }
            }
            """)
        guard let nginx = ExecutableSearch.find("nginx", alsoIn: ["/usr/sbin"]),
            let curl = ExecutableSearch.find("curl")
        else {
            throw HubClient.Failure(description: "nginx and curl are necessary: Scripts/setup bench installs them")
        }
        self.curl = curl
        server = try ChildProcess(
            ChildProcess.Launch(nginx, ["-e", folder.file("error.log"), "-c", configuration], isGuarded: true))
        guard try eventually(within: 20, { try LoopbackPort.connection(to: port.number) != nil }) else {
            throw HubClient.Failure(description: "nginx does not start")
        }
    }

    /// Sends all files to curl, on one connection, which discards them or writes them to files. Returns the seconds.
    func send(toFiles: Bool = false) throws -> Double {
        let start = SystemClock().monotonicNanoseconds
        let run = try CompletedProcess.run(
            curl, ["-sf", "--create-dirs", "-K", folder.file(toFiles ? "downloads" : "urls")], seconds: 300)
        let seconds = Double(SystemClock().monotonicNanoseconds - start) / 1e9
        guard run.status == .exited(0) else { throw HubClient.Failure(description: "curl: \(run.status) \(run.error)") }
        return seconds
    }
}
