import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Action } from '../../oci/bearer.ts'
import { nameUnknown } from '../../oci/errors.ts'
import type { RecentBytes } from '../../oci/recent-bytes.ts'
import type { RepositoryAccess } from '../authorize.ts'
import { findRepository } from '../repositories.ts'

/** A request of a client of registries. */
export interface Exchange {
  readonly req: FastifyRequest
  readonly reply: FastifyReply
  readonly services: FastifyInstance['services']
  readonly recent: RecentBytes
  /** The ids of uploads whose pieces this process is joining. */
  readonly ending: Set<string>
  /** Identifies the caller and authorizes them for a repository. */
  readonly authorize: (name: string, action: Action) => Promise<RepositoryAccess>
  /** Authorizes the caller for another repository by the token that they have sent; undefined when it is not for that. */
  readonly authorizeOther: (name: string) => Promise<RepositoryAccess | undefined>
}

/** The query, with each parameter as it was sent. */
export const queryOf = ({ raw }: FastifyRequest): URLSearchParams =>
  new URLSearchParams((raw.url ?? '').split('?')[1] ?? '')

/** @throws 404 for a repository to which nothing was pushed */
export async function repositoryOf({ services }: Exchange, access: RepositoryAccess): Promise<number> {
  const id = await findRepository(services.db, access)
  if (id === undefined) throw nameUnknown()
  return id
}
