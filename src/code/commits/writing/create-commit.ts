import type { FastifyRequest } from 'fastify'
import { copyObjects } from '#code/git/copy-objects.ts'
import { type Commit, parseCommit } from '#code/git/commit.ts'
import { BRANCHES } from '#code/git/names.ts'
import { addCommit } from '#code/git/new-commit.ts'
import { readCommit, readExisting } from '#code/git/objects.ts'
import { PackWriter } from '#code/git/pack-writer.ts'
import { Quarantine } from '#code/git/quarantine.ts'
import type { Repository } from '#code/git/repository.ts'
import { resolveCommit } from '#code/git/resolve.ts'
import { TreeEditor } from '#code/git/tree-editor.ts'
import { assertName, changeAs, type ChangeAsOptions } from '#code/repositories/change-as.ts'
import { committerOf } from '#code/repositories/committer.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import { TooLarge } from '#platform/refusals.ts'
import { apply, type CommitAction } from './actions.ts'
import { addObjects } from './add-objects.ts'
import { type Start, type StartParameters, startOf } from './start-of-commit.ts'

export interface NewCommit extends StartParameters {
  readonly message: string
  readonly actions: readonly CommitAction[]
  readonly author_name?: string
  readonly author_email?: string
}

/**
 * Makes a commit of changes to files, and puts it on a branch.
 * @throws 400 when an action does not fit the files or the branch cannot begin as asked, 403 when the branch is
 * protected unless `onRefused` says otherwise, 409 when somebody else has changed it meanwhile.
 */
export async function createCommit(
  req: FastifyRequest,
  repository: StoredRepository,
  wanted: NewCommit,
  options: Pick<ChangeAsOptions, 'onRefused'> = {},
): Promise<Commit> {
  const ref = BRANCHES + wanted.branch
  const start = await startOf(req, repository, wanted)
  assertName(
    { ref, before: start.before, after: '' },
    (why) => `Something went wrong when we tried to create '${wanted.branch}' for you: ${why}`,
  )
  assertSize(req, wanted.actions)
  await using quarantine = await Quarantine.open(repository)
  const isHere = start.source.id === repository.id
  if (!isHere && start.commit !== undefined) {
    await copyObjects(start.source, repository, [start.commit], quarantine)
  }
  const after = await write(req, isHere ? repository : quarantine.repository, { quarantine, start, wanted })
  await changeAs(req, repository, { ref, before: start.before, after }, { quarantine, ...options })
  return parseCommit(after, await readExisting(repository, after, 'commit'))
}

interface Writing {
  readonly quarantine: Quarantine
  readonly start: Start
  readonly wanted: NewCommit
}

/** @param repository where the start is found. @returns the id of the commit, which is in the quarantine */
async function write(
  req: FastifyRequest,
  repository: Repository,
  { quarantine, start: { commit: start }, wanted }: Writing,
): Promise<string> {
  const { actions, message, author_name, author_email } = wanted
  const parent = start === undefined ? undefined : await readCommit(repository, start)
  const pack = new PackWriter()
  const editor = new TreeEditor(repository, parent?.tree)
  const commitNamed = (name: string) => resolveCommit(repository, name)
  for (const action of actions) await apply({ editor, pack, repository, start, commitNamed }, action)
  const committer = await committerOf(req)
  const author = {
    ...committer,
    ...(author_name && { name: author_name }),
    ...(author_email && { email: author_email }),
  }
  const parents = start === undefined ? [] : [start]
  const id = addCommit(pack, { tree: editor.write(pack), parents, author, committer, message })
  await addObjects(quarantine, pack)
  return id
}

/** What a push may hold at most, a commit may, too. @throws 413 */
function assertSize(req: FastifyRequest, actions: readonly CommitAction[]): void {
  const megabytes = req.server.services.settings().receive_max_input_size
  if (megabytes === null) return
  const size = actions.reduce((sum, { content = '' }) => sum + Buffer.byteLength(content), 0)
  if (size <= megabytes * 1024 * 1024) return
  throw new TooLarge(`this server accepts ${megabytes} MB in one commit`)
}
