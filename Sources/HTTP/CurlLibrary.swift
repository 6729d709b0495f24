import CCurl
import Glibc

/// The global state of libcurl.
enum CurlLibrary {
    /// Whether libcurl could be initialized, curl_global_init(3): once for the process, and before it has other
    /// threads.
    static let isReady: Bool = {
        // The environment must not make libcurl log the keys of its connections.
        unsetenv("SSLKEYLOGFILE")
        // OpenSSL may write to a socket whose other end is closed. libcurl ignores the signal only if it may change the
        // signal handlers with each of its calls.
        signal(SIGPIPE, SIG_IGN)
        return curl_global_init(Int(CURL_GLOBAL_SSL)) == CURLE_OK
    }()

    /// The system's folder of trusted authorities, if its certificates can be found by the hash of their names: only
    /// the needed certificate is read. Reading the whole bundle for each connection costs megabytes and time.
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
