import CLinux
import Glibc

/// A thread that is never joined.
public enum DetachedThread {
    private final class Body {
        let name: String
        let run: @Sendable () -> Void

        init(name: String, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    /// Starts a thread with a name of at most 15 bytes, pthread_create(3).
    public static func start(name: String, _ run: @escaping @Sendable () -> Void) throws(SystemError) {
        var thread = pthread_t()
        let argument = Unmanaged.passRetained(Body(name: name, run: run))
        let status = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let body = Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
                waymark_name_thread(body.name)
                body.run()
                return nil
            }, argument.toOpaque())
        guard status == 0 else {
            argument.release()
            throw SystemError("start a thread", code: status, subject: name)
        }
        pthread_detach(thread)
    }
}
