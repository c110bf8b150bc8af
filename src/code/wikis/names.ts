import type { RepositoryKind } from '#platform/db/schema.ts'

/** `noteable_type` of notes on pages, and the type of the targets of facts about them. */
export const WIKI_PAGE = 'WikiPage::Meta'

/** Whether a repository is that of a wiki. */
export const isWiki = (kind: RepositoryKind): kind is keyof typeof kinds => Object.hasOwn(kinds, kind)

/** The kinds of noteable that pages are: those of projects and those of groups. */
export const kinds = { wiki: 'wiki_page', group_wiki: 'group_wiki_page' } as const
