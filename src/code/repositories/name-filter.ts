import { Type } from 'typebox'
import { ClientPattern, filterInSlices, PatternRefused } from '#platform/client-pattern.ts'
import { invalidParameters } from '#platform/refusals.ts'
import { text } from '#platform/http/schema.ts'

export const search = Type.Optional(
  text({ description: 'Part of the name; `^a` for its beginning, `a$` for its end, `^a$` for all of it.' }),
)
export const regex = Type.Optional(
  text({ description: 'A regular expression that matches part of the name, in the syntax of RE2.' }),
)

/** Milliseconds of the server's thread that the names of one request may take. */
const MOST_TIME = 1_000

/** Which names a request asks for. */
export interface NamesAsked {
  readonly search?: string
  readonly regex?: string
}

/**
 * Those of some references whose names a request asks for.
 * @param prefix of all of them, which is no part of their names
 * @throws 400 for what is no regular expression, and for one that takes too long
 */
export async function withNamesAsked<Named extends { readonly name: string }>(
  all: readonly Named[],
  prefix: string,
  { search = '', regex = '' }: NamesAsked,
): Promise<readonly Named[]> {
  if (search === '' && regex === '') return all
  const found = searched(search.toLowerCase())
  try {
    const pattern = regex === '' ? undefined : new ClientPattern(regex)
    const isWanted = ({ name: whole }: Named) => {
      const name = whole.slice(prefix.length)
      return found(name.toLowerCase()) && (pattern === undefined || pattern.finds(name))
    }
    return await filterInSlices(all, isWanted, MOST_TIME)
  } catch (error) {
    if (!(error instanceof PatternRefused)) throw error
    throw invalidParameters([{ name: 'regex', text: error.message, missing: false }])
  }
}

function searched(term: string): (name: string) => boolean {
  const [, begin, part = '', end] = /^(\^?)(.*?)(\$?)$/s.exec(term) ?? []
  if (begin && end) return (name) => name === part
  if (begin) return (name) => name.startsWith(part)
  if (end) return (name) => name.endsWith(part)
  return (name) => name.includes(part)
}
