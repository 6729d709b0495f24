import Upload

extension UploadProcess {
    /// The configuration of an upload with its credentials.
    public struct Setup: Equatable, Sendable {
        /// The configuration from the file.
        public var configuration: UploadConfiguration
        /// The secrets; nil if one cannot be used.
        public var credentials: Credentials?
        /// The problem, for people; nil if there is none.
        public var problem: String?
        /// How a corrected credential is loaded.
        public var renewal: CredentialRenewal
        /// What the destination's file says about regions.
        var regions: RegionPlan

        /// A setup of this configuration with its credentials.
        public init(_ configuration: UploadConfiguration, from folder: CredentialFolder) {
            self.configuration = configuration
            renewal = folder.renewal
            regions = RegionPlan(configuration)
            do throws(CredentialProblem) {
                credentials = try folder.credentials(for: configuration)
            } catch {
                problem = error.text(folder.renewal)
            }
        }
    }
}
