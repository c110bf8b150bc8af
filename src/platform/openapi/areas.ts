import { ExtensionPoint } from '#platform/extension-point.ts'

/** A part of the API. It groups endpoints in the document and on the reference page. */
export interface Area {
  readonly name: string
  readonly about: string
  /** The path segments of the area. For a path with several such segments, the last one decides. */
  readonly segments: readonly string[]
  /** The area may change or be removed without notice ("Versioning" in the specification). */
  readonly beta?: true
}

/** The areas of all features. Each feature names its own in its `index.ts`. */
export const apiAreas = new ExtensionPoint<Area>('the list of areas of the API')

const bySegment = apiAreas.derive((all) => {
  const found = new Map<string, Area>()
  for (const area of all) {
    for (const segment of area.segments) {
      if (found.has(segment)) throw new Error(`${segment} belongs to two areas of the API`)
      found.set(segment, area)
    }
  }
  return found
})

/** All areas, in the order of the document. */
export const areas = (): readonly Area[] => apiAreas.entries

/**
 * The area of a path below `/api/v4`.
 * @throws when no segment belongs to one: the feature's `index.ts` must name its segment. Also when a segment belongs to two areas.
 */
export function areaOf(path: string): Area {
  const known = bySegment()
  const nameOf = (segment: string) => segment.replace(/\..*/, '')
  const found = path.split('/').findLast((segment) => known.has(nameOf(segment)))
  const area = known.get(nameOf(found ?? ''))
  if (area === undefined)
    throw new Error(`${path} belongs to no area: name its segment in the feature's index.ts`)
  return area
}
