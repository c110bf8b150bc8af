import { type MappedField, mappedFields } from './fields.ts'
import type { Preset } from './presets.ts'
import { readPath, valueAt, type Path } from './paths.ts'

/** For each field the paths where its value may be; the first that leads to one counts. */
export type Mapping = Readonly<Partial<Record<MappedField, readonly string[]>>>

/** A mapping that is ready to be used. */
export interface Reading {
  /** The first value that a mapped path of the field leads to; undefined for none. */
  mapped(payload: unknown, field: MappedField): unknown
  /** All paths of a field. */
  paths(field: MappedField): readonly Path[]
  readonly preset: Preset | undefined
}

/** @param preset is asked after the mapping. */
export function readingOf(mapping: Mapping, preset?: Preset): Reading {
  const paths = new Map(
    mappedFields.map((field) => [
      field,
      [...(mapping[field] ?? []), ...(preset?.mapping[field] ?? [])].flatMap((text) => {
        const path = readPath(text)
        return path === undefined ? [] : [path]
      }),
    ]),
  )
  const of = (field: MappedField) => paths.get(field) ?? []
  return {
    preset,
    paths: of,
    mapped(payload, field) {
      for (const path of of(field)) {
        const value = valueAt(payload, path)
        if (value !== undefined && value !== null && value !== '') return value
      }
      return undefined
    },
  }
}
