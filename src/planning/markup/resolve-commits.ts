import { ExtensionPoint } from '#platform/extension-point.ts'
import type { CommitName } from './find-references.ts'
import type { MarkupReader } from './reader.ts'
import type { Target } from './target.ts'

/**
 * Finds commits of a project by their ids, or the beginnings of them, as far as the reader may see its code.
 * @param path of the project, or of a group, which has none
 * @returns what was found, by what was asked for
 */
export type CommitFinder = (
  reader: MarkupReader,
  path: string,
  shas: readonly string[],
) => Promise<ReadonlyMap<string, Target>>

/** Who knows commits. Nothing here reads repositories. */
export const commitFinders = new ExtensionPoint<CommitFinder>('the list of those who find commits')

/** The most different ones that are looked up for one page of texts. */
const MAX_COMMITS = 50

/** The commits that texts name, of the project that they are in. */
export async function resolveCommits(
  reader: MarkupReader,
  place: string | undefined,
  names: readonly CommitName[],
): Promise<(readonly [CommitName, Target])[]> {
  const shas = [...new Set(names.map(({ sha }) => sha))].slice(0, MAX_COMMITS)
  if (place === undefined || shas.length === 0) return []
  const found = await Promise.all(commitFinders.entries.map((find) => find(reader, place, shas)))
  return names.flatMap((name) => {
    const target = found.map((some) => some.get(name.sha)).find((one) => one !== undefined)
    return target === undefined ? [] : [[name, target] as const]
  })
}
