import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { countCommits, type Divergence } from '#code/git/history.ts'
import { BRANCHES, branchOf, NO_OBJECT, TAGS, tagOf } from '#code/git/names.ts'
import { readCommit } from '#code/git/objects.ts'
import { latestReferences, readReferences } from '#code/git/references.ts'
import type { Repository } from '#code/git/repository.ts'
import { resolveCommit } from '#code/git/resolve.ts'
import { sizeOf } from '#code/git/size.ts'
import { listFolder } from '#code/git/tree.ts'
import type { ReferenceChange } from './rules.ts'
import type { RepositoryRow, StoredRepository } from './rows.ts'

/** What the row of a repository tells about it, so that nobody has to ask git. */
export type Summary = Pick<
  RepositoryRow,
  | 'default_branch'
  | 'last_commit_sha'
  | 'last_commit_at'
  | 'last_tag'
  | 'last_tag_at'
  | 'readme_path'
  | 'commit_count'
  | 'branch_count'
  | 'tag_count'
  | 'size'
>

/** What the row should say after references changed. It reads only what the changes touch. */
export async function summaryAfter(
  repository: StoredRepository,
  row: RepositoryRow,
  changes: readonly ReferenceChange[],
  growth: Divergence | undefined,
): Promise<Summary> {
  const default_branch = await defaultBranchAfter(repository, row, changes)
  const [tip, tag, size] = await Promise.all([
    tipOf(repository, default_branch),
    lastTagAfter(repository, row, changes),
    sizeOf(repository),
  ])
  return {
    default_branch,
    ...tip,
    ...tag,
    size,
    commit_count: await commitCountAfter(repository, row, tip.last_commit_sha, growth),
    branch_count: row.branch_count + difference(changes, BRANCHES),
    tag_count: row.tag_count + difference(changes, TAGS),
  }
}

/** What the row says of the default branch. */
export type BranchSummary = Pick<
  Summary,
  'default_branch' | 'last_commit_sha' | 'last_commit_at' | 'readme_path' | 'commit_count'
>

/** What the row should say with another default branch. Undefined when there is no such branch. */
export async function summaryWith(
  repository: Repository,
  row: RepositoryRow,
  default_branch: string,
): Promise<BranchSummary | undefined> {
  const tip = await tipOf(repository, default_branch)
  if (tip.last_commit_sha === null) return undefined
  const commit_count = await commitCountAfter(repository, row, tip.last_commit_sha, undefined)
  return { default_branch, ...tip, commit_count }
}

/** The same by looking at everything: for repositories that changed behind the program's back. */
export async function summaryOf(repository: Repository, row: RepositoryRow): Promise<Summary> {
  const branches = await latestReferences(repository, BRANCHES, 1_000_000)
  const tags = await latestReferences(repository, TAGS, 1_000_000)
  const names = branches.map(({ name }) => branchOf(name) ?? name)
  const known =
    row.default_branch !== null && names.includes(row.default_branch) ? row.default_branch : undefined
  const default_branch = known ?? (await chosenFrom(repository, names)) ?? null
  const tip = await tipOf(repository, default_branch)
  const [tag] = tags
  return {
    default_branch,
    ...tip,
    ...(tag === undefined ? noTag : await tagAt(repository, tag.name)),
    size: await sizeOf(repository),
    commit_count:
      tip.last_commit_sha === null ? 0 : await countCommits(repository, { from: [tip.last_commit_sha] }),
    branch_count: branches.length,
    tag_count: tags.length,
  }
}

function difference(changes: readonly ReferenceChange[], prefix: string): number {
  return changes
    .filter(({ ref }) => ref.startsWith(prefix))
    .reduce(
      (sum, { before, after }) => sum + (before === NO_OBJECT ? 1 : 0) - (after === NO_OBJECT ? 1 : 0),
      0,
    )
}

