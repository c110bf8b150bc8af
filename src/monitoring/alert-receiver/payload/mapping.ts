import { type MappedField, mappedFields } from './fields.ts'
import type { Preset } from './presets.ts'
import { readPath, valueAt, type Path } from './paths.ts'

/** For each field the paths where its value may be; the first that leads to one counts. */
export type Mapping = Readonly<Partial<Record<MappedField, readonly string[]>>>

/** A value by which a tool tells its alerts apart. */
export interface Identity {
  readonly value: unknown
  /** What it is unique in, where that is not the whole project. */
  readonly within: string | undefined
}

/** A mapping that is ready to be used. */
export interface MappingReader {
  /** The first value that a mapped path of the field leads to; undefined for none. */
  mapped(payload: unknown, field: MappedField): unknown
  /** The first identity that a mapped path leads to; undefined for none. */
  identity(payload: unknown): Identity | undefined
  /** All paths of a field. */
  paths(field: MappedField): readonly Path[]
  readonly preset: Preset | undefined
}

export interface ReadingOptions {
  readonly mapping: Mapping
  /** Asked after the mapping. */
  readonly preset?: Preset | undefined
  /** The integration that reads: ids of the program behind a preset are unique in nothing else. */
  readonly integration: string
}

function pathsOf(mapping: Mapping, field: MappedField): Path[] {
  return (mapping[field] ?? []).map((text) => readPath(text)).filter((path) => path !== undefined)
}

export function readingOf({ mapping, preset, integration }: ReadingOptions): MappingReader {
  const paths = new Map(
    mappedFields.map((field) => [
      field,
      [...pathsOf(mapping, field), ...pathsOf(preset?.mapping ?? {}, field)],
    ]),
  )
  const own = pathsOf(mapping, 'fingerprint')
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
    identity(payload) {
      for (const [index, path] of of('fingerprint').entries()) {
        const value = valueAt(payload, path)
        if (isIdentity(value)) return { value, within: index < own.length ? undefined : integration }
      }
      return undefined
    },
  }
}

/** Programs write 0 for what has no id yet. */
export function isIdentity(value: unknown): boolean {
  if (typeof value === 'string') return !/^[\s0]*$/.test(value)
  return value !== undefined && value !== null && value !== 0 && value !== false
}
