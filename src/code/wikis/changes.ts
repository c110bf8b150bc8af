import type { PagesBySlug } from './list-files.ts'

/** What happened to the pages of a wiki, by their slugs. */
export interface PageChanges {
  readonly created: readonly string[]
  readonly updated: readonly string[]
  readonly moved: readonly { readonly from: string; readonly to: string }[]
  readonly deleted: readonly string[]
}

/**
 * Compares the pages of two commits. A page has moved if it is gone from one slug and another one has the same content.
 * @param isMove whether the change is known to move one page, so that its content does not matter.
 */
export function changesBetween(
  before: PagesBySlug,
  after: PagesBySlug,
  { isMove }: { readonly isMove: boolean },
): PageChanges {
  const gone = [...before.values()].filter(({ slug }) => !after.has(slug))
  const come = [...after.values()].filter(({ slug }) => !before.has(slug))
  const updated = [...after.values()].filter(({ slug, blob, path }) => {
    const old = before.get(slug)
    return old !== undefined && (old.blob !== blob || old.path !== path)
  })
  const [only, ...others] = come
  const isPlain = isMove && only !== undefined && others.length === 0 && gone.length === 1
  const bySource = new Map<string, string>()
  const waiting = new Map<string, string[]>()
  for (const { slug, blob } of come) {
    const same = waiting.get(blob) ?? []
    same.push(slug)
    waiting.set(blob, same)
  }
  for (const { slug, blob } of gone) {
    const to = isPlain ? only.slug : waiting.get(blob)?.shift()
    if (to !== undefined) bySource.set(slug, to)
  }
  const targets = new Set(bySource.values())
  return {
    created: come.map(({ slug }) => slug).filter((slug) => !targets.has(slug)),
    updated: updated.map(({ slug }) => slug),
    moved: [...bySource].map(([from, to]) => ({ from, to })),
    deleted: gone.map(({ slug }) => slug).filter((slug) => !bySource.has(slug)),
  }
}
