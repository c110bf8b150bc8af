import type { Json } from '#platform/db/schema.ts'

/** Who may use a project feature: nobody, members, or everyone who may see the project. */
export type ProjectFeatureLevel = 'disabled' | 'private' | 'enabled' | 'public'

/** The project features that settings open and close (`<feature>_access_level`), with the levels of new projects. */
export const projectFeatures = {
  issues: 'enabled',
  repository: 'enabled',
  merge_requests: 'enabled',
  forking: 'enabled',
  wiki: 'enabled',
  builds: 'enabled',
  snippets: 'enabled',
  pages: 'private',
  analytics: 'enabled',
  container_registry: 'enabled',
  security_and_compliance: 'private',
  releases: 'enabled',
  environments: 'enabled',
  feature_flags: 'enabled',
  infrastructure: 'enabled',
  monitor: 'enabled',
  model_experiments: 'enabled',
  model_registry: 'enabled',
  package_registry: 'enabled',
  requirements: 'enabled',
} as const satisfies Record<string, ProjectFeatureLevel>

export type ProjectFeature = keyof typeof projectFeatures
export type ProjectFeatureLevels = Readonly<Partial<Record<ProjectFeature, ProjectFeatureLevel>>>

const featureNames = Object.keys(projectFeatures).filter((name): name is ProjectFeature =>
  Object.hasOwn(projectFeatures, name),
)

/** The levels among a project's stored settings. A missing feature has its default. */
export function projectFeatureLevels(settings: Json): ProjectFeatureLevels {
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings)) return {}
  const found: Partial<Record<ProjectFeature, ProjectFeatureLevel>> = {}
  // Most projects keep all defaults.
  if (Object.keys(settings).length === 0) return found
  for (const name of featureNames) {
    const level = settings[`${name}_access_level`]
    if (isLevel(level)) found[name] = level
  }
  return found
}

/** Whether those who may see a project may see its pipelines: `public_jobs` of its stored settings. */
export const publicJobsOf = (settings: Json): boolean =>
  typeof settings !== 'object' ||
  settings === null ||
  Array.isArray(settings) ||
  settings['public_jobs'] !== false

function isLevel(value: unknown): value is ProjectFeatureLevel {
  return value === 'disabled' || value === 'private' || value === 'enabled' || value === 'public'
}
