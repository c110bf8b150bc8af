import { branchOf, NO_OBJECT } from '#code/git/names.ts'
import { resolveCommit } from '#code/git/resolve.ts'
import type { ReferenceRule, RuleContext, RuledChange } from '#code/repositories/rules.ts'
import { listPages, MOST_FILES } from './list-files.ts'
import { isWiki } from './names.ts'

/** Keeps wikis small enough to be listed whole, and their pages within the setting. */
export const wikiRule: ReferenceRule = {
  async refusals(changes, context) {
    const refused = new Map<string, string>()
    if (!isWiki(context.row.kind)) return refused
    for (const change of changes) {
      if (branchOf(change.ref) === undefined || change.after === NO_OBJECT) continue
      const refusal = await refusalOf(change, context)
      if (refusal !== undefined) refused.set(change.ref, refusal)
    }
    return refused
  },
}

async function refusalOf(
  { before, after }: RuledChange,
  { repository, settings }: RuleContext,
): Promise<string | undefined> {
  const tip = await resolveCommit(repository, after)
  if (tip === undefined) return 'a branch of a wiki must be a commit'
  const pages = await listPages(repository, tip)
  if (pages === undefined) return `a wiki may have at most ${MOST_FILES} files`
  const most = settings.wiki_page_max_content_bytes
  const large = [...pages.values()].filter(({ size }) => size > most)
  if (large.length === 0) return undefined
  // What was there when the setting became smaller may stay.
  const old = before === NO_OBJECT ? undefined : await listPages(repository, before)
  const known = new Set([...(old?.values() ?? [])].map(({ blob }) => blob))
  const found = large.find(({ blob }) => !known.has(blob))
  return found && `the page ${found.slug} has ${found.size} bytes, and a page may have at most ${most}`
}
