import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { projectRule } from '#platform/access/abilities.ts'
import { outside } from '#platform/access/route-access.ts'
import { transact } from '#platform/db/transaction.ts'
import { raw } from '#platform/http/body-kind.ts'
import { text } from '#platform/http/schema.ts'
import { NotAllowed, NotFound } from '#platform/refusals.ts'
import { authorizeGit } from '#code/git-http/authorize-git.ts'
import { GIT } from '#code/git-http/paths.ts'
import type { GitAccess } from '#code/git-transport/access.ts'
import { presentLock } from './entity.ts'
import { sendLfs } from '#code/lfs/answers.ts'
import { writeLfsError } from '#code/lfs/errors.ts'
import { lockFile } from './lock-file.ts'
import { lfsProject, type LfsProject } from '#code/lfs/lfs-project.ts'
import {
  cursorOf,
  limitOf,
  ListQuery,
  LockBody,
  lockId,
  MOST_BODY,
  repositoryPath,
  UnlockBody,
  VerifyBody,
} from './parameters.ts'
import { bodyAs } from '#code/lfs/read-body.ts'
import { listLocks } from './queries.ts'
import { unlockFile } from './unlock-file.ts'

const params = Type.Object({ project: text({ max: 8_192 }) })
const lockParams = Type.Object({ project: text({ max: 8_192 }), lock: text({ max: 255 }) })
const LOCKS = `${GIT}/info/lfs/locks`

const NO_LOCKING = 'You may not lock files of this project: that takes the Developer role.'
const NOBODY = 'Only people lock files, and these credentials belong to none.'

/** The locking API of Git LFS. */
export const lfsLockRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { services } = app
  const errorHandler = writeLfsError
  // Clients name a content type with every request.
  const config = { ...outside, ...raw(MOST_BODY) }

  app.get(
    LOCKS,
    { config, schema: { params, querystring: ListQuery }, errorHandler, exposeHeadRoute: false },
    async (req, reply) => {
      const access = await authorizeGit(req, req.params.project, 'git-upload-pack')
      const project = await lfsProject(services.db, access)
      const { id, path, cursor, limit } = req.query
      const wanted = id === undefined || id === '' ? undefined : (lockId(id) ?? 0)
      const { locks, next } = await listLocks(services.db, project.id, {
        id: wanted,
        path: path === undefined || path === '' ? undefined : repositoryPath(path),
        after: cursorOf(cursor),
        limit: limitOf(limit),
      })
      return sendLfs(reply, 200, { locks: locks.map(presentLock), ...nextPage(next) })
    },
  )

  app.post(LOCKS, { config, schema: { params }, errorHandler }, async (req, reply) => {
    const { project, access, user } = await authorizeLocking(req, req.params.project)
    const path = repositoryPath((await bodyAs(req, LockBody)).path)
    const { lock, wasLocked } = await transact(services, access.by, (tx) => lockFile(tx, project, user, path))
    if (!wasLocked) return sendLfs(reply, 201, { lock: presentLock(lock) })
    const message = `'${lock.path}' is locked by @${lock.username} already`
    return sendLfs(reply, 409, { lock: presentLock(lock), message, request_id: req.id })
  })

  app.post(`${LOCKS}/verify`, { config, schema: { params }, errorHandler }, async (req, reply) => {
    const access = await authorizeGit(req, req.params.project, 'git-receive-pack')
    const project = await lfsProject(services.db, access)
    const { cursor, limit } = await bodyAs(req, VerifyBody)
    const page = { after: cursorOf(cursor), limit: limitOf(limit) }
    const { locks, next } = await listLocks(services.db, project.id, page)
    const isOurs = ({ user_id }: { readonly user_id: number }) => user_id === access.userId
    return sendLfs(reply, 200, {
      ours: locks.filter(isOurs).map(presentLock),
      theirs: locks.filter((lock) => !isOurs(lock)).map(presentLock),
      ...nextPage(next),
    })
  })

  app.post(
    `${LOCKS}/:lock/unlock`,
    { config, schema: { params: lockParams }, errorHandler },
    async (req, reply) => {
      const { project, access, user } = await authorizeLocking(req, req.params.project)
      const { force } = await bodyAs(req, UnlockBody)
      const id = lockId(req.params.lock)
      if (id === undefined) throw new NotFound('Lock not found')
      const mayForce = projectRule('admin_lfs_lock')(access.accessContext)
      const how = { userId: user.id, force: force === true, mayForce }
      const lock = await transact(services, access.by, (tx) => unlockFile(tx, project, id, how))
      return sendLfs(reply, 200, { lock: presentLock(lock) })
    },
  )
}

interface LockingAccess {
  readonly project: LfsProject
  readonly access: GitAccess
  readonly user: { readonly id: number; readonly username: string }
}

/** Lets people lock files who may push to any branch that is not protected. */
async function authorizeLocking(req: FastifyRequest, path: string): Promise<LockingAccess> {
  const access = await authorizeGit(req, path, 'git-receive-pack')
  const project = await lfsProject(req.server.services.db, access)
  if (access.person === undefined) throw new NotAllowed(NOBODY)
  if (!projectRule('push_code')(access.accessContext)) throw new NotAllowed(NO_LOCKING)
  return { project, access, user: access.person.user }
}

const nextPage = (next: number | undefined) => (next === undefined ? {} : { next_cursor: String(next) })
