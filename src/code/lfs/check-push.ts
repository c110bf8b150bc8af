import type { ArrivalCheck } from '#code/git-transport/arrival-checks.ts'
import { adoptObjects } from './adopt-objects.ts'
import { usesLfs } from './lfs-project.ts'
import { pointersAmong } from './pointers.ts'
import { objectsOf } from './queries.ts'

/** Objects that one statement looks up. */
const AT_ONCE = 1_000

/**
 * Refuses a push whose LFS pointers name objects that nobody has uploaded to the project: whoever clones it would miss them. Git is
 * asked only when files have arrived that are as small as pointers.
 */
export const missingObjects: ArrivalCheck = {
  async refuse({ repository, small, access, services, signal }) {
    const { owner } = access
    if (small.length === 0 || owner.kind !== 'project' || !services.settings().lfs_pushes_need_objects)
      return undefined
    const pointers = await pointersAmong(repository, small, signal)
    if (pointers.length === 0) return undefined
    const { enabled } = await services.db
      .selectFrom('projects as p')
      .select(usesLfs('p').as('enabled'))
      .where('p.id', '=', owner.project)
      .executeTakeFirstOrThrow()
    if (!enabled) return undefined
    const adopter = { access, service: 'git-receive-pack', projectId: owner.project } as const
    const oids = [...new Set(pointers.map(({ oid }) => oid))]
    for (let at = 0; at < oids.length; at += AT_ONCE) {
      const some = oids.slice(at, at + AT_ONCE)
      const there = await objectsOf(services.db, owner.project, some)
      const unknown = some.filter((oid) => !there.has(oid))
      const adopted = await adoptObjects(services, adopter, unknown)
      const now = adopted ? await objectsOf(services.db, owner.project, unknown) : there
      const missing = unknown.find((oid) => !now.has(oid))
      if (missing !== undefined) return refusalFor(missing)
    }
    return undefined
  },
}

const refusalFor = (oid: string): string =>
  `LFS objects are missing, such as ${oid}. Is Git LFS set up? Upload them with "git lfs push --all".`
