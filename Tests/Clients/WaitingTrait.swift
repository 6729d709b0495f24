// A release build compiles this library as well, and has no Testing.
#if canImport(Testing)
    import TestSupport
    import Testing

    /// Runs each test on one of the threads that may block: see `WaitingThreads`.
    public struct WaitingTrait: SuiteTrait, TestTrait, TestScoping {
        /// Tests within a suite have the trait as well.
        public var isRecursive: Bool { true }

        /// Runs a test on the threads that may wait.
        public func provideScope(
            for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
        ) async throws {
            try await WaitingThreads.shared.run(function)
        }
    }

    extension Trait where Self == WaitingTrait {
        /// It waits for other processes, and blocks a thread meanwhile.
        public static var waits: Self { Self() }
    }
#endif
