import { GitTimeout, OutputTooLarge, TooMuchForGit } from '#code/git/errors.ts'
import { mergeBase } from '#code/git/history.ts'
import { resolveCommit } from '#code/git/resolve.ts'
import type { JobServices } from '#platform/jobs/task.ts'
import type { Paths } from '../conditions.ts'
import type { IncludeAnswer, IncludeRequest } from '../includes.ts'
import type { PipelineToRead } from '../pipeline-reading.ts'
import type { Question, Reply } from '../reader/messages.ts'
import { readArtifact } from './artifacts.ts'
import { changedPaths, existingPaths } from './paths.ts'
import { readFiles, type WantedFile } from './files.ts'
import { fetchRemote } from './remote.ts'
import { templateNamed } from './templates.ts'
import { NOBODYS, type Tree, Trees } from './trees.ts'

/** Remote files that one configuration fetches at once. */
const AT_ONCE = 4

/** Bytes of all files that one configuration includes. */
const MOST_BYTES = 8 * 1024 * 1024

/** Answers what the reader of one configuration asks of repositories and other servers. */
export class Answers {
  readonly #services: JobServices
  readonly #toRead: PipelineToRead
  readonly #trees: Trees
  #bytesLeft = MOST_BYTES

  constructor(services: JobServices, toRead: PipelineToRead) {
    this.#services = services
    this.#toRead = toRead
    this.#trees = new Trees(services, toRead)
  }

  /** What local includes of the configuration itself are looked for in. */
  get ownTree(): string {
    return this.#trees.own?.name ?? NOBODYS
  }

  /** @throws 503 while a repository or the database cannot be read */
  answer = async (question: Question, signal: AbortSignal): Promise<Reply> => {
    try {
      switch (question.kind) {
        case 'files':
          return { files: await this.#files(question.requests, signal) }
        case 'tree':
          return { paths: await this.#pathsOf(this.#trees.named(question.tree)) }
        case 'changed':
          return await this.#changed(question.compareTo)
        case 'existing':
          return await this.#existing(question.project, question.ref)
      }
    } catch (error) {
      if (error instanceof OutputTooLarge || error instanceof TooMuchForGit)
        return { error: 'The repository has too many files to look for some among them' }
      throw error
    }
  }

  async #files(requests: readonly IncludeRequest[], signal: AbortSignal): Promise<IncludeAnswer[]> {
    const answers = new Map<IncludeRequest, IncludeAnswer>()
    const wanted: (WantedFile & { readonly request: IncludeRequest })[] = []
    for (const request of requests) {
      const found = await this.#placeOf(request)
      if (found === undefined) continue
      if ('error' in found) answers.set(request, found)
      else wanted.push({ ...found, request })
    }
    const read = await readFiles(this.#services, wanted, this.#take)
    for (const [index, { request }] of wanted.entries()) {
      const answer = read[index]
      if (answer !== undefined) answers.set(request, answer)
    }
    for (const request of requests) {
      if (request.type === 'template') answers.set(request, templateNamed(request.name))
      if (request.type === 'artifact') answers.set(request, await this.#artifact(request))
    }
    const remote = requests.filter((request) => request.type === 'remote')
    for (let at = 0; at < remote.length; at += AT_ONCE) {
      const some = remote.slice(at, at + AT_ONCE)
      const fetched = some.map(async (request) => {
        answers.set(request, await fetchRemote(this.#services.outgoing, request.url, signal, this.#take))
      })
      await Promise.all(fetched)
    }
    return requests.map(
      (request) => answers.get(request) ?? { error: 'Included file is empty or does not exist!' },
    )
  }

  async #artifact(request: Extract<IncludeRequest, { type: 'artifact' }>): Promise<IncludeAnswer> {
    const { parentId } = this.#toRead
    if (parentId === undefined)
      return { error: 'Including configs from artifacts is only allowed when triggering child pipelines' }
    return readArtifact(this.#services, { ...request, pipelineId: parentId }, this.ownTree, this.#take)
  }

  /** Whether there is room for so many bytes more. */
  #take = (bytes: number): boolean => {
    this.#bytesLeft -= bytes
    return this.#bytesLeft >= 0
  }

  /** Where a file of a repository is; undefined for other files. */
  async #placeOf(request: IncludeRequest): Promise<WantedFile | { readonly error: string } | undefined> {
    if (request.type === 'local') {
      const tree = this.#trees.named(request.tree)
      return tree === undefined
        ? { error: `Local file \`${request.path}\` does not have project!` }
        : { type: 'local', tree, path: request.path }
    }
    if (request.type !== 'project') return undefined
    const { project, ref, path } = request
    if (!/\.ya?ml$/i.test(path)) return { error: `Project file \`${path}\` does not have YAML extension!` }
    const found = await this.#trees.find(project, ref, request.tree === NOBODYS)
    if ('tree' in found) return { type: 'file', tree: found.tree, path, project, ref }
    return {
      error:
        found.missing === 'project'
          ? `Project \`${project}\` not found or access denied! Make sure any includes in the pipeline configuration are correctly defined.`
          : `Project \`${project}\` reference \`${ref ?? 'HEAD'}\` does not exist!`,
    }
  }

  async #changed(compareTo: string | undefined): Promise<Reply> {
    const { tree } = this.#toRead
    if (tree === null) return { paths: null }
    const { repository, sha } = tree
    let from = this.#toRead.compareTo
    if (compareTo !== undefined) {
      const named = await resolveCommit(repository, compareTo)
      if (named === undefined)
        return { error: 'Failed to parse rule: rules:changes:compare_to is not a valid ref' }
      from = (await mergeBase(repository, [named, sha])) ?? named
    }
    if (from === null) return { paths: null }
    // What was pushed over may be gone by now: then everything counts as changed.
    if ((await resolveCommit(repository, from)) === undefined) return { paths: null }
    try {
      return { paths: await changedPaths(repository, from, sha) }
    } catch (error) {
      if (error instanceof OutputTooLarge || error instanceof GitTimeout) return { paths: null }
      throw error
    }
  }

  async #existing(project: string | undefined, ref: string | undefined): Promise<Reply> {
    if (project === undefined && ref === undefined) return { paths: await this.#pathsOf(this.#trees.own) }
    const path = project ?? this.#toRead.project.fullPath
    const found = await this.#trees.find(path, ref ?? null, false)
    if ('tree' in found) return { paths: await this.#pathsOf(found.tree) }
    return {
      error:
        found.missing === 'project'
          ? `rules:exists:project \`${path}\` is not a valid project path`
          : `rules:exists:ref \`${ref ?? 'HEAD'}\` is not a valid ref in project \`${path}\``,
    }
  }

  #pathsOf = async (tree: Tree | undefined): Promise<Paths | null> =>
    tree === undefined ? null : existingPaths(tree.repository, tree.sha)
}
