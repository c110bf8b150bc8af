import { countCommits, type Divergence, divergenceOf } from '#code/git/history.ts'
import { BRANCHES, branchOf, NO_OBJECT, tagOf } from '#code/git/names.ts'
import { readCommit } from '#code/git/objects.ts'
import type { Repository } from '#code/git/repository.ts'
import { resolveCommit } from '#code/git/resolve.ts'
import type { ReferencePush } from './facts.ts'
import type { ReferenceChange } from './rules.ts'

export interface ChangeDescription {
  readonly pushed: readonly ReferencePush[]
  /** For the default branch, if it changed from one commit to another. */
  readonly growth: Divergence | undefined
  /** The commits that came to branches that were there before, the latest first, by the whole name; only where they are few. */
  readonly brought: ReadonlyMap<string, readonly string[]>
}

type Kind = Pick<ReferencePush, 'action' | 'ref_type'>

/** More than this are told together whatever the setting says: each costs a process. */
const MAX_DESCRIBED_CHANGES = 100

/**
 * Describes changes for the people who see them later. More than `limit` changes of one kind become one.
 * @param defaultBranch as it was before; null when there was none.
 */
export async function describeChanges(
  repository: Repository,
  changes: readonly ReferenceChange[],
  { limit, defaultBranch }: { readonly limit: number; readonly defaultBranch: string | null },
): Promise<ChangeDescription> {
  const groups = new Map<string, { kind: Kind; changes: ReferenceChange[] }>()
  for (const change of changes) {
    const kind = kindOf(change)
    if (kind === undefined) continue
    const key = `${kind.ref_type} ${kind.action}`
    const group = groups.get(key) ?? { kind, changes: [] }
    group.changes.push(change)
    groups.set(key, group)
  }
  const pushed: ReferencePush[] = []
  const known = defaultBranch === null ? undefined : BRANCHES + defaultBranch
  const ofDefault = changes.find(({ ref }) => ref === known)
  const growth = ofDefault && (await growthOf(repository, ofDefault))
  const brought = new Map<string, readonly string[]>()
  for (const { kind, changes } of groups.values()) {
    if (changes.length > Math.min(limit, MAX_DESCRIBED_CHANGES)) {
      pushed.push({ ...kind, ...nothing, ref_count: changes.length })
      continue
    }
    for (const change of changes) {
      const grown = change === ofDefault ? growth : await growthOf(repository, change)
      if (grown?.brought !== undefined) brought.set(change.ref, grown.brought)
      pushed.push(await describe(repository, change, kind, { added: grown?.added, base: known }))
    }
  }
  return { pushed, growth, brought }
}

const nothing = {
  ref: null,
  ref_count: null,
  commit_from: null,
  commit_to: null,
  commit_count: 0,
  commit_title: null,
} as const

function kindOf({ ref, before, after }: ReferenceChange): Kind | undefined {
  const ref_type = branchOf(ref) !== undefined ? 'branch' : tagOf(ref) !== undefined ? 'tag' : undefined
  const action = before === NO_OBJECT ? 'created' : after === NO_OBJECT ? 'removed' : 'pushed'
  return ref_type && { ref_type, action }
}

/** What a branch that was and is there has gained and lost. */
async function growthOf(repository: Repository, change: ReferenceChange): Promise<Divergence | undefined> {
  const { ref, before, after } = change
  if (branchOf(ref) === undefined || before === NO_OBJECT || after === NO_OBJECT) return undefined
  return divergenceOf(repository, before, after, { lane: 'write' })
}

interface Known {
  readonly added: number | undefined
  /** The default branch as a reference, if there was one. */
  readonly base: string | undefined
}

async function describe(
  repository: Repository,
  { ref, before, after }: ReferenceChange,
  kind: Kind,
  { added, base }: Known,
): Promise<ReferencePush> {
  const name = branchOf(ref) ?? tagOf(ref) ?? ref
  const commit_from = before === NO_OBJECT ? null : before
  const commit_to = after === NO_OBJECT ? null : after
  const told = { ...kind, ...nothing, ref: name, commit_from, commit_to }
  if (commit_to === null) return told
  const commitId = await resolveCommit(repository, commit_to)
  const commit = commitId === undefined ? undefined : await readCommit(repository, commitId)
  const commit_title = commit?.title.slice(0, 255).toWellFormed() ?? null
  if (kind.ref_type === 'tag') return { ...told, commit_title }
  return {
    ...told,
    commit_title,
    commit_count: added ?? (await newCommits(repository, ref, commit_to, base)),
  }
}

/** A new branch brings what the default branch does not have; the first branch brings everything. */
async function newCommits(
  repository: Repository,
  ref: string,
  to: string,
  base: string | undefined,
): Promise<number> {
  const compared = base === undefined || base === ref ? undefined : await resolveCommit(repository, base)
  return countCommits(repository, { from: [to], ...(compared !== undefined && { not: [compared] }) })
}
