import type { FastifyReply } from 'fastify'
import { presentCommits } from '#code/commits/present.ts'
import { type Found, grep, type SearchBounds } from '#code/git/grep.ts'
import { grepMessages } from '#code/git/grep-messages.ts'
import { requestedCommit } from '#code/repositories/requested.ts'
import type { RepositoryOwner, StoredRepository } from '#code/repositories/rows.ts'
import { ownerOf } from '#code/wikis/wiki.ts'
import { orNotFound } from '#platform/or-not-found.ts'
import { paginateFrom, paginateNothing, type PageRange } from '#platform/http/pagination.ts'
import { presentBlob } from './blob-entity.ts'
import type { Finder, SearchRequest } from './request.ts'

/** How many places or commits a search finds at most, on all its pages together. */
const MOST = 1_000
/** Milliseconds that git may search. */
const TIME = 1_000

export const findBlobs: Finder = (req, reply) => {
  const project = req.project()
  const owner = { kind: 'project', project: project.container.id } as const
  return project.can('download_code') ? inFiles(req, reply, owner) : nothing(req, reply)
}

export const findWikiBlobs: Finder = (req, reply) => {
  const project = req.project()
  const owner = ownerOf('project', project.container.id)
  return project.can('read_wiki') ? inFiles(req, reply, owner) : nothing(req, reply)
}

export const findCommits: Finder = async (req, reply) => {
  const project = req.project()
  const { id } = project.container
  if (!project.can('download_code')) return nothing(req, reply)
  const searched = await searchedIn(req, { kind: 'project', project: id })
  if (searched === undefined) return nothing(req, reply)
  const { repository, commit } = searched
  const rows = await page(req, reply, async ({ skip, limit }) => {
    const bounds = { skip, most: Math.min(limit, MOST - skip), time: TIME }
    return grepMessages(repository, commit, req.query.search, bounds)
  })
  const presented = await presentCommits(req, repository, rows)
  return presented.map((one) => ({ ...one, project_id: id }))
}

const nothing: Finder = async (req, reply) => paginateNothing(req, reply)

async function inFiles(req: SearchRequest, reply: FastifyReply, owner: RepositoryOwner) {
  const searched = await searchedIn(req, owner)
  if (searched === undefined) return paginateNothing(req, reply)
  const { repository, commit, ref } = searched
  const rows = await page(req, reply, async ({ skip, limit }) => {
    const bounds: SearchBounds = { most: Math.min(skip + limit, MOST), time: TIME }
    const { rows: all, isWhole } = await grep(repository, commit, req.query.search, bounds)
    return { rows: all.slice(skip), isWhole, ...(isWhole && { total: all.length }) }
  })
  const at = { ref, project_id: req.project().container.id }
  return rows.map((row) => presentBlob(row, at))
}

interface Searched {
  readonly repository: StoredRepository
  readonly commit: string
  readonly ref: string
}

/**
 * The commit in which a request searches. Undefined in a repository without one.
 * @throws 404 when the request names another one that does not exist
 */
async function searchedIn(req: SearchRequest, owner: RepositoryOwner): Promise<Searched | undefined> {
  const repository = await req.server.services.repositories.find(owner)
  if (repository === undefined || repository.row.branch_count + repository.row.tag_count === 0)
    return undefined
  const { ref = '' } = req.query
  const commit = await requestedCommit(repository, ref)
  if (ref !== '') return { repository, commit: orNotFound(commit, 'Commit'), ref }
  return commit === undefined
    ? undefined
    : { repository, commit, ref: repository.row.default_branch ?? commit }
}

/** A page of what git finds. A header says when there may be more than that. */
function page<Row>(
  req: SearchRequest,
  reply: FastifyReply,
  find: (range: PageRange) => Promise<Found<Row> & { readonly total?: number }>,
): Promise<Row[]> {
  return paginateFrom(req, reply, async (range) => {
    const { skip, limit } = range
    const isBeyond = skip >= MOST
    const found = isBeyond ? { rows: [], isWhole: false } : await find(range)
    const isFull = found.rows.length === limit
    const reachesEnd = skip + found.rows.length >= MOST
    if (isBeyond || reachesEnd || !(found.isWhole || isFull)) reply.header('x-search-incomplete', 'true')
    return found
  })
}
