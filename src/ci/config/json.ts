import type { Json } from './values.ts'

// Reads values of definitions of jobs, as they are stored. Their form was checked when the pipeline was made.

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value)

/** The fields of a mapping; none where the value is something else. */
export const recordIn = (value: Json | undefined): { readonly [key: string]: Json | undefined } =>
  typeof value === 'object' && value !== null && !isList(value) ? value : {}

/** The elements of a list; a single value is a list of one, and nothing one of none. */
export const listIn = (value: Json | undefined): readonly Json[] =>
  value === undefined || value === null ? [] : isList(value) ? value : [value]

/** A single value as a text; undefined for lists, mappings and nothing. */
export const scalarIn = (value: Json | undefined): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined

/** A text, or all texts of a list, however deep. */
export function textsIn(value: Json | undefined): string[] {
  if (isList(value)) return value.flatMap(textsIn)
  const text = scalarIn(value)
  return text === undefined ? [] : [text]
}
