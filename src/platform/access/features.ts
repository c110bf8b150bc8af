import { type RawBuilder, sql } from 'kysely'
import type { Json } from '#platform/db/schema.ts'
import { levels } from './roles.ts'
import type { Rule, Standing } from './standing.ts'
import type { Viewer } from './viewer.ts'
import { hasLevel } from './visible.ts'

/** Who a part of a project is open to: nobody, members, or whoever sees the project. */
export type FeatureLevel = 'disabled' | 'private' | 'enabled' | 'public'

/** The parts of a project that its settings open and close (`<feature>_access_level`), as new projects have them. */
export const features = {
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
} as const satisfies Record<string, FeatureLevel>

export type Feature = keyof typeof features
export type FeatureLevels = Readonly<Partial<Record<Feature, FeatureLevel>>>

const names = Object.keys(features).filter((name): name is Feature => Object.hasOwn(features, name))

/** The levels among a project's stored settings; a feature that is not among them has its default. */
export function featureLevels(settings: Json): FeatureLevels {
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings)) return {}
  const found: Partial<Record<Feature, FeatureLevel>> = {}
  // Most projects keep all defaults.
  if (Object.keys(settings).length === 0) return found
  for (const name of names) {
    const level = settings[`${name}_access_level`]
    if (isLevel(level)) found[name] = level
  }
  return found
}

function isLevel(value: unknown): value is FeatureLevel {
  return value === 'disabled' || value === 'private' || value === 'enabled' || value === 'public'
}

type Member = Pick<Standing, 'admin' | 'level' | 'features'>

/** Whether a part of a project is open to somebody who may see the project. */
export function featureOpen(feature: Feature, standing: Member): boolean {
  const level = standing.features?.[feature] ?? features[feature]
  if (level === 'private') return standing.admin || standing.level >= levels.guest
  return level !== 'disabled'
}

/** A rule for something inside a part of a project: `read_issue: inFeature('issues', readers)`. */
export const inFeature =
  (feature: Feature, rule: Rule): Rule =>
  (s) =>
    featureOpen(feature, s) && rule(s)

/** The same for what belongs to several parts, and is open where one of them is. */
export const inAnyFeature =
  (parts: readonly Feature[], rule: Rule): Rule =>
  (s) =>
    parts.some((feature) => featureOpen(feature, s)) && rule(s)

/** The parts that labels and milestones belong to. */
export const planning = ['issues', 'merge_requests'] as const satisfies Feature[]

/** A rule for labels and milestones: they are open where one of those parts is. */
export const planned = (rule: Rule): Rule => inAnyFeature(planning, rule)

/** {@link featureOpen} in SQL, over the column of a project's settings and the alias of its namespace. */
export function featureOpenAt(
  feature: Feature,
  settings: string,
  node: string,
  viewer: Viewer,
): RawBuilder<boolean> {
  const level = sql`coalesce(${sql.ref(settings)} ->> ${`${feature}_access_level`}::text, ${features[feature]})`
  const member = viewer.admin ? sql<boolean>`true` : hasLevel(node, viewer, levels.guest)
  return sql<boolean>`(case ${level} when 'disabled' then false when 'private' then ${member} else true end)`
}

/** {@link inAnyFeature} in SQL; a group has no parts that could be closed, so that everything in it is open. */
export function anyFeatureOpenAt(
  parts: readonly Feature[],
  settings: string,
  node: string,
  viewer: Viewer,
): RawBuilder<boolean> {
  const open = parts.map((feature) => featureOpenAt(feature, settings, node, viewer))
  return sql<boolean>`(${sql.join(open, sql` or `)})`
}
