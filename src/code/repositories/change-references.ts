import { transact, type WrittenBy } from '#platform/db/transaction.ts'
import { dayOf } from '#platform/http/time.ts'
import type { Quarantine } from '#code/git/quarantine.ts'
import { updateReferences } from '#code/git/update-references.ts'
import { dismissIntent, writeIntent } from './intents.ts'
import { recordChanges } from './record-changes.ts'
import type { ChangeOutcome } from './outcome.ts'
import { READ_ONLY } from './read-only.ts'
import { repairRepository } from './repair.ts'
import type { PushedOptions } from './push-options.ts'
import type { Repositories } from './repositories.ts'
import { type ChangeRefusal, type ReferenceChange, type ReferenceChanger, refusalsOf } from './rules.ts'
import { type CurrentRow, isSamePlace, type StoredRepository } from './rows.ts'

export interface ChangeRequest {
  readonly changes: readonly ReferenceChange[]
  /** By whom the change is recorded. */
  readonly by: WrittenBy
  /** Whose rights decide; null for the program itself, which no rule stops. */
  readonly changer: ReferenceChanger | null
  /** How it came about: `push`, `api`, `merge 12` … Steps of other features read it. */
  readonly cause: string
  /** Where the web pages are for whoever does it: `req.site`. Messages of commits may name issues by their URLs. */
  readonly site?: string
  /** What the person added to a push. */
  readonly options?: PushedOptions | undefined
  /** Whether one change that is refused keeps all others from happening; by default it does. */
  readonly atomic?: boolean
  /** The new objects, which become part of the repository once the rules have let the changes pass. */
  readonly quarantine?: Quarantine
}

/**
 * Changes references of a repository. Nothing else in the program does: pushes, the API, merges and pages come here.
 *
 * An intent is committed first, then git decides by what each reference pointed at, then one transaction records what
 * happened. A process may die at any moment; {@link repairRepository} finishes its work.
 *
 * @returns what became of each change, in the same order. What was refused changed nothing.
 * @throws 503 when the repository is read-only or cannot be read, 507 when its storage is full.
 */
export function changeReferences(
  repositories: Repositories,
  repository: StoredRepository,
  request: ChangeRequest,
): Promise<readonly ChangeOutcome[]> {
  return repositories.turns.take(repository.id, async () => {
    await repairRepository(repositories, repository)
    const row = await repositories.reload(repository.row)
    if (row === undefined) return allRefused(request, { code: 'gone', text: 'the project was deleted' })
    // The new objects are where the repository was.
    if (!isSamePlace(row, repository.row)) return allRefused(request, readOnly)
    return changeInTurn(repositories, repository, row, request)
  })
}

const readOnly: ChangeRefusal = { code: 'read-only', text: READ_ONLY }

const allRefused = ({ changes }: ChangeRequest, refused: ChangeRefusal): readonly ChangeOutcome[] =>
  changes.map((change) => ({ ...change, refused }))

async function changeInTurn(
  repositories: Repositories,
  found: StoredRepository,
  row: CurrentRow,
  request: ChangeRequest,
): Promise<readonly ChangeOutcome[]> {
  const { changes, by, changer, cause, site, options, atomic = true, quarantine } = request
  const repository = { ...found, row }
  const seen = quarantine === undefined ? repository : { ...repository, quarantine: quarantine.objects }
  const refused = await refusalsOf(changes, {
    db: repositories.source.db,
    repository: seen,
    row,
    changer,
    cause,
    settings: repositories.settings(),
    today: dayOf(repositories.source.clock.now()),
  })
  if (row.read_only_because !== null) for (const { ref } of changes) refused.set(ref, readOnly)
  if (atomic && refused.size > 0) {
    const text = 'another reference was refused'
    for (const { ref } of changes) if (!refused.has(ref)) refused.set(ref, { code: 'others', text })
  }
  const wanted = changes.filter(({ ref, before, after }) => !refused.has(ref) && before !== after)
  const outcomes = () => changes.map((change) => ({ ...change, refused: refused.get(change.ref) }))
  if (wanted.length === 0) return outcomes()
  await quarantine?.keep()
  const wish = {
    repositoryId: row.id,
    changes: wanted,
    cause,
    by,
    options,
    ...(site !== undefined && { site }),
  }
  const intent = await writeIntent(repositories, row, wish)
  if (intent === undefined) {
    for (const { ref } of wanted) refused.set(ref, readOnly)
    return outcomes()
  }
  for (const [ref, text] of await updateReferences(repository, wanted, atomic))
    refused.set(ref, { code: 'conflict', text })
  const done = wanted.filter(({ ref }) => !refused.has(ref))
  if (done.length === 0) await transact(repositories.source, by, (tx) => dismissIntent(tx, intent))
  else await recordChanges(repositories, repository, intent, done)
  return outcomes()
}
