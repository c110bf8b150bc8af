import type { Updateable } from 'kysely'
import type { DB } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { transact, type WrittenBy } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { refusal, unavailable } from '#platform/refusals.ts'
import { addObjects } from '#code/commits/writing/add-objects.ts'
import { addCommit } from '#code/git/new-commit.ts'
import { BRANCHES, NO_OBJECT } from '#code/git/names.ts'
import { PackWriter } from '#code/git/pack-writer.ts'
import { Quarantine } from '#code/git/quarantine.ts'
import { TreeEditor } from '#code/git/tree-editor.ts'
import { changeReferences } from './change-references.ts'
import { type AwaitingKind, insertAwaiting } from './make-repository.ts'
import { recordSteps } from './record-changes.ts'
import type { Repositories } from './repositories.ts'
import { repositoryColumns, type RepositoryRow } from './rows.ts'

export interface FirstCommit {
  readonly kind: AwaitingKind
  /** Where it shall be; without it, the weights for new repositories choose. */
  readonly storage?: string
  /** Files by their paths. */
  readonly files: Readonly<Record<string, string>>
  readonly message: string
  readonly branch: string
  readonly author: { readonly name: string; readonly email: string }
  readonly by: WrittenBy
}

/** Milliseconds that a repository waits for its project. The request that makes both takes less than a second. */
const PATIENCE = 10 * 60_000

/**
 * Makes a repository with a first commit, before the transaction that makes its owner: git may not be waited for inside.
 * {@link adoptRepository} or {@link adoptForSnippet} gives it to the owner. If nobody does, a job removes it.
 * @returns the id of its row
 */
export async function prepareRepository(repositories: Repositories, first: FirstCommit): Promise<number> {
  const { source } = repositories
  const now = source.clock.now().getTime()
  const { repository_storages_weighted: weights } = repositories.settings()
  const storage = first.storage ?? repositories.storages.choose(weights)
  const until = new Date(now + PATIENCE).toISOString()
  const row = await transact(source, first.by, (tx) => insertAwaiting(tx, first.kind, storage, until))
  const repository = await repositories.make(row, first.branch)
  const pack = new PackWriter()
  const editor = new TreeEditor(repository, undefined)
  for (const [path, content] of Object.entries(first.files)) {
    const put = await editor.put(path, { mode: '100644', id: pack.add('blob', Buffer.from(content)) })
    if (!put) throw refusal(`A file is in the way of ${path}`)
  }
  const author = { ...first.author, time: now }
  const tree = editor.write(pack)
  const after = addCommit(pack, { tree, parents: [], author, committer: author, message: first.message })
  await using quarantine = await Quarantine.open(repository)
  await addObjects(quarantine, pack)
  const changes = [{ ref: BRANCHES + first.branch, before: NO_OBJECT, after }]
  const request = { changes, by: first.by, changer: null, cause: 'initialize', quarantine }
  const [outcome] = await changeReferences(repositories, repository, request)
  if (outcome?.refused !== undefined) throw unavailable(outcome.refused.text)
  return row.id
}

/** Gives a repository that was made before its project to the project, in the transaction that makes that. */
export async function adoptRepository(
  tx: Tx,
  id: number,
  project: { readonly id: number; readonly namespace_id: number },
): Promise<void> {
  const row = await adopt(tx, id, { project_id: project.id, awaits_owner_until: null })
  for (const step of recordSteps.entries) await step.adopt?.(tx, { projectId: project.id, row })
  record(tx, {
    name: 'references pushed',
    namespace: project.namespace_id,
    target: { type: 'Project', id: project.id },
    details: {
      action: 'created',
      ref_type: 'branch',
      ref: row.default_branch,
      ref_count: null,
      commit_from: null,
      commit_to: row.last_commit_sha,
      commit_count: row.commit_count,
      commit_title: 'Initial commit',
    },
  })
}

/** The same for a snippet. Its repository goes on waiting: the program of the version before would remove it otherwise. */
export async function adoptForSnippet(tx: Tx, id: number, snippet: number): Promise<void> {
  await adopt(tx, id, { snippet_id: snippet, awaits_owner_until: 'infinity' })
}

async function adopt(tx: Tx, id: number, owner: Updateable<DB['repositories']>): Promise<RepositoryRow> {
  const row = await tx.db
    .updateTable('repositories')
    .set(owner)
    .where('id', '=', id)
    .where('project_id', 'is', null)
    .where('snippet_id', 'is', null)
    .where('awaits_owner_until', 'is not', null)
    .returning(repositoryColumns)
    .executeTakeFirst()
  if (row === undefined) throw unavailable('the repository took too long to be made')
  return row
}
