import { type RawBuilder, sql } from 'kysely'
import { type ProjectFeature, projectFeatures } from './project-features.ts'
import { levels } from './roles.ts'
import type { Rule, AccessContext } from './access-context.ts'
import type { SqlViewer } from './viewer.ts'
import { hasLevel } from './visible.ts'

type Member = Pick<AccessContext, 'admin' | 'level' | 'features'>

/** Whether a project feature is open to a caller who may see the project. */
export function projectFeatureOpen(feature: ProjectFeature, accessContext: Member): boolean {
  const level = accessContext.features?.[feature] ?? projectFeatures[feature]
  if (level === 'private') return accessContext.admin || accessContext.level >= levels.guest
  return level !== 'disabled'
}

/** A rule for something inside a project feature: `read_issue: inProjectFeature('issues', readers)`. */
export const inProjectFeature =
  (feature: ProjectFeature, rule: Rule): Rule =>
  (s) =>
    projectFeatureOpen(feature, s) && rule(s)

/** The same for what belongs to several project features. It is open when one of them is. */
export const inAnyProjectFeature =
  (parts: readonly ProjectFeature[], rule: Rule): Rule =>
  (s) =>
    parts.some((feature) => projectFeatureOpen(feature, s)) && rule(s)

/**
 * {@link projectFeatureOpen} in SQL, over the column of a project's settings and the alias of its namespace.
 * @param member says in another way whether the viewer is a member there.
 */
export function projectFeatureOpenAt(
  feature: ProjectFeature,
  settings: string,
  node: string,
  viewer: SqlViewer,
  member = viewer.admin ? sql<boolean>`true` : hasLevel(node, viewer, levels.guest),
): RawBuilder<boolean> {
  const level = sql`coalesce(${sql.ref(settings)} ->> ${`${feature}_access_level`}::text, ${projectFeatures[feature]})`
  return sql<boolean>`(case ${level} when 'disabled' then false when 'private' then ${member} else true end)`
}

/** {@link inAnyProjectFeature} in SQL. Groups have no project features to close, so everything in a group is open. */
export function anyProjectFeatureOpenAt(
  parts: readonly ProjectFeature[],
  settings: string,
  node: string,
  viewer: SqlViewer,
): RawBuilder<boolean> {
  const open = parts.map((feature) => projectFeatureOpenAt(feature, settings, node, viewer))
  return sql<boolean>`(${sql.join(open, sql` or `)})`
}
