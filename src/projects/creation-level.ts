import { type RawBuilder, sql } from 'kysely'
import { levels } from '#access/roles.ts'
import type { Viewer } from '#access/viewer.ts'
import { hasLevel, levelAt } from '#access/visible.ts'
import type { Json } from '#db/schema.ts'

/**
 * Which role a group's setting `project_creation_level` asks of those who make projects in it. Administrators
 * pass all but `noone`.
 */
const NEEDED: Readonly<Record<string, number>> = {
  developer: levels.developer,
  maintainer: levels.maintainer,
  owner: levels.owner,
  administrator: Infinity,
  noone: Infinity,
}

/** Whether somebody of this level may make projects in a group with these settings. */
export function mayCreateProjects(settings: Json, { level, admin }: { level: number; admin: boolean }): boolean {
  const setting = creationLevel(settings)
  return (admin && setting !== 'noone') || level >= (NEEDED[setting] ?? levels.developer)
}

function creationLevel(settings: Json): string {
  const plain = typeof settings === 'object' && settings !== null && !Array.isArray(settings)
  const setting = plain ? settings['project_creation_level'] : undefined
  return typeof setting === 'string' ? setting : 'developer'
}

/** The same in SQL, for a group under the alias `node`. */
export function mayCreateProjectsAt(node: string, viewer: Viewer): RawBuilder<boolean> {
  const setting = sql`coalesce(${sql.ref(`${node}.settings`)} ->> 'project_creation_level', 'developer')`
  if (viewer.admin) return sql<boolean>`(${setting} <> 'noone')`
  return sql<boolean>`(${hasLevel(node, viewer, levels.developer)} and ${levelAt(node, viewer)} >= case ${setting}
    when 'maintainer' then ${levels.maintainer}::int when 'owner' then ${levels.owner}::int
    when 'administrator' then 100 when 'noone' then 100 else ${levels.developer}::int end)`
}
