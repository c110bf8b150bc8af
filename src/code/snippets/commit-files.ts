import type { FastifyRequest } from 'fastify'
import { apply, type CommitAction } from '#code/commits/writing/actions.ts'
import { addObjects } from '#code/commits/writing/add-objects.ts'
import { BRANCHES, NO_OBJECT } from '#code/git/names.ts'
import { addCommit } from '#code/git/new-commit.ts'
import { readCommit } from '#code/git/objects.ts'
import { PackWriter } from '#code/git/pack-writer.ts'
import { Quarantine } from '#code/git/quarantine.ts'
import { resolveCommit } from '#code/git/resolve.ts'
import { TreeEditor } from '#code/git/tree-editor.ts'
import { writtenByCaller } from '#code/repositories/change-as.ts'
import { changeReferences } from '#code/repositories/change-references.ts'
import { hasHappened } from '#code/repositories/outcome.ts'
import { committerOf } from '#code/repositories/committer.ts'
import { headOf } from '#code/repositories/summary.ts'
import type { AccessContext } from '#platform/access/access-context.ts'
import { refusal, unavailable } from '#platform/refusals.ts'
import { refusalOfFiles } from './rule.ts'

interface SnippetCommit {
  /** The snippet's id. */
  readonly id: number
  readonly accessContext: AccessContext
  readonly actions: readonly CommitAction[]
}

/** How often a change is tried when somebody else was faster. */
const TRIES = 5

/**
 * Commits changes of a snippet's files.
 * @returns whether there was anything to change
 * @throws 400 for changes that are impossible, 503 when others were faster each time and while the repository is read-only
 */
export async function commitFiles(req: FastifyRequest, changed: SnippetCommit): Promise<boolean> {
  const committer = await committerOf(req)
  for (let tries = 0; tries < TRIES; tries += 1) {
    const done = await tryToCommit(req, changed, committer)
    if (done !== undefined) return done
  }
  throw unavailable('Too many others change this snippet; try again')
}

/** @returns undefined when somebody else was faster */
async function tryToCommit(
  req: FastifyRequest,
  { id, accessContext, actions }: SnippetCommit,
  committer: Awaited<ReturnType<typeof committerOf>>,
): Promise<boolean | undefined> {
  const { repositories, settings } = req.server.services
  const repository = await repositories.ensure({ kind: 'snippet', snippet: id })
  const branch = repository.row.default_branch ?? (await headOf(repository)) ?? repositories.defaultBranch
  const before = await resolveCommit(repository, branch, 'heads')
  const parent = before === undefined ? undefined : await readCommit(repository, before)
  const pack = new PackWriter()
  const editor = new TreeEditor(repository, parent?.tree)
  const files = { editor, pack, repository, start: before, commitNamed: async () => undefined }
  for (const action of actions) await apply(files, action)
  const tree = editor.write(pack)
  if (tree === parent?.tree) return false
  const parents = before === undefined ? [] : [before]
  const after = addCommit(pack, { tree, parents, author: committer, committer, message: 'Update snippet' })
  await using quarantine = await Quarantine.open(repository)
  await addObjects(quarantine, pack)
  const problem = await refusalOfFiles(quarantine.repository, after, settings().snippet_size_limit)
  if (problem !== undefined) throw refusal(problem)
  const [outcome] = await changeReferences(repositories, repository, {
    changes: [{ ref: BRANCHES + branch, before: before ?? NO_OBJECT, after }],
    by: writtenByCaller(req),
    changer: { accessContext, userId: req.user().id },
    cause: 'api',
    quarantine,
  })
  return hasHappened(outcome) || undefined
}
