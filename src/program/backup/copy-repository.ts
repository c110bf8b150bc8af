import type { Repositories } from '#code/repositories/repositories.ts'
import { isFolder } from '#code/repositories/make-repository.ts'
import { headOf } from '#code/repositories/summary.ts'
import { listReferences } from '#code/git/references.ts'
import { NO_OBJECT } from '#code/git/names.ts'
import { readChanges } from '#code/repositories/intents.ts'
import { Refused } from '#program/cli/command.ts'
import { streamNames } from './header.ts'
import type { SnapshotRepository } from './snapshot.ts'
import type { Part } from './write-archive.ts'

/** The references of a repository and all that they need. Hidden ones are among them. */
export async function* copyRepository(
  repositories: Repositories,
  row: SnapshotRepository,
): AsyncGenerator<Part> {
  const { folder } = await repositories.locationOf(row)
  if (!(await isFolder(folder))) {
    // It was about to be removed when the backup began.
    if (!row.has_owner) return
    throw new Refused(
      `the repository ${row.storage}:${row.relative_path} is missing; forgelet check repositories tells of others`,
    )
  }
  const repository = { id: row.id, folder, git: repositories.git }
  const references = await asOfSnapshot(
    repositories,
    row,
    new Map((await listReferences(repository, 'refs/')).map(({ name, id }) => [name, id])),
  )
  const head = row.default_branch ?? (await headOf(repository)) ?? 'main'
  const lines = [...references].map(([name, id]) => `${id} ${name}\n`)
  const name = `${streamNames.repositories}${row.id}`
  yield { name: `${name}/references`, content: [Buffer.from(`${head}\n${lines.join('')}`)] }
  if (references.size === 0) return
  const process = await repositories.git.start(
    repository,
    ['pack-objects', '--revs', '--stdout', '-q', '--delta-base-offset'],
    { lane: 'transfer' },
  )
  process.stdin.end([...new Set(references.values())].map((id) => `${id}\n`).join(''))
  yield { name: `${name}/pack`, content: process.output() }
}

/**
 * Takes back what has happened to references since the snapshot: each change was written down before it was made. Git keeps
 * objects that nothing refers to for two weeks.
 */
async function asOfSnapshot(
  { source }: Repositories,
  { id, changes }: SnapshotRepository,
  references: Map<string, string>,
): Promise<Map<string, string>> {
  const rows = await source.db
    .selectFrom('reference_changes')
    .select(['id', 'changes'])
    .where('repository_id', '=', id)
    .where('state', '<>', 'dismissed')
    .orderBy('id', 'desc')
    .execute()
  const known = new Set(changes)
  for (const row of rows) {
    if (known.has(row.id)) continue
    for (const { ref, before, after } of readChanges(row.changes).toReversed()) {
      if ((references.get(ref) ?? NO_OBJECT) !== after) continue
      if (before === NO_OBJECT || before === '') references.delete(ref)
      else references.set(ref, before)
    }
  }
  return references
}