/** The first push makes a default branch: the one that the repository was made with, or else the first one pushed. */
async function defaultBranchAfter(
  repository: Repository,
  { default_branch }: RepositoryRow,
  changes: readonly ReferenceChange[],
): Promise<string | null> {
  if (default_branch !== null) {
    const gone = changes.some(({ ref, after }) => ref === BRANCHES + default_branch && after === NO_OBJECT)
    if (!gone) return default_branch
  }
  const created = changes.flatMap(({ ref, after }) => (after === NO_OBJECT ? [] : (branchOf(ref) ?? [])))
  return (await chosenFrom(repository, created)) ?? null
}

async function chosenFrom(repository: Repository, names: readonly string[]): Promise<string | undefined> {
  const head = await headOf(repository)
  return names.find((name) => name === head) ?? names[0]
}

/** The branch that `HEAD` names, whether or not it exists. */
export async function headOf({ folder }: Repository): Promise<string | undefined> {
  const text = await readFile(join(folder, 'HEAD'), 'utf8')
  return /^ref: refs\/heads\/(.+)\n?$/.exec(text)?.[1]
}

async function tipOf(
  repository: Repository,
  branch: string | null,
): Promise<Pick<Summary, 'last_commit_sha' | 'last_commit_at' | 'readme_path'>> {
  const id = branch === null ? undefined : await resolveCommit(repository, branch, 'heads')
  const commit = id === undefined ? undefined : await readCommit(repository, id)
  return commit === undefined
    ? { last_commit_sha: null, last_commit_at: null, readme_path: null }
    : {
        last_commit_sha: commit.id,
        last_commit_at: storable(commit.committer.time),
        readme_path: await readmeIn(repository, commit.id),
      }
}

/** The best of the files that introduce a project: those that can be formatted come first. */
async function readmeIn(repository: Repository, commit: string): Promise<string | null> {
  const entries = (await listFolder(repository, commit)) ?? []
  const names = entries.flatMap(({ type, name }) => (type === 'blob' && README.test(name) ? [name] : []))
  const formatted = names.filter((name) =>
    /\.(?:md|markdown|mdown|mkd|adoc|rst|org|textile|rdoc)$/i.test(name),
  )
  return formatted[0] ?? names[0] ?? null
}

const README = /^readme(?:\.[a-z]{1,10})?$/i

async function commitCountAfter(
  repository: Repository,
  row: RepositoryRow,
  tip: string | null,
  growth: Divergence | undefined,
): Promise<number> {
  if (tip === null) return 0
  if (tip === row.last_commit_sha) return row.commit_count
  if (growth !== undefined && growth.removed === 0) return row.commit_count + growth.added
  return countCommits(repository, { from: [tip] })
}

type TagSummary = Pick<Summary, 'last_tag' | 'last_tag_at'>
const noTag: TagSummary = { last_tag: null, last_tag_at: null }

async function lastTagAfter(
  repository: Repository,
  row: RepositoryRow,
  changes: readonly ReferenceChange[],
): Promise<TagSummary> {
  const touched = changes.filter(({ ref }) => tagOf(ref) !== undefined)
  const { last_tag, last_tag_at } = row
  if (touched.length === 0) return { last_tag, last_tag_at }
  // A single new tag is the latest one, or the one before stays.
  const [first] = touched
  if (touched.length === 1 && first?.before === NO_OBJECT) {
    const made = await tagAt(repository, first.ref)
    const isLater = last_tag_at === null || Date.parse(made.last_tag_at ?? '') >= Date.parse(last_tag_at)
    return isLater ? made : { last_tag, last_tag_at }
  }
  const [latest] = await latestReferences(repository, TAGS, 1)
  return latest === undefined ? noTag : tagAt(repository, latest.name)
}

async function tagAt(repository: Repository, ref: string): Promise<TagSummary> {
  const id = (await readReferences(repository, [ref])).get(ref)
  const commitId = id === undefined ? undefined : await resolveCommit(repository, id)
  const commit = commitId === undefined ? undefined : await readCommit(repository, commitId)
  return {
    last_tag: tagOf(ref) ?? null,
    last_tag_at: commit === undefined ? null : storable(commit.committer.time),
  }
}

/** Commits may claim any moment; PostgreSQL does not know them all. */
function storable(seconds: number): string {
  const most = Date.UTC(9999, 11, 31) / 1000
  return new Date(Math.min(Math.max(seconds, 0), most) * 1000).toISOString()
}
