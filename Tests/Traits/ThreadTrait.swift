// A release build compiles this library as well, and has no Testing.
#if canImport(Testing)
    import Testing

    /// Runs each test on threads beside Swift's own pool, see `TestThreads`.
    public struct ThreadTrait: SuiteTrait, TestTrait, TestScoping {
        fileprivate let threads: TestThreads

        /// Tests within a suite have the trait as well.
        public var isRecursive: Bool { true }

        /// Runs a test on these threads.
        public func provideScope(
            for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
        ) async throws {
            try await threads.run(function)
        }
    }

    extension Trait where Self == ThreadTrait {
        /// The tests wait for other processes, and block a thread meanwhile.
        public static var waits: Self { Self(threads: .waiting) }

        /// The tests compute for seconds.
        public static var computes: Self { Self(threads: .computing) }
    }
#endif
