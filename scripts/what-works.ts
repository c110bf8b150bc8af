// The page about what works: the endpoints that the specification describes, compared with those that the program
// declares, and all others that it has. Made from both, so it is true.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What the page needs of the API's description. */
export interface Described {
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly tags?: readonly string[] }>>>>
}

interface Endpoint {
  readonly area: string
  readonly method: string
  readonly path: string
}

/** Parameters match by their place, whatever their names. */
const shapeOf = ({ method, path }: Omit<Endpoint, 'area'>) =>
  `${method} ${path.replace(/\?.*/, '').replaceAll(/\{[^}]+\}|:[a-z_]+/gi, '{}')}`

const specified: readonly Endpoint[] = readFileSync(
  join(import.meta.dirname, 'specified-endpoints.tsv'),
  'utf8',
)
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [area = '', method = '', path = ''] = line.split('\t')
    return { area, method, path }
  })

/** @returns the page as Markdown. */
export function whatWorks({ tags, paths }: Described): string {
  const declared = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { tags: [area = ''] = [] }]) => ({
      area,
      method: method.toUpperCase(),
      path,
    })),
  )
  const known = new Set(declared.map(shapeOf))
  const wanted = new Set(specified.map(shapeOf))
  const works = specified.filter((endpoint) => known.has(shapeOf(endpoint)))
  const further = declared.filter((endpoint) => !wanted.has(shapeOf(endpoint)))
  const isKnown = (endpoint: Endpoint) => (known.has(shapeOf(endpoint)) ? 'yes' : 'not yet')
  return `# What works

<!-- Made from scripts/specified-endpoints.tsv and openapi.json by \`npm run generate\`. -->

Paths are below \`/api/v4\`. "Yes" means that the endpoint does what the specification says, with tests; the page of the
API's reference at \`/-/docs\` of a running server describes its parameters and answers.

## Specified in detail

${works.length} of ${specified.length} endpoints.

| Area | Endpoint | Works |
| --- | --- | --- |
${specified.map((endpoint) => `| ${endpoint.area} | \`${endpoint.method} ${endpoint.path}\` | ${isKnown(endpoint)} |`).join('\n')}

## Everything else

${further.length} endpoints that clients of this API expect around those.

${tags
  .map(({ name }) => ({ name, own: further.filter(({ area }) => area === name) }))
  .filter(({ own }) => own.length > 0)
  .map(({ name, own }) => `### ${name}\n\n${own.map(named).join('\n')}`)
  .join('\n\n')}
`
}

const colons = (path: string) => path.replaceAll(/\{([^}]+)\}/g, ':$1')
const named = ({ method, path }: Endpoint) => `- \`${method} ${colons(path)}\``
