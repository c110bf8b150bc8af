import { open, readFile, realpath } from 'node:fs/promises'
import { resolve, sep } from 'node:path'
import { shellWord } from '#platform/shell-word.ts'

/** Bytes of a release, with its description. */
const MOST = 1024 * 1024

/** The flags of `release-cli create`, and what the API calls them. */
const SINGLE: Readonly<Record<string, string>> = {
  '--name': 'name',
  '--description': 'description',
  '--tag-name': 'tag_name',
  '--tag-message': 'tag_message',
  '--ref': 'ref',
  '--released-at': 'released_at',
}

/**
 * A script for the step of a release, in which `release-cli` only tells what it would do, and `glab`, which steps prefer, is not there.
 * @param file gets the words of `release-cli`
 */
export const releaseScript = (lines: readonly string[], file: string): string =>
  [
    'glab() { return 127; }',
    `release-cli() { printf '%s\\0' "$@" > ${shellWord(file)}; }`,
    'exec 2>&1',
    'set -eo pipefail',
    ...lines,
    '',
  ].join('\n')

/**
 * What the step wants to release, as the API takes it.
 * @param folder of the job, in which a file may have the description
 * @returns undefined when it did not ask for a release that way
 * @throws when the words are none of `release-cli create`
 */
export async function wantedRelease(file: string, folder: string): Promise<object | undefined> {
  const bytes = await readFile(file).catch(() => undefined)
  if (bytes === undefined) return undefined
  if (bytes.length > MOST) throw new Error(`the release has more than ${MOST} bytes`)
  const [command, ...words] = bytes.toString('utf8').split('\0').slice(0, -1)
  if (command !== 'create') throw new Error(`release-cli ${command ?? ''} is not known`)
  const wanted: Record<string, string> = {}
  const milestones: string[] = []
  const links: unknown[] = []
  const all = words.flatMap((word) => {
    const [, flag, value] = /^(--[a-z-]+)=(.*)$/s.exec(word) ?? []
    return flag === undefined || value === undefined ? [word] : [flag, value]
  })
  for (let at = 0; at < all.length; at += 2) {
    const flag = all[at] ?? ''
    const value = all[at + 1]
    const name = SINGLE[flag]
    if (value === undefined) throw new Error(`${flag} lacks its value`)
    if (name !== undefined) wanted[name] = value
    else if (flag === '--milestone') milestones.push(value)
    else if (flag === '--assets-link') links.push(JSON.parse(value))
    else throw new Error(`${flag} is not known`)
  }
  const { description } = wanted
  return {
    ...wanted,
    ...(description !== undefined && { description: await textOf(description, folder) }),
    ...(milestones.length > 0 && { milestones }),
    ...(links.length > 0 && { assets: { links } }),
  }
}

/** A description, or what the file has that it names. */
async function textOf(description: string, folder: string): Promise<string> {
  if (/\s/.test(description)) return description
  const root = await realpath(folder)
  const path = await realpath(resolve(root, description)).catch(() => undefined)
  if (path === undefined || !path.startsWith(root + sep)) return description
  await using file = await open(path)
  const { size } = await file.stat()
  if (size > MOST) throw new Error(`${description} has more than ${MOST} bytes`)
  return file.readFile('utf8')
}
