import { transact } from '#platform/db/transaction.ts'
import { NotFound, Refusal } from '#platform/refusals.ts'
import { openDestination } from '#tenancy/projects/destination.ts'
import { requestProject } from '#tenancy/projects/request-project.ts'
import { type GitAccess, type GitCaller, gitRepositories } from './access.ts'
import { authorizeRepository } from './authorize-repository.ts'

/**
 * Authorizes a push. Where nothing is, a private project is made, if the person may make projects there.
 * @param base what its path and `.git` follow in the address of a remote
 * @throws what {@link authorizeRepository} throws; the same 404 for a path that is taken, and one where the person may make nothing
 */
export async function authorizePush(caller: GitCaller, path: string, base: string): Promise<GitAccess> {
  try {
    return await authorizeRepository(caller, path, 'git-receive-pack')
  } catch (error) {
    const wish = error instanceof NotFound ? readWish(caller, path) : undefined
    if (wish === undefined) throw error
    const made = await make(wish, 'keep')
    // Somebody else may have made it just now.
    const access = await authorizeRepository(caller, path, 'git-receive-pack')
    return made === undefined ? access : { ...access, remarks: remarksOn(caller.site, made, base) }
  }
}

/**
 * Authorizes somebody who is about to push, and makes nothing.
 * @returns undefined where {@link authorizePush} would make a project
 * @throws the same
 */
export async function authorizeComingPush(caller: GitCaller, path: string): Promise<GitAccess | undefined> {
  try {
    return await authorizeRepository(caller, path, 'git-receive-pack')
  } catch (error) {
    const wish = error instanceof NotFound ? readWish(caller, path) : undefined
    if (wish === undefined) throw error
    if ((await make(wish, 'undo')) !== undefined) return undefined
    // Somebody else may have made it just now.
    return authorizeRepository(caller, path, 'git-receive-pack')
  }
}

/** A project that somebody who pushes would like to have. */
interface Wish {
  readonly caller: GitCaller
  readonly userId: number
  readonly namespace: string
  readonly path: string
}

/** Undefined for strangers, and for paths that no project has. */
function readWish(caller: GitCaller, path: string): Wish | undefined {
  const [, namespace = '', name = ''] = /^(.+)\/([^/]+)$/s.exec(path) ?? []
  // Digits alone would be the id of a namespace.
  if (caller.user === undefined || name === '' || /^\d+$|\0/.test(namespace)) return undefined
  if (gitRepositories.entries.some((kind) => kind.named(path))) return undefined
  return { caller, userId: caller.user.id, namespace, path: name }
}

/** Undoes a transaction that was only to find out whether it is possible. */
class Possible extends Error {
  override readonly name = 'Possible'
  readonly path: string
  constructor(path: string) {
    super('a project can be made')
    this.path = path
  }
}

/**
 * Makes a project by the code of the API, so that its rights and limits apply.
 * @returns its path; undefined where it cannot be made: nobody learns why, as a project in the way may be secret.
 */
async function make(wish: Wish, then: 'keep' | 'undo'): Promise<string | undefined> {
  const { services, viewer, by } = wish.caller
  try {
    return await transact(services, by, async (tx) => {
      const { id } = await openDestination(tx, viewer, wish.namespace)
      const requester = { viewer: { ...viewer, id: wish.userId }, policy: services.settings() }
      const wishes = { namespace_id: id, path: wish.path, name: wish.path, visibility: 'private' } as const
      const { full_path } = await requestProject(tx, requester, wishes)
      if (then === 'undo') throw new Possible(full_path)
      return full_path
    })
  } catch (error) {
    if (error instanceof Possible) return error.path
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** What somebody reads whose push has made a project. */
const remarksOn = (site: string, path: string, base: string): readonly string[] => [
  '',
  `The private project ${path} was created.`,
  '',
  'To configure the remote, run:',
  `  git remote add origin ${base}${path}.git`,
  '',
  'To view the project, visit:',
  `  ${site}/${path}`,
  '',
]
