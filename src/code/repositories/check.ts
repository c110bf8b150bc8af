import { GitFailed } from '#code/git/errors.ts'
import { Refusal } from '#platform/refusals.ts'
import { isFolder } from './make-repository.ts'
import { pointHead } from './record-changes.ts'
import { repairRepository } from './repair.ts'
import type { Repositories } from './repositories.ts'
import { repositoryColumns, type RepositoryRow, type StoredRepository } from './rows.ts'
import { strangers } from './strangers.ts'
import { removeSecondFolder, secondFolders } from './second-folders.ts'
import { headOf, type Summary, summaryOf } from './summary.ts'

/** Something that the database and the disk do not agree about, or that git finds damaged. */
export interface Fault {
  /** The storage, and the path there. */
  readonly repository: string
  /** The project, group or snippet; undefined when it belongs to nothing. */
  readonly owner: string | undefined
  readonly problem: string
  readonly repaired: boolean
}

export interface CheckOptions {
  /** Whether to mend what can be mended. */
  readonly repair: boolean
  readonly onFault: (fault: Fault) => void
  readonly signal: AbortSignal
}

export interface CheckSummary {
  readonly repositories: number
  readonly faults: number
  readonly repaired: number
}

const REPOSITORIES_PER_STATEMENT = 100

/** Compares all repositories that the database knows with the disk, and then the disk with the database. */
export async function checkRepositories(
  repositories: Repositories,
  options: CheckOptions,
): Promise<CheckSummary> {
  const count = { repositories: 0, faults: 0, repaired: 0 }
  const tell = (fault: Fault) => {
    count.faults += 1
    if (fault.repaired) count.repaired += 1
    options.onFault(fault)
  }
  let after = 0
  for (;;) {
    const rows = await repositories.source.db
      .selectFrom('repositories')
      .select(repositoryColumns)
      .where('id', '>', after)
      .where('made_at', 'is not', null)
      .orderBy('id')
      .limit(REPOSITORIES_PER_STATEMENT)
      .execute()
    for (const row of rows) {
      options.signal.throwIfAborted()
      count.repositories += 1
      for (const { problem, repaired } of await faultsOf(repositories, row, options)) {
        tell({ repository: repositoryLabel(row), owner: ownerOf(row), problem, repaired })
      }
    }
    after = rows.at(-1)?.id ?? 0
    if (after === 0) break
  }
  for (const folder of await secondFolders(repositories, 'no move')) {
    options.signal.throwIfAborted()
    const repaired = options.repair && (await removeSecondFolder(repositories, folder).catch(() => false))
    tell({
      repository: `${folder.storage}:${folder.relative_path}`,
      owner: undefined,
      problem: `storage move ${folder.move_id} has left it`,
      repaired,
    })
  }
  for await (const path of strangers(repositories, options.signal)) {
    if (options.repair) await path.moveAside()
    tell({
      repository: path.name,
      owner: undefined,
      problem: 'the database does not know it',
      repaired: options.repair,
    })
  }
  return count
}

export type FaultBrief = Pick<Fault, 'problem' | 'repaired'>

const repositoryLabel = ({ storage, relative_path }: RepositoryRow): string => `${storage}:${relative_path}`

function ownerOf({ kind, project_id, group_id, snippet_id }: RepositoryRow): string | undefined {
  if (snippet_id !== null) return `snippet ${snippet_id}`
  if (project_id !== null) return `${kind} of project ${project_id}`
  return group_id === null ? undefined : `${kind} of group ${group_id}`
}

/** What is wrong with one repository. */
export async function faultsOf(
  repositories: Repositories,
  row: RepositoryRow,
  options: Pick<CheckOptions, 'repair'>,
): Promise<FaultBrief[]> {
  try {
    const repository = await repositories.open(row)
    if (!(await isFolder(repository.folder))) {
      return [{ problem: 'its folder is missing; restore it from a backup', repaired: false }]
    }
    const damage = await damageOf(repository)
    if (damage !== undefined) return [{ problem: damage, repaired: false }]
    return await repositories.turns.take(row.id, () => disagreements(repositories, repository, options))
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof GitFailed)) throw error
    const { cause } = error
    return [
      { problem: `it cannot be read: ${(cause instanceof Error ? cause : error).message}`, repaired: false },
    ]
  }
}

/** Milliseconds that git may take to look at all objects. */
const TIME = 3_600_000

/** What git finds wrong with the objects: the first of its sentences. */
async function damageOf(repository: StoredRepository): Promise<string | undefined> {
  const args = ['fsck', '--connectivity-only', '--no-dangling', '--no-progress']
  try {
    await repository.git.capture(repository, args, { lane: 'keep', time: TIME })
    return undefined
  } catch (error) {
    const failure = error instanceof Refusal ? error.cause : error
    if (!(failure instanceof GitFailed)) throw error
    const [first = failure.message] = failure.stderr.split('\n')
    return `it is damaged: ${first.slice(0, 200)}; restore it from a backup`
  }
}

/** What the row says and git does not, in the turn of the repository. */
async function disagreements(
  repositories: Repositories,
  repository: StoredRepository,
  { repair }: Pick<CheckOptions, 'repair'>,
): Promise<FaultBrief[]> {
  const faults: FaultBrief[] = []
  if (repair) {
    const recorded = await repairRepository(repositories, repository)
    if (recorded > 0) faults.push({ problem: `${recorded} changes were not recorded`, repaired: true })
  }
  const row = await repositories.reload(repository.row)
  if (row === undefined) return faults
  const summary = await summaryOf(repository, row)
  // A server has changed it meanwhile, so there is nothing to compare.
  if ((await repositories.reload(row))?.version !== row.version) return faults
  const wrong = Object.keys(summary).filter((name) => name !== 'size' && differs(name, row, summary))
  if (wrong.length > 0)
    faults.push({ problem: `its row is out of date: ${wrong.join(', ')}`, repaired: repair })
  const head = await headOf(repository)
  const isAstray = summary.default_branch !== null && head !== summary.default_branch
  if (isAstray) faults.push({ problem: `HEAD names ${head ?? 'no branch'}`, repaired: repair })
  if (!repair) return faults
  if (isAstray && summary.default_branch !== null) await pointHead(repository, summary.default_branch)
  if (wrong.length > 0) await writeSummary(repositories, row, summary)
  return faults
}

function differs(name: string, row: RepositoryRow, summary: Summary): boolean {
  const values = (of: object) => Object.entries(of).find(([key]) => key === name)?.[1]
  const [stored, found]: unknown[] = [values(row), values(summary)]
  if (name.endsWith('_at')) return momentOf(stored) !== momentOf(found)
  return stored !== found
}

const momentOf = (value: unknown): number | null => (typeof value === 'string' ? Date.parse(value) : null)

async function writeSummary(
  { source }: Repositories,
  { id, version }: RepositoryRow,
  summary: Summary,
): Promise<void> {
  await source.db
    .updateTable('repositories')
    .set({ ...summary, version: version + 1 })
    .where('id', '=', id)
    .where('version', '=', version)
    .execute()
}
