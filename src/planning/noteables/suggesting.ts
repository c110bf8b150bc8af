import type { FastifyRequest } from 'fastify'
import type { RawBuilder } from 'kysely'
import { type Static, Type } from 'typebox'
import type { Tx } from '#platform/db/transaction.ts'
import { entity, integer } from '#platform/http/schema.ts'
import type { NotePosition } from './position.ts'

/** What a note suggests to write instead of some lines. */
export const Suggestion = entity('Suggestion', {
  id: integer(),
  from_line: integer({ description: 'The first line, as the file is now.' }),
  to_line: integer({ description: 'The last line.' }),
  appliable: Type.Boolean({ description: 'Whether the lines are still there, and it can be applied.' }),
  applied: Type.Boolean(),
  from_content: Type.String({ description: 'The lines as they were when it was suggested.' }),
  to_content: Type.String({ description: 'What is suggested instead; blank to remove the lines.' }),
})
export type Suggestion = Static<typeof Suggestion>

/** A suggestion that a text makes. */
export interface NewSuggestion {
  readonly path: string
  /** The commit in which the file has these lines. */
  readonly at_sha: string
  readonly from_line: number
  readonly to_line: number
  readonly from_content: string
  readonly to_content: string
  readonly outdated: boolean
  readonly branch_gone: boolean
}

/** Where a note stands, for those who have to know. */
export type StandsAt = () => Promise<NotePosition | null | undefined>

/** How notes on the diff of a noteable suggest changes of it. */
export interface Suggesting {
  /** What a text suggests for where it stands. It may ask git, so no transaction is open. */
  read(
    req: Pick<FastifyRequest, 'viewer' | 'project' | 'server'>,
    on: { readonly key: number | string },
    body: string,
    standsAt: StandsAt,
  ): Promise<readonly NewSuggestion[]>
  /** Gives them to a note, instead of those that it has and nobody has applied. */
  write(
    tx: Tx,
    on: { readonly id: number },
    noteId: number,
    suggestions: readonly NewSuggestion[],
  ): Promise<void>
  /** A query for those of a note, as a JSON array; null for none. */
  of(note: RawBuilder<number>): RawBuilder<readonly Suggestion[] | null>
}
