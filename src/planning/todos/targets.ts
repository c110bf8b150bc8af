import type { FastifyRequest } from 'fastify'
import type { RawBuilder } from 'kysely'
import type { TSchema } from 'typebox'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { ExtensionPoint } from '#platform/extension-point.ts'

/** What presenters of targets need to know of a request. */
export type TodoRequest = Pick<FastifyRequest, 'viewer' | 'site' | 'server'>

/** Something that a to-do is about, as one of its viewers sees it. */
export interface TodoSubject {
  readonly id: number
  readonly title: string
  /** The size in bytes of the texts that it was read without. */
  readonly lacks: number
  /** As the API presents it, named by its full path wherever it is shown. */
  present(req: TodoRequest): object & { readonly web_url: string }
}

/** A kind of noteables that to-dos are about. The feature that owns the kind adds it. */
export interface TodoTarget {
  /** The name of the kind of noteables. */
  readonly kind: string
  /** `target_type` in the API. */
  readonly type: string
  readonly entity: TSchema
  /** Whether what to-dos show of a noteable was kept, where that is somewhere else than in its row. */
  readonly kept?: (id: RawBuilder<number>) => RawBuilder<boolean>
  /**
   * Reads those of the noteables with these ids that the viewer may see.
   * @param longest the largest size in bytes of a long text; longer ones are left out.
   */
  read(
    db: Db | Tx['db'],
    viewer: Viewer,
    ids: readonly number[],
    longest?: number,
  ): Promise<readonly TodoSubject[]>
}

/** Everything that to-dos can be about. */
export const todoTargets = new ExtensionPoint<TodoTarget>('the list of what to-dos are about')

/** The target with this name of a kind. */
export function todoTarget(kind: string): TodoTarget {
  const target = todoTargets.entries.find((one) => one.kind === kind)
  if (target === undefined) throw new Error(`To-dos are not about the kind ${kind}`)
  return target
}
