// What imports what in src: the map in docs/architecture.md and the test that keeps it true read it here.
import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'

/** The districts from the lowest up. A district imports only from those before it; the program stands above all. */
export const order = [
  'platform',
  'identity',
  'tenancy',
  'planning',
  'code',
  'delivery',
  'ci',
  'monitoring',
  'registries',
  'activity',
  'administration',
  'console',
  'runner',
  'program',
] as const
export type District = (typeof order)[number]

const src = new URL('../src/', import.meta.url)

/** All source files but tests and what only they use, by their paths below `src`. */
export const files: readonly string[] = readdirSync(src, { recursive: true })
  .map(String)
  .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|test-support\.ts$/.test(file))

export const textOf = (file: string): string => readFileSync(new URL(file, src), 'utf8')

/** The files in no folder are the program, with its command line and what it offers to tests. */
export function districtOf(file: string): District {
  const [first] = file.split('/')
  return order.find((district) => district === first) ?? 'program'
}

/** One file that imports another, both below `src`. */
export interface Import {
  readonly from: string
  readonly to: string
}

const known = new Set(files)

/** All imports, also of types, and those that are only made when they are needed. */
export const imports: readonly Import[] = files.flatMap((from) =>
  [...textOf(from).matchAll(/(?:from|import) ?\(?'(#|\.)([^']+)'/g)]
    .map(([, kind, path = '']) =>
      kind === '#' ? path : posix.normalize(posix.join(posix.dirname(from), `.${path}`)),
    )
    .filter((to) => known.has(to))
    .map((to) => ({ from, to })),
)

const byName = (a = '', b = ''): number => (a < b ? -1 : 1)

/** The map as a Mermaid diagram: what each district holds, and which imports from which. */
export function diagram(): string {
  const held = order.slice(0, -1).map((district) => {
    const folders = new Set(
      files
        .filter((file) => file.startsWith(`${district}/`) && file.split('/').length > 2)
        .map((file) => file.split('/')[1]),
    )
    return `  ${district}["<b>${district}</b><br>${[...folders].toSorted(byName).join(', ')}"]`
  })
  const arrows = new Set(
    imports
      .map(({ from, to }) => [districtOf(from), districtOf(to)] as const)
      .filter(([from, to]) => from !== to)
      .map(([from, to]) => `  ${from} --> ${to}`),
  )
  return ['```mermaid', 'flowchart BT', ...held, '  program', ...[...arrows].toSorted(byName), '```'].join(
    '\n',
  )
}
