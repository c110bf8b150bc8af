import type { Endpoint } from './endpoint.ts'

/** An endpoint that a search may find. */
export interface Found extends Endpoint {
  readonly area: string
  /** Where it is described. */
  readonly link: string
}

/**
 * Makes a search of endpoints. It finds those that have every word, in any case, in their path, summary, area,
 * description or the names of their parameters and fields. Those that have them in path, summary or area come first.
 */
export function searchIn(endpoints: readonly Found[]): (text: string) => Found[] {
  const known = endpoints.map((endpoint) => {
    const { method, path, operation, area } = endpoint
    const title = `${method} ${path} ${operation.summary} ${area}`.toLowerCase()
    const parameters = operation.parameters?.map(({ name }) => name) ?? []
    const fields = Object.values(operation.requestBody?.content ?? {}).flatMap(({ schema }) =>
      Object.keys(schema.properties ?? {}),
    )
    const rest = [operation.operationId, operation.description, ...parameters, ...fields]
    const { operationId, summary, tags } = operation
    return {
      title,
      all: `${title} ${rest.join(' ').toLowerCase()}`,
      // Without what only its own page shows.
      found: { ...endpoint, operation: { operationId, summary, tags, responses: {} } },
    }
  })
  return (text) => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean)
    const having = (haystack: string) => words.every((word) => haystack.includes(word))
    const found = known.filter(({ all }) => having(all))
    const [first, later] = [
      found.filter(({ title }) => having(title)),
      found.filter(({ title }) => !having(title)),
    ]
    return [...first, ...later].map((one) => one.found)
  }
}
