import Journal
import Platform

/// What the journal has reported about the machine's secret, for the locks of the machine and of users.
@DaemonActor
final class MachineSecretNote {
    var report = MachineSecretReport()
    /// Whether the secret is being exchanged.
    var isRenewing = false
}
