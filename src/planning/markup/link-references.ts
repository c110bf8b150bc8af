import { escapeHtml } from '#platform/http/html.ts'
import type { Reference } from '#planning/references/kinds.ts'
import type { CommitName, FoundReference, Rendered } from './find-references.ts'
import type { MarkupReader } from './reader.ts'
import { resolveCommits } from './resolve-commits.ts'
import { resolveTargets } from './resolve-targets.ts'
import type { Target } from './target.ts'

/** The most references of one page of texts that become links. */
const MAX_REFERENCES = 5_000

interface Located extends FoundReference {
  /** With the container that it means. */
  readonly meant: Meant
}

type Meant = Reference | CommitName

/**
 * Makes links of the references in texts, of those to something that the reader may see. All others stay as they are.
 * @param place the path of the project or group that the texts are in; without it, only references that name one lead anywhere
 */
export async function linkReferences(
  reader: MarkupReader,
  texts: readonly Rendered[],
  place: string | undefined,
): Promise<string[]> {
  let left = MAX_REFERENCES
  const located = texts.map(({ references }) => {
    const some = references.slice(0, left)
    left -= some.length
    return some.flatMap((found) => meaningOf(found, place))
  })
  const all = located.flat().map(({ meant }) => meant)
  if (all.length === 0) return texts.map(({ html }) => html)
  const {
    commits = [],
    own = [],
    others = [],
  } = Object.groupBy(all, (one) => {
    if (one.kind === 'commit') return 'commits'
    return 'container' in one && one.container === place ? 'own' : 'others'
  })
  const references = [...own, ...others].filter((one) => one.kind !== 'commit')
  // Those into the texts' own container come first: what is named besides may be too much to look up.
  const targets = new Map<Meant, Target>(await resolveTargets(reader, references))
  const names = commits.filter((one) => one.kind === 'commit')
  for (const [name, target] of await resolveCommits(reader, place, names)) targets.set(name, target)
  return texts.map(({ html }, index) =>
    withLinks(html, located[index] ?? [], { targets, place, site: reader.site }),
  )
}

function meaningOf(found: FoundReference, place: string | undefined): Located[] {
  const { reference } = found
  if (reference.kind === 'project') return []
  if (reference.kind === 'commit') return [{ ...found, meant: reference }]
  if (!('container' in reference) || reference.container !== null) return [{ ...found, meant: reference }]
  return place === undefined ? [] : [{ ...found, meant: { ...reference, container: place } }]
}

interface Linking {
  readonly targets: ReadonlyMap<Meant, Target>
  readonly place: string | undefined
  readonly site: string
}

function withLinks(text: string, located: readonly Located[], linking: Linking): string {
  let linked = ''
  let done = 0
  for (const one of located) {
    const target = linking.targets.get(one.meant)
    if (target === undefined) continue
    const { start, end, kind } = one.reference
    const href = `${linking.site}/${target.page}${one.fragment ?? ''}`
    const type = kind === 'mention' ? 'user' : kind
    const open = tag({ href, class: 'gfm', 'data-reference-type': type, title: target.title })
    linked += `${text.slice(done, start)}${open}${shownText(one, target, linking)}</a>`
    done = end
  }
  return linked + text.slice(done)
}

/** The tag that opens a link. `html` has no way to put HTML, which is what the link shows, behind one. */
const tag = (attributes: Readonly<Record<string, string>>): string =>
  `<a ${Object.entries(attributes)
    .map(([name, value]) => `${name}="${escapeHtml(value)}"`)
    .join(' ')}>`

/** What the link shows: what was written, or instead of an address a reference, such as `group/project#12 (comment 5)`. */
function shownText({ written, fragment }: Located, { page, reference }: Target, { place }: Linking): string {
  if (fragment === undefined) return written
  const container = (page.split('/-/')[0] ?? '').replace(/^groups\//, '')
  const isHere = container.toLowerCase() === place?.toLowerCase()
  const note = fragment === '' ? '' : ` (comment ${fragment.replace('#note_', '')})`
  return escapeHtml(`${isHere ? '' : container}${reference ?? ''}${note}`)
}
