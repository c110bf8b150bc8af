import { NO_OBJECT } from '#code/git/names.ts'
import { newPaths } from '#code/git/new-paths.ts'
import type { ReferenceRule, RuleContext, RuledChange } from '#code/repositories/rules.ts'
import { type LfsLock, locksOfOthers } from './queries.ts'

type KnownLock = Pick<LfsLock, 'path' | 'username'>

/** Refuses commits that change a file which somebody else has locked. Nothing is asked of git unless somebody has. */
export const lockRule: ReferenceRule = {
  async refusals(changes, context) {
    const { row, db, changer } = context
    const ahead = changes.filter(({ after }) => after !== NO_OBJECT)
    if (!row.lfs_locked || row.project_id === null || row.kind !== 'project' || ahead.length === 0)
      return new Map()
    const first = await locksOfOthers(db, row.project_id, changer.userId, { limit: FEW + 1 })
    if (first.length === 0) return new Map()
    const find = lockFinder(context, row.project_id, first)
    const lock = await find(ahead)
    if (lock === undefined) return new Map()
    if (ahead.length === 1 || ahead.length > ONE_BY_ONE)
      return new Map(ahead.map(({ ref }) => [ref, refusalFor(lock)]))
    const refused = new Map<string, string>()
    for (const change of ahead) {
      const own = await find([change])
      if (own !== undefined) refused.set(change.ref, refusalFor(own))
    }
    return refused
  },
}

const refusalFor = ({ path, username }: KnownLock): string =>
  `the path '${path}' is locked in Git LFS by @${username}`

/** So many locks are looked for by their names alone; for more, all changed files are compared with the locks. */
const FEW = 100
/** How many changes are looked at one by one to tell which of them touch a locked file. */
const ONE_BY_ONE = 20
/** Changed files that one statement compares. */
const AT_ONCE = 1_000

/** Finds a lock of somebody else on a file that the new commits of changes change. */
function lockFinder(
  { db, repository, changer }: RuleContext,
  projectId: number,
  first: readonly KnownLock[],
) {
  const isAll = first.length <= FEW
  const byPath = new Map(first.map((lock) => [lock.path, lock]))
  const lockAmong = async (paths: ReadonlySet<string>): Promise<KnownLock | undefined> => {
    for (const path of paths) if (byPath.has(path)) return byPath.get(path)
    if (isAll) return undefined
    const [found] = await locksOfOthers(db, projectId, changer.userId, { limit: 1, paths: [...paths] })
    return found
  }
  return async (changes: readonly RuledChange[]): Promise<KnownLock | undefined> => {
    const ids = [...new Set(changes.map(({ after }) => after))]
    const some = new Set<string>()
    for await (const path of newPaths(repository, ids, isAll ? { among: [...byPath.keys()] } : {})) {
      some.add(path)
      if (some.size < AT_ONCE) continue
      const found = await lockAmong(some)
      if (found !== undefined) return found
      some.clear()
    }
    return lockAmong(some)
  }
}
