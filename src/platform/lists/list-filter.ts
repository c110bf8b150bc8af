import type { RawBuilder } from 'kysely'

/** What one filter asks of a row, and how PostgreSQL can find the rows that pass. */
export interface ListFilter {
  /** Whether a row passes, asked of each. */
  readonly test: RawBuilder<boolean>
  /** How many rows are expected to pass: few enough to find them all, or so many that a page is found on the way. */
  readonly selectivity: 'few' | 'many'
  readonly source?: IndexSource
}

/** An index that leads to the rows that pass. */
export interface IndexSource {
  /** A query for the `id` of rows, each once. Rows that are not in it don't pass. */
  readonly ids: RawBuilder<unknown>
  /** Whether all rows in it pass, so that they need not be tested. */
  readonly exact: boolean
  /** About how many there are; unknown for a search. */
  readonly size?: number
  /**
   * Where the source may be much larger than what the list is about, so that it pays to look first: a query for the `id` of those of
   * some rows that are in it. The cost depends on the number of these rows.
   */
  readonly among?: (rows: RawBuilder<unknown>) => RawBuilder<unknown>
  /** Whether it may lead to most rows, so that it is taken only if nothing else narrows the list. */
  readonly scansMost?: true
}

/** A filter with an index. */
export type LeadingFilter = ListFilter & { readonly source: IndexSource }

export const isFew = ({ selectivity }: ListFilter): boolean => selectivity === 'few'

/** The filter whose index leads to the fewest rows; the first of several that are alike. */
export function leadingFilter(filters: readonly ListFilter[]): LeadingFilter | undefined {
  const selective = filters.filter((one) => isFew(one) && one.source?.scansMost !== true)
  const leads = (selective.length > 0 ? selective : filters).filter(
    (one): one is LeadingFilter => one.source !== undefined,
  )
  const size = ({ source }: LeadingFilter) => (source.among !== undefined ? Infinity : (source.size ?? 0))
  return leads.toSorted((one, other) => size(one) - size(other))[0]
}
