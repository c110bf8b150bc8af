import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { admin, group, project, type Subject, type Tier } from '#platform/access/route-access.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { orNotFound } from '#platform/or-not-found.ts'
import { paginate } from '#platform/http/pagination.ts'
import type { PagedRequest } from '#platform/http/order.ts'
import { ById } from '#platform/http/schema.ts'
import {
  GroupStorageMove,
  presentGroupMove,
  presentProjectMove,
  presentSnippetMove,
  type Sites,
  ProjectStorageMove,
  SnippetStorageMove,
} from './entity.ts'
import { findOwner } from './find-owner.ts'
import type { MoveOwner, OwnerKind } from './owners.ts'
import { ByMoveOf, ByMoveOfSnippet, BySnippet } from './parameters.ts'
import { moveOrder, movesOfGroups, movesOfProjects, movesOfSnippets, withSnippets } from './queries.ts'

/** A wiki of a group needs a plan, and hosted offerings have no storages of their own. */
const groupTier: Tier = {
  licensedArea: 'Group repository storage moves',
  plan: 'premium',
  offerings: ['self-managed', 'dedicated'],
}

type Move =
  | Static<typeof ProjectStorageMove>
  | Static<typeof GroupStorageMove>
  | Static<typeof SnippetStorageMove>

/** A list of moves, or one of them: those of one owner, or all of a kind. */
export interface MovesOf {
  readonly owner: number | undefined
  readonly id?: number
}

/** What tells moves of projects, groups and snippets from each other. */
export interface MoveKind {
  readonly kind: OwnerKind
  /** Who may use the routes of one owner. */
  readonly subject: Subject
  readonly access: { readonly tier?: Tier }
  readonly params: typeof ById | typeof BySnippet
  readonly oneParams: typeof ByMoveOf | typeof ByMoveOfSnippet
  readonly Entity: typeof ProjectStorageMove | typeof GroupStorageMove | typeof SnippetStorageMove
  /** The owner that a route names. */
  readonly idOf: (req: FastifyRequest) => number
  readonly list: (req: PagedRequest & FastifyRequest, reply: FastifyReply, of: MovesOf) => Promise<Move[]>
  readonly find: (db: Db | Tx['db'], of: MovesOf, sites: Sites) => Promise<Move | undefined>
}

const projects: MoveKind = {
  kind: 'project',
  subject: project('move_repository_storage'),
  access: {},
  params: ById,
  oneParams: ByMoveOf,
  Entity: ProjectStorageMove,
  idOf: (req) => req.project().container.id,
  list: async (req, reply, { owner }) => {
    const moves = movesOfProjects(req.server.db)
    const rows = await paginate(
      req,
      reply,
      owner === undefined
        ? moves.where('m.project_id', 'is not', null)
        : moves.where('m.project_id', '=', owner),
      moveOrder,
    )
    return rows.map(presentProjectMove)
  },
  find: async (db, { owner, id = 0 }) => {
    const row = await movesOfProjects(db)
      .where('m.id', '=', id)
      .$if(owner !== undefined, (q) => q.where('m.project_id', '=', owner ?? 0))
      .executeTakeFirst()
    return row && presentProjectMove(row)
  },
}

const groups: MoveKind = {
  kind: 'group',
  subject: group('move_repository_storage'),
  access: { tier: groupTier },
  params: ById,
  oneParams: ByMoveOf,
  Entity: GroupStorageMove,
  idOf: (req) => req.group().container.id,
  list: async (req, reply, { owner }) => {
    const moves = movesOfGroups(req.server.db)
    const rows = await paginate(
      req,
      reply,
      owner === undefined ? moves.where('m.group_id', 'is not', null) : moves.where('m.group_id', '=', owner),
      moveOrder,
    )
    return rows.map((row) => presentGroupMove(row, req))
  },
  find: async (db, { owner, id = 0 }, sites) => {
    const row = await movesOfGroups(db)
      .where('m.id', '=', id)
      .$if(owner !== undefined, (q) => q.where('m.group_id', '=', owner ?? 0))
      .executeTakeFirst()
    return row && presentGroupMove(row, sites)
  },
}

const snippets: MoveKind = {
  kind: 'snippet',
  subject: admin,
  access: {},
  params: BySnippet,
  oneParams: ByMoveOfSnippet,
  Entity: SnippetStorageMove,
  idOf: ({ params }) => {
    const id: unknown = typeof params === 'object' && params !== null ? Reflect.get(params, 'id') : undefined
    if (typeof id !== 'number') throw new Error('The path names no snippet')
    return id
  },
  list: async (req, reply, { owner }) => {
    const { db } = req.server
    if (owner !== undefined) await ownerFor(db, 'snippet', owner)
    const moves = movesOfSnippets(db)
    const rows = await paginate(
      req,
      reply,
      owner === undefined
        ? moves.where('m.snippet_id', 'is not', null)
        : moves.where('m.snippet_id', '=', owner),
      moveOrder,
    )
    return (await withSnippets(db, rows)).map((row) => presentSnippetMove(row, req))
  },
  find: async (db, { owner, id = 0 }, sites) => {
    const rows = await movesOfSnippets(db)
      .where('m.id', '=', id)
      .$if(owner !== undefined, (q) => q.where('m.snippet_id', '=', owner ?? 0))
      .execute()
    const [row] = await withSnippets(db, rows)
    return row && presentSnippetMove(row, sites)
  },
}

export const moveKinds: readonly MoveKind[] = [projects, groups, snippets]

const ownerNouns = { project: 'Project', group: 'Group', snippet: 'Snippet' } as const

/** @throws 404 when it is gone */
export async function ownerFor(db: Db | Tx['db'], kind: OwnerKind, id: number): Promise<MoveOwner> {
  return orNotFound(await findOwner(db, { kind, id }), ownerNouns[kind])
}

export const listOf = (Entity: MoveKind['Entity']) => Type.Array(Entity)
