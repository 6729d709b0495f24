import CCurl
import Glibc

/// libcurl as a whole.
enum CurlLibrary {
    /// Whether it could be made ready, curl_global_init(3): once for the process, and before it has other threads.
    static let isReady: Bool = {
        // An environment must not make it write down the keys of its connections.
        unsetenv("SSLKEYLOGFILE")
        // OpenSSL writes to sockets whose other end may be gone, and libcurl ignores the signal only where it may change
        // what signals do with each of its calls.
        signal(SIGPIPE, SIG_IGN)
        return curl_global_init(Int(CURL_GLOBAL_SSL)) == CURLE_OK
    }()

    /// The system's folder of trusted authorities where certificates are found in it by the hash of their names: nothing
    /// is read but the one that is needed. The bundle, read whole with each connection, takes megabytes and time.
    static let authorityFolder: String? = {
        guard let path = waymark_curl_authority_folder(), let folder = opendir(path) else { return nil }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { $0.prefix { $0 != 0 }.map { $0 } }
            if name.count == 10, name[8...] == [0x2E, 0x30], name[..<8].allSatisfy(isHexadecimal) {
                return String(cString: path)
            }
        }
        return nil
    }()

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
    }
}
