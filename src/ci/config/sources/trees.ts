import { resolveCommit } from '#code/git/resolve.ts'
import { viewerOfUser } from '#platform/access/act-for.ts'
import { authorizeNamedProject } from '#platform/access/authorize.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { dayOf } from '#platform/http/time.ts'
import type { JobServices } from '#platform/jobs/task.ts'
import { NotAllowed, NotFound, Unidentified } from '#platform/refusals.ts'
import type { Repository } from '#code/git/repository.ts'
import type { PipelineToRead } from '../pipeline-reading.ts'

/** The files of a project at a commit. */
export interface Tree {
  readonly name: string
  readonly project: string
  readonly repository: Repository
  readonly sha: string
}

/** Names the place of files that are of no project: what they include is read with the rights of nobody. */
export const NOBODYS = ''

type Found = { readonly tree: Tree } | { readonly missing: 'project' | 'ref' }

/** The repositories that one configuration includes files of, each looked up once. */
export class Trees {
  /** Undefined where nothing was ever pushed. */
  readonly own: Tree | undefined
  readonly #services: JobServices
  readonly #userId: number
  readonly #named = new Map<string, Tree>()
  readonly #found = new Map<string, Promise<Found>>()
  #user: Promise<Viewer | undefined> | undefined

  constructor(services: JobServices, { project, tree, userId }: PipelineToRead) {
    this.#services = services
    this.#userId = userId
    this.own = tree === null ? undefined : this.#keep(project.id, project.fullPath, tree.repository, tree.sha)
  }

  named = (name: string): Tree | undefined => this.#named.get(name)

  /**
   * The files of another project, if the person may read its code. What is missing looks like what is forbidden.
   * @param ref by default the default branch
   * @param isForNobody whether only what everybody may read counts
   */
  find(path: string, ref: string | null, isForNobody: boolean): Promise<Found> {
    const key = JSON.stringify([path, ref, isForNobody])
    const found = this.#found.get(key) ?? this.#look(path, ref, isForNobody)
    this.#found.set(key, found)
    return found
  }

  async #look(path: string, ref: string | null, isForNobody: boolean): Promise<Found> {
    const { db, clock, repositories } = this.#services
    this.#user ??= viewerOfUser({ db, clock }, this.#userId, null)
    const viewer = isForNobody
      ? { id: null, admin: false, external: false, today: dayOf(clock.now()), closed: [] }
      : await this.#user
    // A path has a slash; numbers would be ids.
    const clean = path.replace(/^\/+|\/+$/g, '')
    if (viewer === undefined || !clean.includes('/')) return { missing: 'project' }
    try {
      const { container } = await authorizeNamedProject(db, viewer, clean, 'download_code')
      const repository = await repositories.ofProject(container.id)
      const sha = repository && (await resolveCommit(repository, ref ?? 'HEAD'))
      if (repository === undefined || sha === undefined) return { missing: 'ref' }
      return { tree: this.#keep(container.id, container.full_path, repository, sha) }
    } catch (error) {
      if (error instanceof NotFound || error instanceof NotAllowed || error instanceof Unidentified)
        return { missing: 'project' }
      throw error
    }
  }

  #keep(id: number, project: string, repository: Repository, sha: string): Tree {
    const name = `${id}:${sha}`
    const tree = { name, project, repository, sha }
    this.#named.set(name, tree)
    return tree
  }
}
