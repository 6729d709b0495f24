import Platform
import Storage

/// Commits and erasures, which are done in steps: each is a piece of work in the thread's mailbox, after the requests that
/// came meanwhile.
extension RegionWriter {
    /// Does the next step after what is in the mailbox.
    func stepSoon() {
        if isStepping { return }
        isStepping = thread.submit(mustRun: true) { [weak self] in self?.assumeIsolated { $0.step() } }
    }

    private func step() {
        isStepping = false
        if !commits.isEmpty {
            advanceCommit()
            stepSoon()
        } else {
            sweepSome()
        }
    }

    private func advanceCommit() {
        let commit = commits.removeFirst()
        var job = commit.job
        do throws(RegionStorageError) {
            let result = try perform { tables throws(StorageError) in try tables.advance(&job) }
            switch result {
            case nil: commits.insert(Commit(job: job, completion: commit.completion), at: 0)
            case .success(let added)?:
                commit.completion(.success(added))
                releaseMemory(after: added.added)
            case .failure(let error)?: throw error
            }
        } catch {
            tables?.stagings[job.staging] = nil
            commit.completion(.failure(error))
        }
    }

    /// Returns what orders of very many rows have needed.
    private func releaseMemory(after rows: Int) {
        if rows >= 10_000 { ResidentMemory.releaseFreedMemory() }
    }

    private func sweepSome() {
        guard let tables, let job = sweep ?? tables.nextSweep() else { return }
        sweep = nil
        do throws(RegionStorageError) {
            let next = try perform { tables throws(StorageError) in try tables.sweep(job) }
            // After damage, another file is open.
            if self.tables === tables { sweep = next }
            if case .rows(_, let start) = sweep, start == 0 { releaseMemory(after: .max) }
            stepSoon()
        } catch {
            // Nothing is lost by an erasure that is repeated later: what is erased is not visible any more.
            thread.schedule(after: Self.pauseAfterFailure) { [weak self] in self?.assumeIsolated { $0.stepSoon() } }
        }
    }
}
