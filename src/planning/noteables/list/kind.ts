import { type RawBuilder, sql } from 'kysely'
import type { AuthorizedProject } from '#platform/access/authorize.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { ProjectSelection } from '#platform/access/visible-projects.ts'
import type { ListOrder } from '#platform/http/order.ts'
import type { Condition } from './condition.ts'

/**
 * A kind of noteables whose lists are found in the way of docs/decisions/0017-lists-of-issues.md. Statements have its table as
 * `i`, for item.
 */
export interface ListedKind {
  /** As `noteables` has it. */
  readonly name: string
  readonly table: string
  /** The tables of its relations, and the column in them that has the id of the item. */
  readonly relations: {
    readonly key: string
    readonly labels: string
    readonly assignees: string
    readonly search: string
  }
  /** The columns that filters and orders read. */
  readonly columns: readonly string[]
  readonly order: ListOrder
  /** In which projects the caller sees items, and from which role on they see all. */
  projects(viewer: Viewer): Pick<ProjectSelection, 'feature' | 'trusts' | 'where'>
  /** Whether the caller sees all items of a project. */
  readsAll(authorized: AuthorizedProject): boolean
  /** Which items those callers see who do not see all; absent when everybody sees all. */
  readonly openTo?: (viewer: Viewer) => Condition
}

/** The names of a kind's tables, for statements. */
export const tablesOf = ({ table, relations }: ListedKind) => ({
  items: sql.table(table),
  key: sql.ref(relations.key),
  labels: sql.table(relations.labels),
  search: sql.table(relations.search),
})

/** People of items: rows of the ids of users, and of items in the column `key`. */
export interface PeopleTable {
  readonly rows: RawBuilder<unknown>
  readonly key: string
}

/** The people whom items are assigned to. */
export const assigneesOf = ({ relations: { key, assignees } }: ListedKind): PeopleTable => ({
  key,
  rows: sql.table(assignees),
})
