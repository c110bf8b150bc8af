import { sizedFiles } from '#code/git/file-sizes.ts'
import type { Repository } from '#code/git/repository.ts'
import { languageLookup } from './names.ts'

/** The percentage of each language, the largest first. */
export type Shares = Readonly<Record<string, number>>

/** Files beyond this number do not count. */
const MOST_FILES = 500_000

/** How many commits this process remembers. */
const REMEMBERED = 500

const known = new Map<string, Promise<Shares>>()

/** How much of a commit is written in which language, by the names and sizes of files. A commit is looked at once. */
export function languagesOf(repository: Repository, commit: string): Promise<Shares> {
  const key = `${repository.id} ${commit}`
  const before = known.get(key)
  if (before !== undefined) return before
  const counted = count(repository, commit)
  known.set(key, counted)
  counted.catch(() => known.delete(key))
  const [oldest] = known.keys()
  if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest)
  return counted
}

async function count(repository: Repository, commit: string): Promise<Shares> {
  const languageOf = await languageLookup()
  const bytes = new Map<string, number>()
  let total = 0
  for await (const { path, size } of sizedFiles(repository, commit, MOST_FILES)) {
    const language = size === 0 ? undefined : languageOf(path)
    if (language === undefined) continue
    bytes.set(language, (bytes.get(language) ?? 0) + size)
    total += size
  }
  const ordered = [...bytes].toSorted(([, a], [, b]) => b - a)
  return Object.fromEntries(ordered.map(([name, size]) => [name, Math.round((size / total) * 10_000) / 100]))
}
