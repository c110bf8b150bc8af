/** The kinds of reports that a job may name, besides coverage. */
export const REPORTS = [
  'accessibility',
  'annotations',
  'api_fuzzing',
  'browser_performance',
  'cluster_applications',
  'cluster_image_scanning',
  'codequality',
  'container_scanning',
  'coverage_fuzzing',
  'cyclonedx',
  'dast',
  'dependency_scanning',
  'dotenv',
  'junit',
  'license_scanning',
  'load_performance',
  'lsif',
  'metrics',
  'performance',
  'repository_xray',
  'requirements',
  'requirements_v2',
  'sarif',
  'sast',
  'secret_detection',
  'terraform',
] as const

/** The formats of reports of coverage, which are kinds of artifacts. */
export const COVERAGE_FORMATS = ['cobertura', 'jacoco'] as const
