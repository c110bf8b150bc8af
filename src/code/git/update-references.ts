import { dirname, join } from 'node:path'
import { GitFailed } from './errors.ts'
import type { Repository } from './repository.ts'
import { syncFolder } from './sync-folder.ts'

/** @internal Only `src/code/repositories/change-references.ts` may change references: it records what it does. */
export interface Update {
  readonly ref: string
  readonly before: string
  readonly after: string
}

/** Why a reference did not change, in words for the client. */
export type Refusals = ReadonlyMap<string, string>

/**
 * Changes references in one transaction of git. Each changes only if it still has the value that the change expects.
 * @param atomic whether no reference changes if one cannot.
 * @returns the refused changes; all others were made.
 */
export async function updateReferences(
  repository: Repository,
  updates: readonly Update[],
  atomic: boolean,
): Promise<Refusals> {
  const refused = new Map<string, string>()
  let left = updates
  while (left.length > 0) {
    const failure = await tryUpdate(repository, left)
    if (failure === undefined) break
    const ref = refOf(failure, left)
    if (ref === undefined) throw failure
    refused.set(ref, reasonOf(failure, ref))
    left = left.filter((one) => one.ref !== ref)
    if (atomic) {
      for (const { ref } of left) refused.set(ref, 'another reference of the same change was refused')
      left = []
    }
  }
  if (left.length > 0) await syncNames(repository, left)
  return refused
}

async function tryUpdate(repository: Repository, updates: readonly Update[]): Promise<GitFailed | undefined> {
  const commands = updates.map(({ ref, before, after }) => `update ${ref}\0${after}\0${before}\0`).join('')
  try {
    await repository.git.capture(repository, ['update-ref', '--no-deref', '--stdin', '-z'], {
      lane: 'write',
      input: `start\0${commands}prepare\0commit\0`,
      time: 120_000,
    })
    return undefined
  } catch (error) {
    if (error instanceof GitFailed) return error
    throw error
  }
}

/** The reference that git complains about. */
function refOf({ stderr }: GitFailed, updates: readonly Update[]): string | undefined {
  const quoted = [...stderr.matchAll(/'([^']+)'/g)].map(([, name]) => name)
  return updates.find(
    ({ ref }) => quoted.includes(ref) || quoted.some((name) => name?.endsWith(`/${ref}.lock`)),
  )?.ref
}

function reasonOf({ stderr }: GitFailed, ref: string): string {
  const exists = /'([^']+)' exists; cannot create/.exec(stderr)?.[1]
  if (exists !== undefined && exists !== ref) return `the name cannot exist beside ${exists}`
  if (
    /is at [0-9a-f]+ but expected|reference already exists|unable to resolve reference|reference is missing/.test(
      stderr,
    )
  ) {
    return 'somebody else has changed it meanwhile; fetch first'
  }
  if (/cannot (?:lock|process)[^]*'([^']+)' and '([^']+)' at the same time/.test(stderr)) {
    return 'the name cannot exist beside another one of the same change'
  }
  if (/non-commit object/.test(stderr)) return 'a branch can only point at a commit'
  if (/nonexistent object/.test(stderr)) return 'its object is missing'
  return 'git could not change it'
}

/** The most folders that are synced one by one. */
const FOLDERS = 64

/** Git syncs the files of references, not the folders that hold their names. */
async function syncNames({ folder }: Repository, updates: readonly Update[]): Promise<void> {
  const folders = new Set(updates.map(({ ref }) => dirname(join(folder, ref))))
  for (const one of [...folders].slice(0, FOLDERS)) await syncFolder(one).catch(() => {})
  await syncFolder(folder)
}
