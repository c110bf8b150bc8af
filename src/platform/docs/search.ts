import type { Endpoint } from './endpoint.ts'

/** An endpoint that a search may find. */
export interface SearchableEndpoint extends Endpoint {
  readonly area: string
  /** Where it is described. */
  readonly link: string
}

/** Words that say nothing of an endpoint. */
const EMPTY = new Set(['a', 'an', 'the', 'of', 'to', 'in', 'for', 'how', 'and', 'with'])

/** Verbs that people use for one another. Each group has the methods that it means. */
const VERBS: readonly (readonly string[])[] = [
  ['create', 'make', 'add', 'new', 'open', 'post'],
  ['update', 'change', 'edit', 'modify', 'set', 'put', 'patch'],
  ['delete', 'remove', 'destroy'],
  ['list', 'show', 'get', 'read', 'find', 'fetch'],
]

/**
 * Makes a search of endpoints. It finds those that have every word, in any case, in their path, summary, area,
 * description or the names of their parameters and fields, or in their title another verb of the same meaning. Those
 * that have all of them in path, summary or area come first, and of these the ones with short paths: a resource before what is below it.
 */
export function searchIn(endpoints: readonly SearchableEndpoint[]): (text: string) => SearchableEndpoint[] {
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
      verbs: new Set([method, ...summary.toLowerCase().split(/\W+/)]),
      all: `${title} ${rest.join(' ').toLowerCase()}`,
      segments: path.split('/').length,
      // Without what only its own page shows.
      found: { ...endpoint, operation: { operationId, summary, tags, responses: {} } },
    }
  })
  return (text) => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean)
    const telling = words.filter((word) => !EMPTY.has(word))
    const sought = telling.length > 0 ? telling : words
    const having = (haystack: string, verbs: ReadonlySet<string>) =>
      sought.every((word) => haystack.includes(word) || sameVerbs(word).some((verb) => verbs.has(verb)))
    const found = known.filter(({ all, verbs }) => having(all, verbs))
    const isFirst = ({ title, verbs }: (typeof known)[number]) => having(title, verbs)
    const first = found.filter(isFirst).toSorted((one, other) => one.segments - other.segments)
    return [...first, ...found.filter((one) => !isFirst(one))].map((one) => one.found)
  }
}

const sameVerbs = (word: string): readonly string[] => VERBS.find((verbs) => verbs.includes(word)) ?? []
