import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/schema'
import type { Db } from '#platform/db/pool.ts'
import type { Visibility } from '#platform/db/schema.ts'
import { list, nullable, oneOf, text } from '#platform/http/schema.ts'
import {
  schemasOf,
  presentedSettingSchemas,
  type StoredSettings,
} from '#tenancy/projects/project-settings.ts'
import { topicNames } from '#tenancy/topics/queries.ts'
import { ArchiveRefused } from './errors.ts'

/** What stands in `project.json`. A reader of format 1 understands what a later writer calls 1. */
const ProjectFile = Type.Object({
  format: Type.Literal(1),
  name: text({ filled: true }),
  description: nullable(text({ max: 2_000 })),
  visibility: oneOf<Visibility>(['private', 'internal', 'public']),
  default_branch: nullable(text({ max: 1_024 })),
  topics: list(text()),
  settings: Type.Record(Type.String(), Type.Unknown()),
})

export type ProjectFile = Static<typeof ProjectFile>

/** Describes a project. */
export async function describeProject(db: Db, projectId: number): Promise<ProjectFile> {
  const row = await db
    .selectFrom('projects as p')
    .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
    .leftJoin('repositories as r', (join) =>
      join.onRef('r.project_id', '=', 'p.id').on('r.kind', '=', 'project'),
    )
    .select(['n.name', 'n.description', 'n.visibility', 'r.default_branch', topicNames('p').as('topics')])
    .select(sql<Record<string, unknown>>`p.settings`.as('settings'))
    .where('p.id', '=', projectId)
    .executeTakeFirstOrThrow()
  return { format: 1, ...row, topics: [...row.topics] }
}

/** Reads `project.json`. @throws {ArchiveRefused} */
export function readProjectFile(json: string): ProjectFile {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    throw new ArchiveRefused('The archive has no project.json that can be read')
  }
  if (!Check(ProjectFile, value))
    throw new ArchiveRefused('The project.json of the archive is not as it should be')
  return value
}

const { repository_object_format: _, ...takenOver } = presentedSettingSchemas
const Settings = Type.Object(schemasOf(takenOver, Type.Optional))
const isSettings = (value: unknown): value is StoredSettings => Check(Settings, value)

/** The settings of an archive that this server knows, with values that it accepts. */
export function settingsOf({ settings }: ProjectFile): StoredSettings {
  const known = Object.entries(settings).filter(([name, value]) => {
    const schema = Object.entries(takenOver).find(([one]) => one === name)?.[1].schema
    return schema !== undefined && Check(schema, value)
  })
  const settled: unknown = Object.fromEntries(known)
  return isSettings(settled) ? settled : {}
}
