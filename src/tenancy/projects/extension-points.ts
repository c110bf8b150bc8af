import type { FastifyRequest } from 'fastify'
import type { AliasedRawBuilder, RawBuilder } from 'kysely'
import type { Static, TSchema } from 'typebox'
import type { SqlViewer } from '#platform/access/viewer.ts'
import type { Visibility } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { ExtensionPoint } from '#platform/extension-point.ts'
import type { Audience, PresentOptions } from './audience.ts'
import type { ProjectDetails, ProjectExtras, ProjectSimpleFields } from './fields.ts'
import type { StoredSettings } from './project-settings.ts'

/** The parameters that features add to creating and changing a project. Each feature adds its own to this interface. */
export interface ExtensionParameters {}

/** The columns that features add to queries of projects. Each feature adds its own to this interface. */
export interface ExtensionColumns {}

/** The fields that features add to the entity. Each feature adds its own to this interface. */
export interface ExtensionFields {}

/** Parameters or fields by name. */
export type Schemas = Readonly<Record<string, TSchema>>

/** For the interfaces of parameters and fields: their values. */
export type ValuesOf<S extends Schemas> = { readonly [Name in keyof S]: Static<S[Name]> }

/** A column of an extension, under its name. */
export type ExtensionColumn = {
  [Name in keyof ExtensionColumns]: AliasedRawBuilder<ExtensionColumns[Name], Name>
}[keyof ExtensionColumns]

/** The condition of a query of projects for the viewer having at least a level there, which the query knows anyway. */
export type HasLevel = (level: number) => RawBuilder<boolean>

/** What an extension knows of a project that it presents. */
export interface PresentedProject extends ExtensionColumns {
  readonly id: number
  readonly full_path: string
  readonly visibility: Visibility
  readonly settings: StoredSettings
  readonly archived_here: boolean
  /** The access levels of the viewer: as a member of the project, and through groups and shares. */
  readonly direct_level: number
  readonly inherited_level: number
}

/** A project that this transaction has just created. */
export interface CreatedProject {
  readonly id: number
  readonly namespace_id: number
  readonly name: string
  readonly full_path: string
  readonly description: string | null
  readonly visibility: Visibility
  readonly settings: StoredSettings
}

/** A project that this transaction changes; its namespace is locked. */
export type ChangedProject = Pick<CreatedProject, 'id' | 'namespace_id'>

/** What a feature of a higher district adds to projects. */
export interface ProjectExtension {
  /**
   * Optional parameters that it adds to creating and changing a project. It also takes over a parameter that is refused
   * until a feature brings it (further-parameters.ts): its name here ends the refusal.
   */
  readonly parameters?: { readonly creation?: Schemas; readonly changes?: Schemas }
  /**
   * Refuses what can be refused without the database, and may wait for other programs. It runs before the transaction.
   * @param asked the parameters of all extensions, as far as the request has them
   */
  check?(asked: ExtensionParameters, req: FastifyRequest): void | Promise<void>
  /**
   * Runs last in the transaction that creates the project, also when no request asked for one. What it throws undoes
   * all. Its locks come where what the write changes has its place (docs/decisions/0014-write-protocol.md).
   */
  afterCreation?(tx: Tx, project: CreatedProject, asked: ExtensionParameters): Promise<void>
  /** The same, in the transaction of `PUT /projects/:id`. */
  afterChange?(tx: Tx, project: ChangedProject, asked: ExtensionParameters): Promise<void>
  /**
   * What presenting needs to know, as columns for queries of projects (`p`, with their `namespaces` as `n`). A page of
   * projects stays one statement. Its text may depend on the viewer only as `visibleTo` does.
   * @param has whether the viewer has at least a level in the project.
   */
  columns?(viewer: SqlViewer, has: HasLevel): readonly ExtensionColumn[]
  /** The condition, in queries of projects (`p`), for those that came from elsewhere: the filter `imported`. */
  readonly imported?: RawBuilder<boolean>
  /** The condition, in queries of projects (`p`), for those whose repository is on a storage. */
  storedAt?(storage: string): RawBuilder<boolean>
  /** Fields that it adds to projects as signed-in callers see them. */
  readonly fields?: Schemas
  /** The values of these fields. It may also replace values of fields that projects present themselves. */
  present?(
    project: PresentedProject,
    audience: Audience,
    wanted: PresentOptions,
  ): Partial<ProjectDetails & ProjectExtras & ExtensionFields>
  /** The numbers of the levels of notifications that the viewer chose for the project and for its groups. */
  notificationLevels?(project: PresentedProject): { readonly project: number; readonly group: number }
  /** Replaces values of fields that everybody sees. */
  presentSimple?(
    project: PresentedProject,
    audience: Audience,
    wanted: PresentOptions,
  ): Partial<ProjectSimpleFields & ProjectExtras>
}

export const projectExtensions = new ExtensionPoint<ProjectExtension>('the list of extensions of projects')

/**
 * The schemas of several features as one record.
 * @throws when two features, or a feature and projects themselves, have the same name.
 */
export function onlyOnce(all: readonly Schemas[], own: readonly string[]): Record<string, TSchema> {
  const entries = all.flatMap((schemas) => Object.entries(schemas))
  const names = [...own, ...entries.map(([name]) => name)]
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new Error(`projects have ${twice} twice`)
  return Object.fromEntries(entries)
}
