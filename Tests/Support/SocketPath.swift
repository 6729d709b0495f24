import Glibc

/// Paths of Unix sockets.
public enum SocketPath {
    /// Frees a path after its listening socket was closed, so that another socket can listen there at once.
    ///
    /// A process that another test starts at the same time has copies of all descriptors until it executes its program, and
    /// `UnixSocket.listen` respects a path on which somebody still listens.
    public static func free(_ path: String) { _ = unlink(path) }
}
