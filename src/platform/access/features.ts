import { type RawBuilder, sql } from 'kysely'
import { type Feature, features } from './feature-levels.ts'
import { levels } from './roles.ts'
import type { Rule, Standing } from './standing.ts'
import type { Viewer } from './viewer.ts'
import { hasLevel } from './visible.ts'

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
