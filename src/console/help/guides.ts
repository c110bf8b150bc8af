import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packageFolder } from '#platform/package.ts'

const folder = join(packageFolder, 'docs')
const NAME = /^[a-z0-9-]+$/

/** A page of the documentation. */
export interface Guide {
  /** How its address ends: `/help/NAME`. */
  readonly name: string
  readonly title: string
}

/** What is beside the guides. */
const besides = ['configuration', 'settings']

let listed: Promise<readonly Guide[]> | undefined

/** All guides, by title. The files belong to the program, so they are looked at once. */
export const allGuides = (): Promise<readonly Guide[]> => (listed ??= readAll())

async function readAll(): Promise<readonly Guide[]> {
  const files = await readdir(join(folder, 'guides'))
  const names = files.filter((file) => file.endsWith('.md')).map((file) => file.slice(0, -'.md'.length))
  const all = await Promise.all(
    [...names, ...besides].map(async (name) => ({ name, title: titleOf(await textOf(name)) })),
  )
  return all.toSorted((one, other) => one.title.localeCompare(other.title, 'en'))
}

const titleOf = (text: string): string => /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? ''

/** The Markdown of a guide, whose links lead to the other guides as they are served; undefined where there is none. */
export async function readGuide(name: string): Promise<string | undefined> {
  const isKnown = NAME.test(name) && (await allGuides()).some((guide) => guide.name === name)
  return isKnown ? withAddresses(await textOf(name)) : undefined
}

const textOf = (name: string): Promise<string> =>
  readFile(join(folder, besides.includes(name) ? '' : 'guides', `${name}.md`), 'utf8')

/** Files of the repository that no page shows. */
const ELSEWHERE = /\[([^\]]*)\]\(\.\.\/[^)]*\)/g

const withAddresses = (text: string): string =>
  text
    .replaceAll(
      /\]\((?:\.\.\/|guides\/)?([a-z0-9-]+)\.md(#[^)]*)?\)/g,
      (written, name: string, heading = '') =>
        name === 'testing' ? written : `](/help/${name}${String(heading)})`,
    )
    .replaceAll('](../../openapi.json)', '](/api/v4/openapi.json)')
    .replaceAll(ELSEWHERE, '$1')
