import type { FastifyRequest } from 'fastify'
import type { RawBuilder } from 'kysely'
import { type TSchema, Type } from 'typebox'
import type { ProjectAbility } from '#platform/access/abilities.ts'
import type { AuthorizedProject } from '#platform/access/authorize.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { Fact } from '#platform/facts/fact.ts'
import { ById } from '#platform/http/schema.ts'
import type { KindIdentity } from '../identity.ts'

/** The fields of an item that is read to be changed. */
export interface ItemRow {
  readonly id: number
  readonly namespace_id: number
  /** In seconds, as the next one. */
  readonly time_estimate: number
  readonly total_time_spent: number
  /** Whether the viewer is subscribed: by choice or because they take part. */
  readonly subscribed: boolean
}

type Find<On> = (
  on: On,
  viewer: Viewer,
  authorized: AuthorizedProject,
  iid: number,
) => Promise<{ readonly id: number }>

/**
 * A kind of noteables of projects that people take part in, subscribe to, put on their to-do lists and spend time on. The
 * routes for all of that are made from this description (../define-kind.ts). Its table has the estimated and the spent time.
 */
export interface ItemKind<Row extends ItemRow = ItemRow> extends KindIdentity {
  readonly abilities: Readonly<Record<'read' | 'subscribe' | 'trackTime', ProjectAbility>>
  /** Finds one that the viewer may see. @throws 404 */
  readonly findBare: Find<Db | Tx['db']>
  find(on: Db | Tx['db'], viewer: Viewer, authorized: AuthorizedProject, iid: number): Promise<Row>
  lock(tx: Tx, viewer: Viewer, authorized: AuthorizedProject, iid: number): Promise<Row>
  /** A query for the ids of the users who wrote it or work on it. */
  people(id: number): RawBuilder<unknown>
  /** Who these are, in words. */
  readonly participants: string
  /** The domain events of its times, in seconds. */
  readonly facts: {
    estimated(item: Row, seconds: number): Fact
    /** @param seconds null when all of it was removed */
    spent(item: Row, seconds: number | null): Fact
  }
  readonly entity: TSchema
  present(req: FastifyRequest, row: Row): unknown
}

type ByItem = { readonly id: string } & Readonly<Record<string, number | string>>

/** The parameters of the path of an item. */
export const byItem = ({ key }: Pick<ItemKind, 'key'>) =>
  Type.Unsafe<ByItem>(Type.Object({ ...ById.properties, [key.param]: key.schema }))

/** The number of the item that a path names. */
export const iidIn = (params: ByItem, { key }: Pick<ItemKind, 'key'>): number => Number(params[key.param])
