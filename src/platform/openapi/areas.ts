/** A part of the API. It groups endpoints in the document and on the reference page. */
export interface Area {
  readonly name: string
  readonly about: string
  /** The path segments of the area. For a path with several such segments, the last one decides. */
  readonly segments: readonly string[]
  /** The area may change or be removed without notice ("Versioning" in the specification). */
  readonly beta?: true
}

/** The areas of all features, in their order. */
const known: Area[] = []
const bySegment = new Map<string, Area>()

/** @throws when a segment belongs to two areas. */
export function addArea(area: Area): void {
  known.push(area)
  for (const segment of area.segments) {
    if (bySegment.has(segment)) throw new Error(`${segment} belongs to two areas of the API`)
    bySegment.set(segment, area)
  }
}

/** All areas, in the order of the document. */
export const areas = (): readonly Area[] => known

/**
 * The area of a path below `/api/v4`.
 * @throws when no segment belongs to one: the feature's `index.ts` must name its segment.
 */
export function areaOf(path: string): Area {
  const found = path.split('/').findLast((segment) => bySegment.has(segment.replace(/\..*/, '')))
  const area = bySegment.get(found?.replace(/\..*/, '') ?? '')
  if (area === undefined)
    throw new Error(`${path} belongs to no area: name its segment in the feature's index.ts`)
  return area
}
