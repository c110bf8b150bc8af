import { type Static, type TObject, Type } from 'typebox'
import { Check } from 'typebox/schema'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { StoredFile } from '#platform/files/files.ts'
import { ArchiveRefused } from './errors.ts'

/** The project that an archive is made of, or read into. */
export interface ArchivedProject {
  readonly id: number
  readonly namespace_id: number
  /** From the root group down to itself. */
  readonly traversal_ids: readonly number[]
}

/** The files that an archive brought, by the SHA-256 of their bytes. Rows may name no others: whoever wrote them may not have those. */
export type ArchivedFiles = ReadonlyMap<string, Pick<StoredFile, 'id' | 'size'>>

/** One kind of rows in an archive: a file with a line of JSON for each. */
export interface ArchivePart {
  /** The name of the file is this, with `.ndjson`. */
  readonly name: string
  /** How many rows an archive may have. */
  readonly most: number
  /** All rows of a project, in some at a time. */
  read(db: Db, project: ArchivedProject): AsyncIterable<readonly unknown[]>
  /** Writes some rows of an archive into a new project. @throws {ArchiveRefused} for those that are not as they should be */
  write(tx: Tx, project: ArchivedProject, rows: readonly unknown[], files: ArchivedFiles): Promise<void>
}

type Identified<Row extends TObject> = Static<Row> & { readonly id: number }

interface Definition<Row extends TObject> extends Pick<ArchivePart, 'name' | 'most'> {
  readonly row: Row
  /** The rows after the last one read, in an order of their own; the first ones when it is undefined. */
  readAfter(
    db: Db,
    project: ArchivedProject,
    last: Identified<Row> | undefined,
  ): Promise<readonly Identified<Row>[]>
  write(tx: Tx, project: ArchivedProject, rows: readonly Static<Row>[], files: ArchivedFiles): Promise<void>
}

export function definePart<const Row extends TObject>(part: Definition<Row>): ArchivePart {
  const { name, most, row } = part
  return {
    name,
    most,
    async *read(db, project) {
      let last: Identified<Row> | undefined
      for (;;) {
        const found = await part.readAfter(db, project, last)
        last = found.at(-1)
        if (last === undefined) return
        yield found.map(withoutId)
      }
    },
    async write(tx, project, rows, files) {
      const read: Static<Row>[] = []
      for (const one of rows) {
        if (!Check(row, one)) throw new ArchiveRefused(`The archive has ${name} that cannot be read`)
        read.push(one)
      }
      await part.write(tx, project, read, files)
    },
  }
}

/** Ids mean nothing elsewhere. */
const withoutId = (row: object) => Object.fromEntries(Object.entries(row).filter(([name]) => name !== 'id'))

/** A moment as exports write it, so that no other word of PostgreSQL for a time is accepted. */
export const archivedMoment = () =>
  Type.String({ pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$` })
export const archivedDay = () =>
  Type.Union([Type.Null(), Type.String({ pattern: String.raw`^\d{4}-\d\d-\d\d$` })])
