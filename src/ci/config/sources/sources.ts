import { readObject } from '#code/git/objects.ts'
import { ObjectTooLarge } from '#code/git/objects.ts'
import { mergeBase } from '#code/git/history.ts'
import { resolveCommit } from '#code/git/resolve.ts'
import { authorizeProject } from '#platform/access/authorize.ts'
import { viewerOfUser } from '#platform/access/act-for.ts'
import type { JobServices } from '#platform/jobs/task.ts'
import { NotAllowed, NotFound, Unidentified } from '#platform/refusals.ts'
import { matchesInclude, hasWildcard } from '../globs.ts'
import type { IncludeAnswer, IncludedFile, IncludeRequest } from '../includes.ts'
import type { Answer, Question } from '../thread/messages.ts'
import { changedPaths, pathsIn } from './paths.ts'
import { fetchRemote } from './remote.ts'
import { templateNamed } from './templates.ts'
import { type Tree, Trees } from './trees.ts'

/** Bytes of one file. */
const MOST_BYTES = 1024 * 1024
/** Files that one wildcard finds. */
const MOST_MATCHES = 150

/** Where the files of a configuration come from: repositories, other servers, and templates of our own. */
export class Sources {
  readonly #services: JobServices
  readonly #userId: number
  readonly #own: Tree | null
  readonly #compareTo: string | null
  readonly #trees = new Trees()
  readonly #paths = new Map<string, Promise<string | null>>()
  readonly #projects = new Map<string, Promise<Tree | string>>()
  /** How the reader calls the repository and commit of the pipeline. */
  readonly own: string

  /** @param compareTo the commit that `changes` compares with; null where everything counts as changed */
  constructor(services: JobServices, userId: number, own: Tree | null, compareTo: string | null) {
    this.#services = services
    this.#userId = userId
    this.#own = own
    this.#compareTo = compareTo
    this.own = own === null ? '' : this.#trees.name(own)
  }

  answer = async (question: Question): Promise<Answer> => {
    if (question.about === 'files') return Promise.all(question.requests.map((one) => this.#files(one)))
    if (question.about === 'changed') return this.#changed(question.compareTo)
    if (question.project === undefined) return this.#own === null ? '' : this.#pathsIn(this.#own)
    const tree = await this.#projectTree(question.project, question.ref ?? null)
    return typeof tree === 'string' ? null : this.#pathsIn(tree)
  }

  async #files(request: IncludeRequest): Promise<IncludeAnswer> {
    if (request.type === 'remote') return fetchRemote(this.#services, request.url)
    if (request.type === 'template') return templateNamed(request.name)
    if (request.type === 'project') {
      const tree = await this.#projectTree(request.project, request.ref)
      if (typeof tree === 'string') return { error: tree }
      const path = request.path.replace(/^\/+/, '')
      const file = await this.#file(tree, path, 'file', {
        project: request.project,
        ref: request.ref ?? 'HEAD',
      })
      return file ?? { error: `Project \`${request.project}\` file \`${path}\` does not exist!` }
    }
    const tree = this.#trees.get(request.tree)
    const path = request.path.replace(/^\/+/, '')
    const missing = { error: `Local file \`${path}\` does not exist!` }
    if (tree === undefined) return missing
    if (!hasWildcard(path)) return (await this.#file(tree, path, 'local')) ?? missing
    const all = ((await this.#pathsIn(tree)) ?? '').split('\0')
    const found = all.filter((one) => /\.ya?ml$/i.test(one) && matchesInclude(path, one))
    if (found.length > MOST_MATCHES) return { error: `Local file \`${path}\` finds too many files!` }
    const files: IncludedFile[] = []
    for (const one of found) {
      const answer = await this.#file(tree, one, 'local')
      if (answer === undefined) continue
      if ('error' in answer) return answer
      for (const file of answer.files) files.push(file)
    }
    return files.length === 0 ? missing : { files }
  }

  async #file(
    tree: Tree,
    path: string,
    type: 'local' | 'file',
    extra: { readonly [key: string]: string } = {},
  ): Promise<IncludeAnswer | undefined> {
    const text = await textAt(tree, path)
    if (text === undefined) return undefined
    if (text === null) return { error: `File \`${path}\` is larger than ${MOST_BYTES / 1024} KiB!` }
    const { fullPath, sha } = tree
    const at = `${this.#services.site()}/${fullPath}/-`
    const shown = {
      type,
      location: path,
      blob: `${at}/blob/${sha}/${path}`,
      raw: `${at}/raw/${sha}/${path}`,
      extra,
      contextProject: fullPath,
      contextSha: sha,
    }
    return { files: [{ text, tree: this.#trees.name(tree), shown }] }
  }

  /** A project as the person may read it, at a branch, tag or commit; or why not. */
  #projectTree(project: string, ref: string | null): Promise<Tree | string> {
    const key = `${project}\0${ref ?? ''}`
    const known = this.#projects.get(key) ?? this.#findProject(project, ref)
    this.#projects.set(key, known)
    return known
  }

  async #findProject(path: string, ref: string | null): Promise<Tree | string> {
    const { db, clock, repositories } = this.#services
    const denied = `Project \`${path}\` not found or access denied! Make sure any includes in the pipeline configuration are correctly defined.`
    const viewer = await viewerOfUser({ db, clock }, this.#userId, null)
    if (viewer === undefined) return denied
    try {
      const { container } = await authorizeProject(db, viewer, path.replace(/^\/+/, ''), 'download_code')
      const repository = await repositories.ofProject(container.id)
      const name = ref ?? repository?.row.default_branch ?? 'HEAD'
      const sha = repository && (await resolveCommit(repository, name))
      if (repository === undefined || sha === undefined)
        return `Project \`${path}\` reference \`${name}\` does not exist!`
      return { repository, sha, fullPath: container.full_path }
    } catch (error) {
      if (error instanceof NotFound || error instanceof NotAllowed || error instanceof Unidentified)
        return denied
      throw error
    }
  }

  #pathsIn(tree: Tree): Promise<string | null> {
    const key = this.#trees.name(tree)
    const known = this.#paths.get(key) ?? pathsIn(tree)
    this.#paths.set(key, known)
    return known
  }

  /** @param compareTo a name of the rule; without it, the commit before the push or the base of the merge request counts */
  async #changed(compareTo: string | undefined): Promise<string | null> {
    if (this.#own === null) return null
    const { repository, sha } = this.#own
    if (compareTo === undefined)
      return this.#compareTo === null ? null : changedPaths(this.#own, this.#compareTo)
    const other = await resolveCommit(repository, compareTo)
    const base = other && (await mergeBase(repository, [other, sha]))
    return base === undefined ? null : changedPaths(this.#own, base)
  }
}

/** The text of a file; undefined where there is none, null where it is too large. */
export async function textAt({ repository, sha }: Tree, path: string): Promise<string | null | undefined> {
  // Git reads one name on a line.
  if (path === '' || /[\n\r\0]/.test(path)) return undefined
  const found = await repository.git.readers.of(repository).info(`${sha}:${path}`)
  if (found === undefined || found.type !== 'blob') return undefined
  try {
    return (await readObject(repository, found.id, MOST_BYTES))?.content.toString('utf8')
  } catch (error) {
    if (error instanceof ObjectTooLarge) return null
    throw error
  }
}
