import { type RawBuilder, sql } from 'kysely'

/** Rows in which one of the columns contains the term, ignoring case. */
export function contains(columns: readonly string[], term: string): RawBuilder<boolean> {
  const pattern = patternOf(term)
  // Ordered columns have the collation "C", which folds ASCII alone.
  const tests = columns.map((column) => sql`${sql.ref(column)} collate "default" ilike ${pattern}`)
  return sql<boolean>`(${sql.join(tests, sql` or `)})`
}

/** Rows whose column contains each word of the term, in any order. Words beyond {@link MAX_WORDS} are ignored. */
export function containsEach(column: string, term: string): RawBuilder<boolean> {
  const words = term.split(/\s+/).filter((word) => word !== '')
  const patterns = words.slice(0, MAX_WORDS).map(patternOf)
  return sql<boolean>`${sql.ref(column)} collate "default" ilike all(${patterns}::text[])`
}

const patternOf = (term: string) => `%${term.replace(/[\\%_]/g, '\\$&')}%`

/** The parts of a text that can be searched separately: the weights of words in the column `search`. */
export type Weight = 'A' | 'B' | 'C' | 'D'

/** Longer texts are refused as parameters; words beyond these are ignored. */
const MAX_WORDS = 32
const BETWEEN_WORDS = /[\s!-/:-@[-`{-~]+/

/**
 * Rows whose tsvector column (made with `words_of`) holds every word of the term, or a word that starts with it, in
 * any of these parts. A term without a word matches no row.
 */
export function containsWords(column: string, term: string, parts: readonly Weight[]): RawBuilder<boolean> {
  const query = queryOf(term, parts)
  return query === undefined ? sql<boolean>`false` : sql<boolean>`${sql.ref(column)} @@ ${query}`
}

/** The same where many rows are asked, whatever index there is: the term is read once, and not for each row. */
export function eachContainsWords(
  column: string,
  term: string,
  parts: readonly Weight[],
): RawBuilder<boolean> {
  const query = queryOf(term, parts)
  return query === undefined ? sql<boolean>`false` : sql<boolean>`${sql.ref(column)} @@ (select ${query})`
}

function queryOf(term: string, parts: readonly Weight[]): RawBuilder<unknown> | undefined {
  const given = term
    .toLowerCase()
    .split(BETWEEN_WORDS)
    .filter((word) => word !== '')
    .slice(0, MAX_WORDS)
  // Whatever has a word also has its beginnings. Asking for these, too, would cost as much again for each.
  const words = [...new Set(given)].filter(
    (word, _, all) => !all.some((other) => other !== word && other.startsWith(word)),
  )
  if (words.length === 0) return undefined
  const marks = parts.join('')
  const query = words.map((word) => `'${word}':*${marks}`)
  return sql`to_tsquery('simple'::regconfig, ${query.join(' & ')})`
}
