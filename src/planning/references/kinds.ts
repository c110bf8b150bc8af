/** How texts refer to a kind of resource, and what contains it. */
interface Kind {
  /** Precedes the number or name: `#12`, `~bug`. */
  readonly sign: string
  /** The scope in which the number or name is unique. */
  readonly container: 'project' | 'group'
  /** What may follow the sign. */
  readonly by: 'number' | 'number or name'
  /** Its collection in URLs of the web pages. */
  readonly segment: string
}

/** Everything in a project or group to which texts can refer. Numbers of labels are ids, the others iids. */
export const kinds = {
  issue: { sign: '#', container: 'project', by: 'number', segment: 'issues' },
  merge_request: { sign: '!', container: 'project', by: 'number', segment: 'merge_requests' },
  snippet: { sign: '$', container: 'project', by: 'number', segment: 'snippets' },
  epic: { sign: '&', container: 'group', by: 'number', segment: 'epics' },
  milestone: { sign: '%', container: 'project', by: 'number or name', segment: 'milestones' },
  label: { sign: '~', container: 'project', by: 'number or name', segment: 'labels' },
} as const satisfies Record<string, Kind>

export type ReferenceKind = keyof typeof kinds
type NumberedKind = {
  [K in ReferenceKind]: (typeof kinds)[K]['by'] extends 'number' ? K : never
}[ReferenceKind]
type NamedKind = Exclude<ReferenceKind, NumberedKind>

/** Its position in the text: `text.slice(start, end)` is the written form. */
interface Position {
  readonly start: number
  readonly end: number
}

/** `@user`, `@group/sub`, without the sign. */
export interface Mention extends Position {
  readonly kind: 'mention'
  readonly path: string
}

/** The URL of a project of this instance. */
export interface ProjectReference extends Position {
  readonly kind: 'project'
  readonly path: string
}

/** `#12`, `group/project#12`; without a container it means the one that the text is in. */
export interface NumberedReference extends Position {
  readonly kind: NumberedKind
  readonly container: string | null
  readonly number: number
}

/** `~bug`, `%"next release"`, `~12`: a number can also be a name. */
export interface NamedReference extends Position {
  readonly kind: NamedKind
  readonly container: string | null
  readonly number: number | null
  readonly name: string
}

export type Reference = Mention | ProjectReference | NumberedReference | NamedReference

const bySign = new Map<string, ReferenceKind>()
const bySegment = new Map<string, ReferenceKind>()
for (const kind of Object.keys(kinds)) {
  if (!isKind(kind)) continue
  bySign.set(kinds[kind].sign, kind)
  bySegment.set(kinds[kind].segment, kind)
}

function isKind(name: string): name is ReferenceKind {
  return Object.hasOwn(kinds, name)
}

/** The signs of all kinds, one after the other. */
export const signs = [...bySign.keys()].join('')
export const kindOfSign = (sign: string): ReferenceKind | undefined => bySign.get(sign)
export const kindOfSegment = (segment: string): ReferenceKind | undefined => bySegment.get(segment)

export function isNamedKind(kind: ReferenceKind): kind is NamedKind {
  return kinds[kind].by === 'number or name'
}
